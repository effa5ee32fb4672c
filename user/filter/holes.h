/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file holes.h - what an event's expressions put into the holes of its program.
 *
 * Made by the session with compile.h, read by the transport. A hole without instructions does
 * what bpf/template.h says: a filter passes, the others write nothing.
 */
#ifndef TAMIS_FILTER_HOLES_H
#define TAMIS_FILTER_HOLES_H

#include "code.h"

struct holes {
	struct code filter, late; /**< MARK_FILTER, MARK_LATE */
	struct code key, value, update; /**< with F_AGG */
	struct code start_key, keep; /**< with F_START */
	struct code end_key; /**< with F_END */
	u32 flags; /**< F_* of bpf/template.h, F_EMIT included */
	int agg, swap, stacks; /**< the event's own maps, borrowed; -1: none */
	int starts, ends; /**< where it begins and ends intervals; with F_TASK task storage */
	u16 begin_event, end_event; /**< events that count what is open there */
};

#define HOLES_EMIT                                                                             \
	{                                                                                      \
		.flags = 0x08 /* F_EMIT */, .agg = -1, .swap = -1, .stacks = -1, .starts = -1, \
		.ends = -1                                                                     \
	}

#endif
