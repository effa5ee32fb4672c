/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file emit.h - what the records of an event hold on the bpf transport, and the code that makes
 * them.
 *
 * An event's FIELD_VALUE fields are `latency` and what keep= kept (struct start of bpf/template.h).
 */
#ifndef TAMIS_COLLECT_EMIT_H
#define TAMIS_COLLECT_EMIT_H

#include "../filter/code.h"
#include "emit_task.h"

struct err;
struct event;
struct scope;

#define MAXLEN_DEFAULT 256 /**< bytes kept of a dynamic field or text */

struct emit {
	u32 size; /**< bytes without payload and call chain: IMM_SIZE */
	u32 flags; /**< F_DYNAMIC, or 0 */
	u32 max_stack; /**< frames of a side; 0: no call chain */
	struct task_members task; /**< where emit__task_extras(event) are */
};

/** Extras that need em->task to be filled in before the layout is decided: 1 << EXTRA_*. */
u32 emit__task_extras(const struct event *e);
/**
 * Decides event->layout. @ns_ids: records carry the ids of tamis's own pid namespace.
 * @task_extras: may the others be carried too? @max_stack_default is kernel.perf_event_max_stack.
 */
int emit__layout(struct emit *em, struct event *e, bool ns_ids, bool task_extras,
		 u32 max_stack_default, struct err *err);

/** Code for the COPY hole. @s may be NULL if the layout has no ns_ids. */
void emit__code(const struct emit *em, const struct event *e, const struct scope *s,
		struct code *c);

#endif
