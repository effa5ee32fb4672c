/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file bpf_ring.h - the ring of one CPU, as a stream of records.
 */
#ifndef TAMIS_COLLECT_BPF_RING_H
#define TAMIS_COLLECT_BPF_RING_H

#include "../base/err.h"
#include "stream.h"

struct bpf_ring;
struct counter_map;

/** What rings need to know of the session; shared by all of them, borrowed. */
struct bpf_ring_events {
	struct event **event; /**< by record_head.event; NULL: of another transport */
	size_t nr;
	const struct counter_map *counters;
	struct event_stats *stats; /**< by event: delivered, cut and unreadable are counted */
};

/**
 * Makes a ring of @size bytes, a power of two and whole pages, and maps it.
 * @return -ENOMEM, -EPERM, ... without a message, so that a smaller one can be tried
 */
int bpf_ring__open(struct bpf_ring **ret, int cpu, size_t size, const struct bpf_ring_events *ev);
/** NULL is fine. */
void bpf_ring__close(struct bpf_ring *r);

int bpf_ring__fd(const struct bpf_ring *r);
struct stream *bpf_ring__stream(struct bpf_ring *r);
/** Has a producer reserved more than was peeked? */
bool bpf_ring__pending(const struct bpf_ring *r);
/** No program runs any more: losses that no record will tell are told when it is drained. */
void bpf_ring__last(struct bpf_ring *r);

#endif
