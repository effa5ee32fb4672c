// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include "../base/kernel_types.h"
#include "task_code.h"
#include "bpf/record.h"
#include "bpf/template.h"

static bool find_all(struct task_layout *l, struct kernel_types *types)
{
	u32 size;
	const struct {
		const char *name, *old_name;
		u32 *offset, *size;
	} members[] = {
		{"group_leader", NULL, &l->group_leader, &size},
		{"real_parent", NULL, &l->real_parent, &size},
		{"tgid", NULL, &l->tgid, &size},
		/* renamed in 5.5 by cf25e24db61c ("time: Rename tsk->real_start_time ...") */
		{"start_boottime", "real_start_time", &l->start_boottime, &size},
		{"self_exec_id", NULL, &l->self_exec_id, &l->exec_id_size},
	};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (!kernel_types__member(types, "task_struct", members[i].name, members[i].offset,
					  members[i].size) &&
		    (!members[i].old_name ||
		     !kernel_types__member(types, "task_struct", members[i].old_name,
					   members[i].offset, members[i].size)))
			return false;
	return true;
}

int task_layout__find(struct task_layout *l, struct kernel_types *types, struct err *err)
{
	if (!l->known && types)
		l->known = find_all(l, types);
	if (l->known)
		return 0;
	return err__set(err, EOPNOTSUPP,
			"the kernel does not say where a task keeps its parent and start time (no "
			"BTF in /sys/kernel/btf/vmlinux)");
}

/* r1 = the @size bytes at r3 + @off */
static void read_member(struct code *c, u32 off, u32 size, int tmp)
{
	int at = (int)offsetof(struct work, tmp) + 8 * tmp;

	code__alu_imm(c, BPF_ADD, R3, (s32)off);
	code__mov(c, R1, R_WORK);
	code__alu_imm(c, BPF_ADD, R1, at);
	code__mov_imm(c, R2, (s32)size);
	code__helper(c, BPF_FUNC_probe_read_kernel);
	code__load(c, R1, R_WORK, at, (int)size);
}

static void current_task(struct code *c)
{
	code__helper(c, BPF_FUNC_get_current_task);
	code__mov(c, R3, R0);
}

void task_code__identity(struct code *c, const struct task_layout *l, int which, int tmp)
{
	if (which == TASK_TGID) {
		code__helper(c, BPF_FUNC_get_current_pid_tgid);
		code__mov(c, R1, R0);
		code__alu_imm(c, BPF_RSH, R1, 32);
		return;
	}
	current_task(c);
	read_member(c, l->group_leader, 8, tmp);
	code__mov(c, R3, R1);
	if (which == TASK_START_TIME)
		read_member(c, l->start_boottime, 8, tmp);
	else
		read_member(c, l->self_exec_id, l->exec_id_size, tmp);
}

void task_code__ppid(struct code *c, const struct task_layout *l, int tmp)
{
	current_task(c);
	read_member(c, l->real_parent, 8, tmp);
	code__mov(c, R3, R1);
	read_member(c, l->tgid, 4, tmp);
}
