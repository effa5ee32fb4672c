/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file compile.h - expressions as BPF instructions for the holes of the template.
 *
 *	struct compile_env env = {.strict_text = ..., .ns_dev = ..., .ns_ino = ...};
 *	struct code code = {0};
 *
 *	compile__filter(&code, expr, event, &env, err);	-> into MARK_FILTER or MARK_LATE
 *	... load the program ...
 *	compile_env__free(&env);			the loaded program keeps the pattern maps
 */
#ifndef TAMIS_FILTER_COMPILE_H
#define TAMIS_FILTER_COMPILE_H

#include "code.h"
#include "expr.h"
#include "task_code.h"

struct compile_env {
	bool strict_text; /**< what depends on unreadable text is dropped, not passed on */
	u64 ns_dev, ns_ino; /**< tamis's pid namespace; 0: it is the initial one */
	u32 static_size; /**< bytes that may be loaded from the record; 0: the format's size */
	struct kernel_types *types; /**< NULL: members of tasks cannot be read; borrowed */
	struct task_layout task; /**< found when something needs it */
	int *maps; /**< maps that the code refers to; owned */
	size_t nr_maps, maps_room;
};

void compile_env__free(struct compile_env *env);

/**
 * The whole hole: r0 is 1 or 0 at its end. Where it passes an event because text was not in
 * memory, w->flags gets RECORD_UNREADABLE. @return 0; -E2BIG with a caret: larger than the hole
 */
int compile__filter(struct code *c, const struct expr *e, const struct event *event,
		    struct compile_env *env, struct err *err);

/**
 * Leaves the value of an integer expression in r1; r0 to r5 are lost, w->tmp is used. Something
 * unknown makes the hole end with r0 = 0.
 */
int compile__int(struct code *c, const struct expr *e, const struct event *event,
		 struct compile_env *env, struct err *err);

/** The same; something unknown is 0. */
int compile__int_or_zero(struct code *c, const struct expr *e, const struct event *event,
			 struct compile_env *env, struct err *err);

#endif
