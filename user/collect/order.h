/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file order.h - merges the streams of all CPUs by time, within a window.
 *
 * A record waits until it is older than the window, so that what other CPUs, or an interrupt that
 * took its time before and its place after, still bring comes before it. What comes later than
 * that is delivered at once, flagged RECORD_LATE. Records wait in their rings, not in memory: a
 * slow reader presses back to the producers.
 */
#ifndef TAMIS_COLLECT_ORDER_H
#define TAMIS_COLLECT_ORDER_H

#include "stream.h"

struct order;

/** @window ns. Streams are borrowed and may grow by order__add(). @return NULL: out of memory */
struct order *order__new(u64 window);
void order__free(struct order *o);
int order__add(struct order *o, struct stream *s);

/** Looks at what the streams have. @return how many records were new, -ENOMEM */
int order__gather(struct order *o, const struct loss_sink *losses);
/**
 * Takes the oldest records that are older than @now minus the window, at most @max; with @now
 * UINT64_MAX all of them. Their bytes are borrowed until the next order__release().
 */
int order__take(struct order *o, u64 now, struct record *out, int max);
/** What was taken goes back to the rings. */
void order__release(struct order *o);
/** Records that wait. */
size_t order__pending(const struct order *o);

#endif
