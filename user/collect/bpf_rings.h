/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file bpf_rings.h - a ring for each possible CPU, and the descriptor that tells when to drain.
 */
#ifndef TAMIS_COLLECT_BPF_RINGS_H
#define TAMIS_COLLECT_BPF_RINGS_H

#include "bpf_ring.h"

struct bpf_slots;
struct log;

struct bpf_rings {
	struct bpf_ring **ring; /**< by CPU */
	int nr;
	size_t size; /**< bytes of the ring of an online CPU */
	int epoll;
	struct bpf_slots *slots;
};

/**
 * Bytes of a ring by default, a power of two: 8 MiB up to 8 CPUs, in all at most 1/64 of @ram and
 * at most 64 MiB, at least one page.
 */
size_t bpf_rings__default_size(int nr_cpus, u64 ram, size_t page);

/**
 * Makes a ring for each of @nr_cpus possible CPUs and puts it into the map @outer.
 * @bytes of each, rounded up to a power of two and a page; 0: the default. Doubled with
 * @call_chains. If the machine does not give that much, smaller ones after a notice.
 */
int bpf_rings__open(struct bpf_rings *r, int outer, int nr_cpus, u64 bytes, bool call_chains,
		    const struct bpf_ring_events *ev, struct log *log, struct err *err);
/** A zeroed one is fine. */
void bpf_rings__close(struct bpf_rings *r);
/** Is nothing on its way in any ring? Also resets the descriptor until the next wakeup. */
bool bpf_rings__quiet(const struct bpf_rings *r);

#endif
