/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file key.h - by= and key=: expressions laid out as the bytes of a map's key.
 */
#ifndef TAMIS_COLLECT_KEY_H
#define TAMIS_COLLECT_KEY_H

#include "../filter/compile.h"
#include "table.h"

/** One part: @size bytes at @at, both multiples of 8; integers as 64 bits. */
struct key_slot {
	struct expr *e; /**< owned */
	enum part_kind kind;
	u32 at, size;
	u32 text; /**< bytes of a text, its NUL left out */
	const char *name; /**< as written; borrowed from the spec */
};

struct key {
	struct key_slot *slots; /**< owned */
	size_t nr, room;
	u32 size; /**< bytes of the map's key */
	bool big; /**< too large for w->key: in the scratch area */
	bool index; /**< a single small number, 4 bytes: the key of an array */
	u32 limit; /**< of an index: numbers from 0 to limit - 1 */
};

struct expr_world;
struct log;

/** Parses the expressions of @list, an attribute of the event's spec. */
int key__parse(struct key *k, const struct event *event, const struct spec_list *list,
	       enum expr_want want, const struct expr_world *world, struct log *log,
	       struct err *err);
/** Decides where parts are; texts get at most @text_max bytes. */
int key__place(struct key *k, const struct event *event, u32 text_max, struct err *err);
/** Appends the code that writes it: to w->key, or if it is big to w->dst. */
int key__code(const struct key *k, struct code *c, const struct event *event,
	      struct compile_env *env, struct err *err);
bool key__has_stacks(const struct key *k);
void key__free(struct key *k);

#endif
