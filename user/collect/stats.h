/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file stats.h - what became of the events: every place that drops has its counter here.
 */
#ifndef TAMIS_COLLECT_STATS_H
#define TAMIS_COLLECT_STATS_H

#include "../base/types.h"

struct event;

/** Of one event, over all CPUs, since it was attached. */
struct event_stats {
	u64 fired;		/**< program runs or samples; counted with -v and in the first 3 s */
	u64 out_of_scope, rejected; /**< counted while fired is */
	u64 own;		/**< left out because tamis itself caused them */
	u64 delivered;		/**< handed to the sink */
	u64 ring_full;		/**< lost: the ring had no room */
	u64 missed;		/**< lost: the kernel skipped the program (recursion_misses) */
	u64 cut, unreadable;	/**< delivered with a text cut or missing */
	u64 strict_dropped;	/**< --strict-text */
	u64 rate_limited;
	u64 late;		/**< delivered out of order */
	u64 agg_full;		/**< lost updates: the table is full */
	u64 stack_full;		/**< lost stacks: the stack table is full */
	u64 unmatched, overwritten, starts_full, open_starts; /**< pairing */
};

/** Records that are gone: on one CPU, between two records of one event. */
struct loss {
	struct event *event;	/**< borrowed; NULL: the transport cannot tell */
	u16 cpu;
	u64 count;
	u64 before, after;	/**< times of the records around the gap, ns; 0: none */
};

/** Lost for good: ring full and missed runs. */
u64 event_stats__lost(const struct event_stats *s);

#endif
