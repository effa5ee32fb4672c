/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file process_table.h - the names of threads, of those that live and of those that are gone.
 *
 * Filled from /proc at start and from side-band records after. A number that is used again is a new
 * thread from its fork on; until then it is the old one. Bounded: those that
 * ended first are forgotten first. One thread at a time.
 */
#ifndef TAMIS_COLLECT_PROCESS_TABLE_H
#define TAMIS_COLLECT_PROCESS_TABLE_H

#include "../base/types.h"

struct process_table;
struct sideband_record;

#define COMM_LEN 16

/** @max threads to remember; 0: the default, 65536. @return NULL: out of memory */
struct process_table *process_table__new(u32 max);
/** NULL is fine. */
void process_table__free(struct process_table *t);
/** Reads the threads of /proc: those that are there before the first record. */
void process_table__scan(struct process_table *t);
/** A sideband_fn; @t a struct process_table. */
void process_table__follow(void *t, const struct sideband_record *rec);

/**
 * The name of a thread at @time (ns, CLOCK_MONOTONIC; UINT64_MAX: its last one). One that is not
 * in the table is looked up in /proc. @return NULL: not known; valid until the next call of any
 */
const char *process_table__comm(struct process_table *t, u32 tid, u64 time);
/** The process of a thread; 0: not known. */
u32 process_table__tgid(struct process_table *t, u32 tid);
/** Threads that are remembered. */
u32 process_table__size(const struct process_table *t);

#endif
