/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file pair.h - key= since= keep=: intervals that begin with one event and end with another.
 *
 * The intervals that are open are in a map of the first start of an alias, which all starts of that
 * alias and their ends share: task storage if `_tid` is all of their keys, else a preallocated hash
 * (an LRU would drop starts without a count).
 */
#ifndef TAMIS_COLLECT_PAIR_H
#define TAMIS_COLLECT_PAIR_H

#include "key.h"
#include "sieve.h"

struct pairing {
	struct key key;
	/** Of a start: the first of those that share its alias, maybe itself; borrowed. NULL: none
	 */
	struct pairing *begins;
	/** Of an end: the first of the starts whose intervals it ends; borrowed. NULL: none */
	struct pairing *ends;
	/* of the first start of an alias */
	int map; /**< -1: not made yet; owned */
	bool by_task; /**< the map is task storage */
	bool other_keys; /**< a start or an end has another key than its own task */
	const struct event *event; /**< borrowed; NULL: it is in no pair */
};

/** Parses the key. */
int pairing__parse(struct pairing *p, const struct event *event, const struct sieve_opts *opts,
		   struct err *err);
/** Finds where its intervals are, among all @n pairings. */
int pairing__link(struct pairing *p, struct pairing *const *all, size_t n, struct err *err);
/** Makes the map, fills the holes of keys and kept fields. */
int pairing__fill(struct pairing *p, struct holes *holes, const struct sieve_kernel *kernel,
		  struct compile_env *env, struct err *err);
void pairing__free(struct pairing *p);

#endif
