/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file pair.h - key= since= keep=: intervals that begin with one event and end with another.
 *
 * Each start event has a map of the intervals that are open, which its ends look into: task
 * storage if `_tid` is all of its key, else a preallocated hash (an LRU would drop starts without
 * a count).
 */
#ifndef TAMIS_COLLECT_PAIR_H
#define TAMIS_COLLECT_PAIR_H

#include "key.h"
#include "sieve.h"

struct pairing {
	struct key key;
	bool is_start;
	int map;		/**< of a start; -1: not made yet; owned */
	bool by_task;		/**< of a start: the map is task storage */
	bool other_keys;	/**< of a start: an end finds it by more than its own task */
	struct pairing *start;	/**< of an end: what begins its intervals; borrowed */
	const struct event *event; /**< borrowed; NULL: it is in no pair */
};

/** Parses the key. */
int pairing__parse(struct pairing *p, const struct event *event, const struct sieve_opts *opts,
		   struct err *err);
/** Finds the start of an end among @n pairings that are @stride bytes apart. */
int pairing__link(struct pairing *p, struct pairing *first, size_t n, size_t stride,
		  struct err *err);
/** Makes the map, fills the holes of keys and kept fields. */
int pairing__fill(struct pairing *p, struct holes *holes, const struct sieve_kernel *kernel,
		  struct compile_env *env, struct err *err);
void pairing__free(struct pairing *p);

#endif
