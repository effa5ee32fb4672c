/* SPDX-License-Identifier: GPL-2.0-only */
/** @file floor.h - what floor.bpf.c and floor.c share. Records are as large as those of tamis. */
#ifndef TAMIS_BENCH_FLOOR_H
#define TAMIS_BENCH_FLOOR_H

#define RING_BYTES (8 << 20)
#define WAKE_BYTES (64 << 10)
#define MAX_CPUS 512

enum { COUNTER_LOST, NR_COUNTERS };

struct floor_record {
	u64 time;
	u32 tgid, tid, size;
	u16 event, cpu;
	u32 lost;
	u16 flags, chain;
	u64 common; /* the 8 common bytes of a tracepoint's record */
	s64 id;
	u64 args[6];
};

struct floor_open {
	struct floor_record head;
	char comm[16];
	char name[64];
};

#endif
