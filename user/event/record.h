/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file record.h - one record as it is handed on: who, when, and where its bytes are.
 *
 * A view into a ring. The bytes are borrowed until the batch that it came in is done; whoever
 * keeps the record copies record->size bytes from record->data and lets data point to the copy
 * (nothing in the bytes points into themselves).
 */
#ifndef TAMIS_EVENT_RECORD_H
#define TAMIS_EVENT_RECORD_H

#include "event.h"

struct record_head;

/** flags; the low byte is record_head.flags. */
enum {
	RECORD_LATE = 0x100, /**< --order: came after later ones had been delivered */
};

struct record {
	u64 time; /**< ns, CLOCK_MONOTONIC */
	const void
		*data; /**< struct record_head, or struct perf_event_header with transport perf */
	struct event *event; /**< borrowed; a keeper takes a reference */
	u32 size; /**< bytes at data */
	u32 tgid, tid; /**< in tamis's own pid namespace; 0: not visible there */
	u16 cpu;
	u16 flags; /**< RECORD_* here and in bpf/record.h */
};

/** The tracepoint's own record, common_* first. @return NULL if the sample carries none */
const void *record__raw(const struct record *rec, u32 *size);
/** The call chain as the kernel gave it, PERF_CONTEXT_* marks included. @return number of words */
u32 record__callchain(const struct record *rec, const u64 **ips);
/** The bytes of an extra. @return NULL where it was not carried */
const void *record__extra(const struct record *rec, enum extra which);
/** Host numbers, as payload fields such as next_pid use them. */
void record__host_ids(const struct record *rec, u32 *tgid, u32 *tid);

#endif
