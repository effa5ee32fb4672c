/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file profile.h - what profile.bpf.c keeps and user/collect/profiler.c reads: samples by stack.
 *
 * A stack is stored once under the hash of its addresses; what is counted are pairs of stacks by
 * process. There are two sides of both tables: one is written while the other is read.
 */
#ifndef TAMIS_PROFILE_H
#define TAMIS_PROFILE_H

#define PROFILE_FRAMES	127	/* the kernel's own limit, unless its administrator raised it */
#define PROFILE_COMM	16
#define PROFILE_UNWOUND	1024	/* processes that are unwound by tables */

struct profile_stack {
	u64 ips[PROFILE_FRAMES + 1];	/* leaf first, zeroes behind; one more shows a cut */
};

struct profile_key {
	u64 kernel, user;	/* hashes of the two stacks; 0: none */
	u32 tgid;		/* in tamis's pid namespace; 0: not visible there */
	u32 unused;
	char comm[PROFILE_COMM];
};

struct profile_count {
	u64 samples;
	u64 last;		/* time of the last one, ns */
};

/* A sample whose user stack is unwound later, by tables: the raw data of a perf sample. */
struct profile_sample {
	u32 tgid;
	u32 nr_kernel;
	char comm[PROFILE_COMM];
	u64 kernel[PROFILE_FRAMES + 1];
};

enum profile_counter {
	PROFILE_SAMPLES,	/* in scope, tamis's own included */
	PROFILE_OWN,		/* left out because tamis itself ran */
	PROFILE_OUT,		/* not in scope */
	PROFILE_STACK_FULL,	/* lost: no room for another stack */
	PROFILE_COUNT_FULL,	/* lost: no room for another pair */
	PROFILE_RING_FULL,	/* lost: no room for a sample to unwind */
	PROFILE_TRUNCATED,	/* counted, but with more frames than could be taken */
	PROFILE_SHALLOW,	/* user stacks of one or two frames */
	PROFILE_USER,		/* user stacks */
	PROFILE_MAX
};

#endif
