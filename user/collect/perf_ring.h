/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file perf_ring.h - the mmap ring of a perf event: one record after the other, whole.
 *
 * Positions count bytes since the ring was made and never wrap. Records between the released
 * position and the current one stay as they are.
 */
#ifndef TAMIS_COLLECT_PERF_RING_H
#define TAMIS_COLLECT_PERF_RING_H

#include <linux/perf_event.h>
#include "../base/err.h"
#include "../base/types.h"

struct log;

struct perf_ring {
	struct perf_event_mmap_page *page;	/**< NULL: not mapped */
	u8 *data;
	u64 bytes;		/**< of data, a power of two */
	u64 at;			/**< behind the last record that was handed out */
	u64 head;		/**< what the kernel had written at the last refresh */
	u64 released;
	u8 *bounce;		/**< the one record that wraps around the end */
	u64 broken;		/**< bytes that were no records; must stay 0 */
};

/**
 * Where address space is limited: what leaves most of it to the rest of the process, for @nr rings
 * of @bytes. Says so once if it is less.
 */
u64 perf_ring__affordable(u64 bytes, unsigned int nr, struct log *log);
/**
 * Maps @fd. Where the machine's limits do not allow *bytes, halves it until they do and says so
 * once. @return 0; -EPERM, -ENOMEM with the limit named
 */
int perf_ring__map(struct perf_ring *r, int fd, u64 *bytes, struct log *log, struct err *err);
void perf_ring__unmap(struct perf_ring *r);

/** Looks what the kernel has written by now. @return false: nothing new */
bool perf_ring__refresh(struct perf_ring *r);
/** The next record up to the refreshed end, or NULL. Aligned to 8, valid until it is released. */
const struct perf_event_header *perf_ring__next(struct perf_ring *r);
/** Gives everything before @end back to the kernel. */
void perf_ring__release(struct perf_ring *r, u64 end);

#endif
