/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file record_frames.h - the call chain of a record, named; unwound where the record has the
 * registers and stack for that instead of user frames.
 */
#ifndef TAMIS_SYMBOL_RECORD_FRAMES_H
#define TAMIS_SYMBOL_RECORD_FRAMES_H

#include "../event/record.h"
#include "symbolizer.h"

/**
 * The words of a record's call chain, as record__callchain() gives them; with stack=dwarf the user
 * frames are behind a PERF_CONTEXT_USER. @return how many of at most @max
 */
u32 record_frames__chain(struct symbolizer *s, const struct record *rec, u64 *ips, u32 max);
/** The same, named. @out has room for @max frames */
u32 record_frames__named(struct symbolizer *s, const struct record *rec, struct frame *out,
			 u32 max);

#endif
