/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file perf_counts.h - tracepoints counted without BPF: groups of perf events, one for each CPU or
 * thread, read at once; values of a field by a filter of the kernel each.
 *
 *	new -> add each -> open -> read
 */
#ifndef TAMIS_COLLECT_PERF_COUNTS_H
#define TAMIS_COLLECT_PERF_COUNTS_H

#include "counts.h"

struct perf_counts;
struct scope;

/** @scope borrowed until close; NULL: everything. */
int perf_counts__new(struct perf_counts **ret, const struct scope *scope, struct err *err);
/** NULL is fine. */
void perf_counts__close(struct perf_counts *p);
/**
 * Counts tracepoint number @id as @event, or with @child as that value of it. @filter as the
 * kernel takes it; NULL: every one. Strings are copied.
 */
int perf_counts__add(struct perf_counts *p, u32 id, const char *event, const char *child,
		     const char *filter, struct err *err);
/** Opens them everywhere, counting. */
int perf_counts__open(struct perf_counts *p, struct err *err);
/**
 * Of a struct count_provider; @ctx a struct perf_counts. Picks up threads that have come. Counts
 * are of the scope's process where it is one, else of all processes together (tgid 0).
 */
int perf_counts__read(void *ctx, struct counts *c, struct err *err);

#endif
