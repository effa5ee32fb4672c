// SPDX-License-Identifier: GPL-2.0-only
/* code_cgroups.c - is the current task in one of the cgroups, or below? */
#include <stddef.h>
#include "../base/types.h"
#include "bpf/record.h"
#include "bpf/template.h"
#include "cgroup_v1.h"
#include "code_parts.h"
#include "kernel.h"

#define COMPARED_MAX 4 /* ids compared one by one; more are looked up */

/* Cgroups that one ancestor's id tells: the same hierarchy, the same depth. */
static bool same_group(const struct scope *s, size_t a, size_t b)
{
	return s->cgroups[a].v1 == s->cgroups[b].v1 &&
	       (s->exact || s->cgroups[a].level == s->cgroups[b].level);
}

static bool first_of_group(const struct scope *s, size_t i)
{
	size_t j;

	for (j = 0; j < i; j++)
		if (same_group(s, i, j))
			return false;
	return true;
}

static size_t group_size(const struct scope *s, size_t i)
{
	size_t j, n = 0;

	for (j = i; j < s->nr_cgroups; j++)
		n += same_group(s, i, j);
	return n;
}

/* r0 = id of the current task's cgroup, or of its ancestor on the level in question */
static void load_id(struct code *c, const struct scope *s, const struct scope_cgroup *cg)
{
	if (cg->v1 >= 0) {
		cgroup_v1__load_id(c, &s->kernel->cgroup_layout, cg->v1, s->exact ? -1 : cg->level,
				   SCOPE_TMP);
		return;
	}
	if (!s->exact)
		code__mov_imm(c, R1, cg->level);
	code__helper(c, s->exact ? BPF_FUNC_get_current_cgroup_id
				 : BPF_FUNC_get_current_ancestor_cgroup_id);
}

static void match_group(struct code *c, const struct scope *s, size_t first, struct jumps *in)
{
	size_t i;

	if (group_size(s, first) > COMPARED_MAX) {
		code__imm64(c, R1, cgroup__key(&s->cgroups[first]) ^ s->cgroups[first].id);
		code__insn(c, BPF_ALU64 | BPF_XOR | BPF_X, R0, R1, 0, 0);
		code__store(c, R_WORK, SCOPE_TMP, R0, 8);
		work_address(c, R2);
		code__map_fd(c, R1, s->kernel->cgroups_fd);
		code__helper(c, BPF_FUNC_map_lookup_elem);
		jump_imm(c, in, BPF_JNE, R0, 0);
		return;
	}
	for (i = first; i < s->nr_cgroups; i++) {
		if (!same_group(s, first, i))
			continue;
		code__imm64(c, R1, s->cgroups[i].id);
		jump_reg(c, in, BPF_JEQ, R0, R1);
	}
}

/* Every task is below a root. */
static bool holds_all(const struct scope *s)
{
	size_t i;

	for (i = 0; !s->exact && i < s->nr_cgroups; i++)
		if (!s->cgroups[i].level)
			return true;
	return false;
}

void check_cgroups(struct code *c, const struct scope *s)
{
	struct jumps in = {0};
	size_t i;

	if (holds_all(s))
		return;
	for (i = 0; i < s->nr_cgroups; i++) {
		if (!first_of_group(s, i))
			continue;
		load_id(c, s, &s->cgroups[i]);
		match_group(c, s, i, &in);
	}
	code__leave(c);
	jumps__land(c, &in);
}
