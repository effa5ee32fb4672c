/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file profile_copies.h - samples with registers and a copy of the stack; for profiler.c.
 */
#ifndef TAMIS_COLLECT_PROFILE_COPIES_H
#define TAMIS_COLLECT_PROFILE_COPIES_H

#include "profiler.h"

struct profile_copies;

/** @map: the perf event array that the program writes to. */
int profile_copies__open(struct profile_copies **ret, int map, int nr_cpus, u64 user_regs,
			 struct log *log, struct err *err);
/** NULL is fine. */
void profile_copies__close(struct profile_copies *c);
/** CPUs that have come online. */
void profile_copies__rescan(struct profile_copies *c);
int profile_copies__read(struct profile_copies *c, stack_count_fn fn, void *ctx);

#endif
