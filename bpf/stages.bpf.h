/* SPDX-License-Identifier: GPL-2.0-only */
/* stages.bpf.h - what happens to an event, in order; the same for every kind of program. */
#ifndef TAMIS_STAGES_BPF_H
#define TAMIS_STAGES_BPF_H

#include "hole.bpf.h"
#include "maps.bpf.h"
#include "strings.bpf.h"
#include "limit.bpf.h"
#include "pair.bpf.h"
#include "aggregate.bpf.h"
#include "put.bpf.h"
#include "emit.bpf.h"
#include "rebuild.bpf.h"

/*
 * Never runs. Without a call clang would drop the functions, libbpf would not append them, and
 * the verifier would refuse them as unreachable. It sees that the condition is false and removes
 * the block and the functions that a clone does not call.
 */
static __always_inline void keep_callable(void *ctx)
{
	u64 never, any;

	asm volatile("%0 = 0; %1 = 0" : "=r"(never), "=r"(any));
	if (!never)
		return;
	glob_match((void *)any, any, (void *)any);
	str_contains((void *)any, any, any, any);
	glob_dynamic((void *)any, any, (void *)any);
	glob_user((void *)any, (void *)any);
	equal_dynamic((void *)any, any, (void *)any);
	equal_user((void *)any, (void *)any);
	text_room();
	text_same((void *)any, any, any);
	count_strict();
	agg_log2((void *)any, any, any);
	key_stack(ctx, any);
	put_dynamic((void *)any, any, any, any, any);
	put_user((void *)any, any, any);
	put_chain(ctx, any, any);
	task_state(any, any, any);
	key_text((void *)any, (void *)any, any);
	key_name((void *)any, any, any);
	key_user((void *)any, (void *)any, any);
}

/*
 * An interval is in the scope that its start was in: what ends it may happen in any task, as a
 * request completes in an interrupt and a switch to a task happens in the one before it.
 */
static __always_inline bool in_scope(const void *rec, struct work *w)
{
	u64 scope = HOLE(MARK_SCOPE, SCOPE_ROOM, rec, w);

	if (scope == SCOPE_IN)
		return true;
	if (scope == SCOPE_OUT && HAS(F_END) && !HAS(F_TASK)) {
		w->flags = W_OUTSIDE;
		return true;
	}
	if (scope == SCOPE_OWN)
		count(C_OWN);
	else if (control.explain)
		count(C_OUT_OF_SCOPE);
	return false;
}

/*
 * What this filter rejects never was an event: it ends no interval. Only the part of a filter
 * that needs latency runs after the pairing.
 */
static __always_inline bool passes(const void *rec, struct work *w)
{
	if (HOLE(MARK_FILTER, FILTER_ROOM, rec, w))
		return true;
	if (control.explain)
		count(C_REJECTED);
	return false;
}

static __always_inline bool ends_interval(const void *rec, struct work *w)
{
	HOLE(MARK_ENDKEY, KEY_ROOM, rec, w);
	if (!end_interval(w))
		return false;
	return HOLE(MARK_LATE, FILTER_ROOM, rec, w);
}

static __always_inline void run_event(void *ctx, const void *rec)
{
	struct work w;

	keep_callable(ctx);
	if (control.explain)
		count(C_FIRED);
	w.ctx = (u64)ctx;
	w.flags = 0;
	if (!in_scope(rec, &w) || !passes(rec, &w))
		return;
	if (HAS(F_END) && !ends_interval(rec, &w))
		return;
	if (!within_limits())
		return;
	if (HAS(F_START)) {
		HOLE(MARK_STARTKEY, KEY_ROOM, rec, &w);
		HOLE(MARK_KEEP, KEEP_ROOM, rec, &w);
		begin_interval(&w);
	}
	if (HAS(F_AGG))
		aggregate(rec, &w);
	if (HAS(F_EMIT))
		emit(rec, &w);
}

/* The functions of an event that is only emitted. */
static __always_inline void keep_callable_emit(void *ctx)
{
	u64 never, any;

	asm volatile("%0 = 0; %1 = 0" : "=r"(never), "=r"(any));
	if (!never)
		return;
	put_dynamic((void *)any, any, any, any, any);
	put_user((void *)any, any, any);
	put_chain(ctx, any, any);
	task_state(any, any, any);
}

/*
 * The short way of most events: filtered and emitted, by expressions that call no function. A
 * third of the instructions, which is what loading a program takes its time for.
 */
static __always_inline void run_emit(void *ctx, const void *rec)
{
	struct work w;

	keep_callable_emit(ctx);
	if (control.explain)
		count(C_FIRED);
	w.ctx = (u64)ctx;
	w.flags = 0;
	if (in_scope(rec, &w) && passes(rec, &w))
		emit(rec, &w);
}

#endif
