// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "../base/guard.h"
#include "cgroup_mounts.h"
#include "cgroup_v1.h"

/* Byte offsets in this kernel's structures. */
struct offsets {
	u32 task_cgroups, css_set_subsys, css_cgroup;
	u32 cgroup_level, cgroup_ancestors, cgroup_kn, kn_id;
	bool ancestors_are_ids; /* before 6.1: u64 ancestor_ids[] */
};

static void guard_btf(struct btf **btf)
{
	btf__free(*btf);
}

/* @return bits from the start of @type, looking into members without a name; -1: not there */
static long member_bits(const struct btf *btf, u32 type, const char *name)
{
	const struct btf_type *t = btf__type_by_id(btf, type);
	const struct btf_member *m = btf_members(t);
	int i;

	for (i = 0; i < btf_vlen(t); i++) {
		const char *is = btf__name_by_offset(btf, m[i].name_off);
		const struct btf_type *inner = btf__type_by_id(btf, m[i].type);
		long bits;

		if (!strcmp(is, name))
			return btf_member_bit_offset(t, i);
		if (*is || !btf_is_composite(inner))
			continue;
		bits = member_bits(btf, m[i].type, name);
		if (bits >= 0)
			return bits + btf_member_bit_offset(t, i);
	}
	return -1;
}

static bool find_offset(const struct btf *btf, const char *type, const char *name, u32 *off)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	long bits = id < 0 ? -1 : member_bits(btf, id, name);

	*off = (u32)(bits / 8);
	return bits >= 0;
}

static int load_btf(struct btf **btf, struct err *err)
{
	*btf = btf__load_vmlinux_btf();
	if (*btf)
		return 0;
	return err__set(err, EOPNOTSUPP,
			"cgroups of v1 controllers need the kernel's BTF "
			"(/sys/kernel/btf/vmlinux), which cannot be read: %s; use the cgroup2 path",
			strerror(errno));
}

static int find_offsets(struct offsets *o, struct err *err)
{
	_cleanup_(guard_btf) struct btf *btf = NULL;
	int r = load_btf(&btf, err);

	if (r)
		return r;
	o->ancestors_are_ids = !find_offset(btf, "cgroup", "ancestors", &o->cgroup_ancestors);
	if (find_offset(btf, "task_struct", "cgroups", &o->task_cgroups) &&
	    find_offset(btf, "css_set", "subsys", &o->css_set_subsys) &&
	    find_offset(btf, "cgroup_subsys_state", "cgroup", &o->css_cgroup) &&
	    find_offset(btf, "cgroup", "level", &o->cgroup_level) &&
	    find_offset(btf, "cgroup", "kn", &o->cgroup_kn) &&
	    find_offset(btf, "kernfs_node", "id", &o->kn_id) &&
	    (!o->ancestors_are_ids ||
	     find_offset(btf, "cgroup", "ancestor_ids", &o->cgroup_ancestors)))
		return 0;
	return err__set(err, EOPNOTSUPP,
			"cgroups of v1 controllers: this kernel's structures are "
			"not as expected; use the cgroup2 path");
}

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
	_cleanup_(guard_btf) struct btf *btf = NULL;
	const char *opt = m->opts;
	int r = load_btf(&btf, err);

	if (r)
		return err__prefix(err, "--cgroup %s", dir);
	/* controllers of one hierarchy agree, so the first that is known will do */
	while (*opt) {
		size_t len = strcspn(opt, ",");

		*subsys = subsystem(btf, opt, len);
		if (*subsys >= 0)
			return 0;
		opt += len + (opt[len] == ',');
	}
	return err__set(err, EOPNOTSUPP,
			"--cgroup %s: a hierarchy without a controller (%s) cannot be "
			"reached from a task; use the cgroup2 path or that of a controller",
			dir, m->opts);
}

/* r0 = *(size bytes at r0 + off); 0 where that cannot be read */
static void read_at(struct code *c, u32 off, int size, int tmp)
{
	code__mov(c, R3, R0);
	code__alu_imm(c, BPF_ADD, R3, (s32)off);
	code__mov_imm(c, R2, size);
	code__mov(c, R1, R_WORK);
	code__alu_imm(c, BPF_ADD, R1, tmp);
	code__helper(c, BPF_FUNC_probe_read_kernel);
	code__load(c, R0, R_WORK, tmp, size);
}

/* r0 = address of struct cgroup -> its ancestor's id, 0 if it is not that deep */
static void ancestor_id(struct code *c, const struct offsets *o, int level, int tmp)
{
	size_t jump;

	code__store(c, R_WORK, tmp + 8, R0, 8);
	read_at(c, o->cgroup_level, 4, tmp);
	code__mov(c, R1, R0);
	code__mov_imm(c, R0, 0);
	jump = c->n;
	code__insn(c, BPF_JMP | BPF_JLT | BPF_K, R1, 0, 0, level);
	code__load(c, R0, R_WORK, tmp + 8, 8);
	read_at(c, o->cgroup_ancestors + 8 * (u32)level, 8, tmp);
	if (!o->ancestors_are_ids) {
		read_at(c, o->cgroup_kn, 8, tmp);
		read_at(c, o->kn_id, 8, tmp);
	}
	if (!c->err)
		c->insn[jump].off = (s16)(c->n - jump - 1);
}

int cgroup_v1__load_id(struct code *c, int subsys, int level, int tmp, struct err *err)
{
	struct offsets o = {0};
	int r = find_offsets(&o, err);

	if (r)
		return r;
	code__helper(c, BPF_FUNC_get_current_task);
	read_at(c, o.task_cgroups, 8, tmp);
	read_at(c, o.css_set_subsys + 8 * (u32)subsys, 8, tmp);
	read_at(c, o.css_cgroup, 8, tmp);
	if (level >= 0) {
		ancestor_id(c, &o, level, tmp);
		return 0;
	}
	read_at(c, o.cgroup_kn, 8, tmp);
	read_at(c, o.kn_id, 8, tmp);
	return 0;
}
