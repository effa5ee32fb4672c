// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/btf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "task_code.h"
#include "bpf/record.h"
#include "bpf/template.h"

/* Bit offset of a member, also one inside of unnamed structs and unions. -1: there is none */
static int find_member(const struct btf *btf, const struct btf_type *t, const char *name,
		       u32 *size)
{
	const struct btf_member *m = btf_members(t);

	for (u32 i = 0; i < btf_vlen(t); i++) {
		const char *is = btf__name_by_offset(btf, m[i].name_off);
		const struct btf_type *inner;
		int at;

		if (!strcmp(is, name)) {
			*size = (u32)btf__resolve_size(btf, m[i].type);
			return (int)btf_member_bit_offset(t, i);
		}
		if (*is)
			continue;
		inner = btf__type_by_id(btf, m[i].type);
		if (!btf_is_composite(inner))
			continue;
		at = find_member(btf, inner, name, size);
		if (at >= 0)
			return at + (int)btf_member_bit_offset(t, i);
	}
	return -1;
}

static int find_all(struct task_layout *l, const struct btf *btf, const struct btf_type *task)
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

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		int at = find_member(btf, task, members[i].name, members[i].size);

		if (at < 0 && members[i].old_name)
			at = find_member(btf, task, members[i].old_name, members[i].size);
		if (at < 0)
			return -ENOENT;
		*members[i].offset = (u32)at / 8;
	}
	l->known = true;
	return 0;
}

int task_layout__find(struct task_layout *l, struct err *err)
{
	struct btf *btf;
	s32 id;
	int ret = -ENOENT;

	if (l->known)
		return 0;
	btf = btf__load_vmlinux_btf();
	if (btf) {
		id = btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT);
		if (id > 0)
			ret = find_all(l, btf, btf__type_by_id(btf, id));
		btf__free(btf);
	}
	if (!ret)
		return 0;
	return err__set(err, EOPNOTSUPP,
			"the kernel does not say where a task keeps its parent and start time (no BTF in /sys/kernel/btf/vmlinux)");
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
