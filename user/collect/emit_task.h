/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file emit_task.h - extras of a record that only the kernel's task_struct tells: the parent, and
 * the numbers that a task has in its own, innermost pid namespace.
 */
#ifndef TAMIS_COLLECT_EMIT_TASK_H
#define TAMIS_COLLECT_EMIT_TASK_H

#include "../filter/code.h"
#include "../base/kernel_types.h"

struct record_layout;

/** Offsets in bytes. */
struct task_members {
	u32 group_leader, real_parent, tgid, thread_pid;
	u32 level, number; /**< in struct pid: depth; the outermost namespace's number */
	u32 number_step; /**< from one namespace's number to the next */
};

/** @return false: this kernel does not tell */
bool task_members__find(struct task_members *m, struct kernel_types *k);

/** Writes the extras that @l has a place for to the record at w->dst; uses w->tmp[0..1]. */
void emit_task__code(const struct task_members *m, const struct record_layout *l, struct code *c);

#endif
