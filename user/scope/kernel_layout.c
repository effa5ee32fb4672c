// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include "../base/kernel_types.h"
#include "kernel_layout.h"

static bool offset(struct kernel_types *types, const char *type, const char *path, u32 *off)
{
	u32 size;

	return kernel_types__member(types, type, path, off, &size);
}

int cgroup_layout__find(struct cgroup_layout *l, struct kernel_types *types, struct err *err)
{
	l->ancestors_are_ids = !offset(types, "cgroup", "ancestors", &l->ancestors);
	if (offset(types, "task_struct", "cgroups", &l->task_cgroups) &&
	    offset(types, "css_set", "subsys", &l->css_set_subsys) &&
	    offset(types, "cgroup_subsys_state", "cgroup", &l->css_cgroup) &&
	    offset(types, "cgroup", "level", &l->level) && offset(types, "cgroup", "kn", &l->kn) &&
	    offset(types, "kernfs_node", "id", &l->kn_id) &&
	    (!l->ancestors_are_ids || offset(types, "cgroup", "ancestor_ids", &l->ancestors)))
		return 0;
	return err__set(
		err, EOPNOTSUPP,
		types->btf ? "cgroups of v1 controllers: this kernel's structures are not as "
			     "expected; use the cgroup2 path"
			   : "cgroups of v1 controllers need the kernel's BTF "
			     "(/sys/kernel/btf/vmlinux), which cannot be read; use the cgroup2 "
			     "path");
}

bool pidns_layout__find(struct pidns_layout *l, struct kernel_types *types)
{
	l->number_size = kernel_types__size(types, "upid");
	return l->number_size && offset(types, "task_struct", "thread_pid", &l->task_pid) &&
	       offset(types, "pid", "level", &l->pid_level) &&
	       offset(types, "pid", "numbers", &l->pid_numbers) &&
	       offset(types, "upid", "ns", &l->number_ns) &&
	       offset(types, "pid_namespace", "ns.inum", &l->ns_inum);
}

void code__read_kernel(struct code *c, u32 off, int size, int tmp)
{
	code__mov(c, R3, R0);
	code__alu_imm(c, BPF_ADD, R3, (s32)off);
	code__mov_imm(c, R2, size);
	code__mov(c, R1, R_WORK);
	code__alu_imm(c, BPF_ADD, R1, tmp);
	code__helper(c, BPF_FUNC_probe_read_kernel);
	code__load(c, R0, R_WORK, tmp, size);
}
