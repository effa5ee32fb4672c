/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file table_impl.h - a table from the inside: for aggregate*.c and table*.c only.
 *
 * A value of the kernel's map is an array of u64 words: the number of updates, then the words of
 * each operator. All zero is "no update yet".
 */
#ifndef TAMIS_COLLECT_TABLE_IMPL_H
#define TAMIS_COLLECT_TABLE_IMPL_H

#include "key.h"
#include "sieve.h"
#include "table.h"

struct control;
struct expr_world;
struct holes;

struct table_op {
	struct expr *e; /**< owned; NULL: not asked for, or count */
	u32 at; /**< first word */
	u32 words;
};

/** The switch that all tables of a session share; see table_swap.c. */
struct table_switch {
	volatile struct control *control; /**< NULL: not attached */
	u64 flips; /**< so far; the programs write to side flips & 1 */
};

/** Stacks that were taken out of the kernel's map; see table_stacks.c. */
struct stack_cache;

struct table {
	struct event *event; /**< borrowed */
	struct key key;
	bool has[AGG_MAX_OP];
	struct table_op ops[AGG_MAX_OP];
	u32 words; /**< of a value */
	u32 entries;
	bool swap; /**< two sides; else one, and clearing remembers what was there */
	int side[2]; /**< maps; -1: none; owned */
	int outer; /**< the map of both sides; -1: none; owned */
	int stacks; /**< -1: none; owned */
	s64 cleared[2]; /**< flips when the side was last empty for sure; -1: never */
	u64 *base; /**< without swap: values when it was last cleared; owned */
	struct stack_cache *cache;
	struct table_switch *sw; /**< borrowed */
	int nr_cpus;
	const struct sieve_kernel *kernel; /**< borrowed; NULL: not attached */
};

/** Parses by= and the operators. *ret is NULL for an event that sums up nothing. aggregate.c */
int table__parse(struct table **ret, struct event *event, struct table_switch *sw,
		 const struct expr_world *world, struct log *log, struct err *err);
/** Makes the maps and fills the holes of key, value and update. aggregate_code.c */
int table__fill(struct table *t, struct holes *holes, struct compile_env *env, struct err *err);
int table__make_maps(struct table *t, struct err *err);
/** NULL is fine. */
void table__free(struct table *t);

/** Adds a value of one CPU, side or time to another. table_fold.c */
void table__fold(const struct table *t, u64 *into, const u64 *from);
/** Takes away an earlier value of the same row: sums only. */
void table__subtract(const struct table *t, u64 *from, const u64 *what);
/** The buckets of an operator that are not empty, to @out. @return how many */
size_t table__buckets(const struct table *t, enum agg_op op, const u64 *value, struct bucket *out);

/** Rows as bytes of keys (table->key.size each) and values (table->words each). table_swap.c */
struct raw_rows {
	u8 *keys;
	u64 *values;
	size_t nr, room;
};
int table__read_raw(struct table *t, bool clear, struct raw_rows *rows, struct err *err);
void raw_rows__free(struct raw_rows *rows);

/** Frames of a stack by its key. @return number of words in @ips, -ENOENT. table_stacks.c */
int table__stack(const struct table *t, u64 id, u64 *ips, u32 max);
/** Moves all stacks from the kernel's map to the cache. */
int table__take_stacks(struct table *t, struct err *err);
void stack_cache__free(struct stack_cache *c);

#endif
