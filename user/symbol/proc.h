/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file proc.h - the files of /proc/PID that the symbolizer reads.
 */
#ifndef TAMIS_SYMBOL_PROC_H
#define TAMIS_SYMBOL_PROC_H

#include "symbolizer.h"

/** @return the start time of a process in clock ticks since boot; 0: there is none */
u64 proc__start_ticks(u32 pid);
/**
 * The parent of a process that has not called exec since its fork: their stacks start at the same
 * place, which exec chooses at random. @return 0: it has
 */
u32 proc__forked_from(u32 pid);
/** Has the process a descriptor of this file? @dev: major << 32 | minor */
bool proc__holds_open(u32 pid, u64 dev, u64 ino);
/** ns of CLOCK_REALTIME of such a start time. */
u64 proc__ticks_realtime(u64 ticks);
/** ns of CLOCK_REALTIME of a time of CLOCK_MONOTONIC. */
u64 proc__realtime(u64 monotonic);
/** Calls @fn with each executable mapping. @return 0; -ENOENT: the process is gone */
int proc__maps(u32 pid, void (*fn)(void *ctx, const struct symbol_mmap *m), void *ctx);
/** Calls @fn with each process. */
void proc__each(void (*fn)(void *ctx, u32 pid), void *ctx);

#endif
