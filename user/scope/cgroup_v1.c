// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "../base/guard.h"
#include "../base/kernel_types.h"
#include "cgroup_mounts.h"
#include "cgroup_v1.h"

/* What the kernel's enum calls a controller that the mount options call @opt. */
static const char *enum_name(const char *opt)
{
	return !strcmp(opt, "blkio") ? "io" : opt;
}

/* @return the value of `NAME_cgrp_id`; -1: no such controller */
static int subsystem(const struct btf *btf, const char *opt, size_t len)
{
	int id = btf__find_by_name_kind(btf, "cgroup_subsys_id", BTF_KIND_ENUM);
	const struct btf_type *t = id < 0 ? NULL : btf__type_by_id(btf, id);
	char wanted[80], name[64];
	int i;

	snprintf(name, sizeof(name), "%.*s", (int)len, opt);
	snprintf(wanted, sizeof(wanted), "%s_cgrp_id", enum_name(name));
	for (i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(t)[i].name_off), wanted))
			return btf_enum(t)[i].val;
	return -1;
}

int cgroup_v1__subsystem(const struct cgroup_mount *m, const char *dir, int *subsys,
			 struct err *err)
{
	_cleanup_(kernel_types__free) struct kernel_types types = {0};
	struct cgroup_layout layout;
	const char *opt = m->opts;
	int r = cgroup_layout__find(&layout, &types, err);

	if (r)
		return err__prefix(err, "--cgroup %s", dir);
	/* controllers of one hierarchy agree, so the first that is known will do */
	while (*opt) {
		size_t len = strcspn(opt, ",");

		*subsys = subsystem(types.btf, opt, len);
		if (*subsys >= 0)
			return 0;
		opt += len + (opt[len] == ',');
	}
	return err__set(
		err, EOPNOTSUPP,
		"--cgroup %s: a hierarchy without a controller (%s) cannot be reached from a "
		"task; use the cgroup2 path or that of a controller",
		dir, m->opts);
}

/* r0 = address of struct cgroup -> its ancestor's id, 0 if it is not that deep */
static void ancestor_id(struct code *c, const struct cgroup_layout *l, int level, int tmp)
{
	size_t jump;

	code__store(c, R_WORK, tmp + 8, R0, 8);
	code__read_kernel(c, l->level, 4, tmp);
	code__mov(c, R1, R0);
	code__mov_imm(c, R0, 0);
	jump = c->n;
	code__insn(c, BPF_JMP | BPF_JLT | BPF_K, R1, 0, 0, level);
	code__load(c, R0, R_WORK, tmp + 8, 8);
	code__read_kernel(c, l->ancestors + 8 * (u32)level, 8, tmp);
	if (!l->ancestors_are_ids) {
		code__read_kernel(c, l->kn, 8, tmp);
		code__read_kernel(c, l->kn_id, 8, tmp);
	}
	if (!c->err)
		c->insn[jump].off = (s16)(c->n - jump - 1);
}

void cgroup_v1__load_id(struct code *c, const struct cgroup_layout *l, int subsys, int level,
			int tmp)
{
	code__helper(c, BPF_FUNC_get_current_task);
	code__read_kernel(c, l->task_cgroups, 8, tmp);
	code__read_kernel(c, l->css_set_subsys + 8 * (u32)subsys, 8, tmp);
	code__read_kernel(c, l->css_cgroup, 8, tmp);
	if (level >= 0) {
		ancestor_id(c, l, level, tmp);
		return;
	}
	code__read_kernel(c, l->kn, 8, tmp);
	code__read_kernel(c, l->kn_id, 8, tmp);
}
