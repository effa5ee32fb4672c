/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file rebuild.h - tracepoints whose record a raw_tp or tp_btf program can make by itself.
 *
 * Such programs cost less than classic ones, and are not skipped when they fire inside another
 * program, in an interrupt say. What a record holds is the same.
 */
#ifndef TAMIS_COLLECT_REBUILD_H
#define TAMIS_COLLECT_REBUILD_H

#include "../filter/holes.h"
#include "../base/kernel_types.h"

struct event_format;
struct rebuild;

/** @return NULL: it is not known how, or the format has a field that is not known */
const struct rebuild *rebuild__find(const struct event_format *f);

/**
 * Frames in front of what a classic program's kernel stack begins with, where a program that
 * rebuilds the record takes it. @return 0: not known, take stacks by a classic program
 */
u32 rebuild__own_frames(const struct rebuild *r);

/**
 * The words of 8 bytes of a record that programs with @h read; bit 1 is the first behind common_*.
 * 0xffff: any, as its address goes to a function.
 */
u16 rebuild__words(const struct event_format *f, const struct holes *h);

/** Code for MARK_REBUILD, before all other: zeroes where no field of @words is. */
void rebuild__clear_gaps(const struct event_format *f, u16 words, struct code *c);

/** How the program is to be loaded and attached. */
struct rebuild_plan {
	u32 btf_id; /**< 0: raw_tp by name, else tp_btf with this target */
	const char *tracepoint;
};

/**
 * Code for MARK_REBUILD that writes @words of the record.
 * @return false: this kernel lacks something; use a classic program
 */
bool rebuild__code(const struct rebuild *r, const struct event_format *f, u16 words,
		   struct kernel_types *k, struct code *c, struct rebuild_plan *plan);

#endif
