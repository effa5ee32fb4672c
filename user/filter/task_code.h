/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file task_code.h - code that reads what only the kernel's struct task_struct says.
 *
 * Where its members are comes from the kernel's BTF, which is read when the first expression of a
 * session needs it and costs about 20 ms.
 */
#ifndef TAMIS_FILTER_TASK_CODE_H
#define TAMIS_FILTER_TASK_CODE_H

#include "../base/err.h"
#include "code.h"

struct kernel_types;

struct task_layout {
	bool known;
	u32 group_leader, real_parent, tgid, start_boottime; /**< offsets in bytes */
	u32 self_exec_id, exec_id_size;
};

/** Words of a process's identity: its number may be used again, an exec makes it another. */
enum { TASK_TGID, TASK_START_TIME, TASK_EXEC_ID, TASK_WORDS };

/**
 * Fills @l unless it is known. @return -EOPNOTSUPP: this kernel has no BTF that says it, or there
 * are no @types
 */
int task_layout__find(struct task_layout *l, struct kernel_types *types, struct err *err);

/**
 * Leaves a word of the current process's identity in r1; r0 to r5 are lost, w->tmp[@tmp] is used.
 * Start times are ns since boot.
 */
void task_code__identity(struct code *c, const struct task_layout *l, int which, int tmp);
/** The same for the tgid of the current task's parent. */
void task_code__ppid(struct code *c, const struct task_layout *l, int tmp);

#endif
