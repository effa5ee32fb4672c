/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file stream.h - one FIFO of records: a BPF ring buffer or a perf ring, of one CPU.
 *
 * Reading has two ends: peek() moves forward and hands out views, release() gives the bytes back
 * to the kernel. Without --order a batch is peeked, delivered and released; with it order.c peeks
 * ahead and releases what was delivered.
 */
#ifndef TAMIS_COLLECT_STREAM_H
#define TAMIS_COLLECT_STREAM_H

#include "../event/record.h"
#include "stats.h"

#define BATCH_MAX 4096	/**< records of a batch */

struct stream;

/** Where losses are told as they are noticed while peeking. */
struct loss_sink {
	void (*fn)(void *ctx, const struct loss *loss);
	void *ctx;
};

struct stream_ops {
	/**
	 * Fills up to @max records behind the last one peeked, and for each in @ends the position
	 * that releases it. @return how many, 0: the ring is drained
	 */
	int (*peek)(struct stream *s, struct record *out, u64 *ends, int max,
		    const struct loss_sink *losses);
	/** Everything before position @end is no longer used. */
	void (*release)(struct stream *s, u64 end);
};

/** First member of a ring's own struct. */
struct stream {
	const struct stream_ops *ops;
};

#endif
