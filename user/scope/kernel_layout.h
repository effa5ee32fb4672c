/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file kernel_layout.h - where the running kernel has what no helper tells: from its BTF.
 */
#ifndef TAMIS_SCOPE_KERNEL_LAYOUT_H
#define TAMIS_SCOPE_KERNEL_LAYOUT_H

#include "../base/err.h"
#include "../base/types.h"
#include "../filter/code.h"

struct kernel_types;

/** Offsets in bytes. */
struct cgroup_layout {
	u32 task_cgroups, css_set_subsys, css_cgroup;
	u32 level, ancestors, kn, kn_id;
	bool ancestors_are_ids; /**< before 6.1: u64 ancestor_ids[] */
};

struct pidns_layout {
	u32 task_pid, pid_level, pid_numbers, number_size, number_ns, ns_inum;
};

int cgroup_layout__find(struct cgroup_layout *l, struct kernel_types *types, struct err *err);
/** @return false: this kernel has no BTF that says it */
bool pidns_layout__find(struct pidns_layout *l, struct kernel_types *types);

/** r0 = *(@size bytes at r0 + @off), 0 where that cannot be read; 8 bytes at r7 + @tmp are used */
void code__read_kernel(struct code *c, u32 off, int size, int tmp);

#endif
