/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file profile_table.h - reads the two-sided tables of profile.bpf.c; for profiler.c.
 */
#ifndef TAMIS_COLLECT_PROFILE_TABLE_H
#define TAMIS_COLLECT_PROFILE_TABLE_H

#include "profiler.h"

struct profile_bpf;
struct profile_key;
struct profile_count;
struct profile_stack;

struct profile_table {
	struct profile_bpf *skel; /**< borrowed */
	u32 room;		/**< elements of the arrays below */
	u64 *hashes;		/**< keys of the stacks, sorted after reading */
	struct profile_stack *stacks;
	u32 *order;		/**< by hash */
	struct profile_key *keys;
	struct profile_count *counts;
};

int profile_table__init(struct profile_table *t, struct profile_bpf *skel, u32 entries,
			struct err *err);
void profile_table__fini(struct profile_table *t);
/** Turns the sides, waits for programs that still write the old one, reads and clears it. */
int profile_table__read(struct profile_table *t, stack_count_fn fn, void *ctx, struct err *err);

#endif
