/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file bpf_slots.h - puts maps into the slots of an array of maps without waiting for it.
 *
 * An update of a map in map takes effect at once, but bpf(2) then waits for programs that may
 * still see the old one: 8 to 20 ms, for each. There is no old one, so a thread waits instead.
 */
#ifndef TAMIS_COLLECT_BPF_SLOTS_H
#define TAMIS_COLLECT_BPF_SLOTS_H

struct bpf_slots;

/**
 * Slot i of the array of maps @outer becomes @fds[i]. @return 0: all are there; -errno.
 * The descriptors stay open until bpf_slots__free().
 */
int bpf_slots__fill(struct bpf_slots **ret, int outer, const int *fds, int nr);
/** Waits for the thread. NULL is fine. */
void bpf_slots__free(struct bpf_slots *s);

#endif
