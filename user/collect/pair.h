/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file pair.h - key= since= keep=: intervals that begin with one event and end with another.
 */
#ifndef TAMIS_COLLECT_PAIR_H
#define TAMIS_COLLECT_PAIR_H

#include "../base/err.h"
#include "../event/event.h"
#include "../filter/expr.h"

struct compile_env;
struct event_stats;
struct holes;
struct sieve;

/** Of one event: what it is in pairs. A zeroed one is in none. */
struct pairing {
	struct expr **key;	/**< parts of key=; owned */
	size_t nr_key;
	struct pair_map *begins;	/**< this event begins intervals kept there; borrowed */
	struct pair_map *ends;	/**< this event ends intervals kept there; borrowed */
};

#endif
