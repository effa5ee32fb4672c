// SPDX-License-Identifier: GPL-2.0-only
/* code_tasks.c - is the current task one of -p, -t, the workload, or followed from them? */
#include "../base/types.h"
#include "bpf/follow.h"
#include "bpf/record.h"
#include "bpf/template.h"
#include "code_parts.h"
#include "follow.h"
#include "kernel.h"

/* r1 = the current process (or thread) as the kernel numbers it */
static void current_id(struct code *c, bool by_thread)
{
	code__helper(c, BPF_FUNC_get_current_pid_tgid);
	if (by_thread) {
		code__insn(c, BPF_ALU | BPF_MOV | BPF_X, R1, R0, 0, 0);
	} else {
		code__mov(c, R1, R0);
		code__alu_imm(c, BPF_RSH, R1, 32);
	}
}

/* r0 = value of the key at SCOPE_TMP, or 0 */
static void lookup(struct code *c, int map)
{
	work_address(c, R2);
	code__map_fd(c, R1, map);
	code__helper(c, BPF_FUNC_map_lookup_elem);
}

/* Jumps to @in if r1 is one of the seeds of a namespace. */
static void match_seeds(struct code *c, const struct scope_kernel *k, u32 ns, struct jumps *in)
{
	size_t i;

	if (k->slots_fd < 0) {
		code__store(c, R_WORK, SCOPE_TMP, R1, 4);
		code__mov_imm(c, R1, (s32)(seed__key(k, ns, 0) >> 32));
		code__store(c, R_WORK, SCOPE_TMP + 4, R1, 4);
		lookup(c, k->seeds_fd);
		jump_imm(c, in, BPF_JNE, R0, 0);
		return;
	}
	code__map_value(c, R2, k->slots_fd, 0);
	for (i = 0; i < k->nr_seeds; i++) {
		if (k->nr_namespaces && k->seeds[i].ns != ns)
			continue;
		code__load(c, R3, R2, 4 * (int)i, 4);
		jump_reg(c, in, BPF_JEQ, R3, R1);
	}
}

static void match_namespaces(struct code *c, const struct scope_kernel *k, struct jumps *in)
{
	struct jumps next = {0};
	u32 ns;

	for (ns = 0; ns < k->nr_namespaces; ns++) {
		current_ids_in(c, k->namespaces[ns].dev, k->namespaces[ns].ino);
		jump_imm(c, &next, BPF_JNE, R0, 0);
		/* struct bpf_pidns_info: the thread, then the process */
		code__load(c, R1, R_WORK, SCOPE_TMP + (k->by_thread ? 0 : 4), 4);
		match_seeds(c, k, ns, in);
		jumps__land(c, &next);
	}
}

static void match_followed(struct code *c, const struct scope_kernel *k, struct jumps *in)
{
	struct jumps out = {0};

	current_id(c, k->by_thread);
	code__store(c, R_WORK, SCOPE_TMP, R1, 4);
	lookup(c, follow__set_fd(k->follow));
	jump_imm(c, &out, BPF_JEQ, R0, 0);
	code__load(c, R0, R0, offsetof(struct followed, followed), 4);
	jump_imm(c, in, BPF_JNE, R0, 0);
	jumps__land(c, &out);
}

void check_tasks(struct code *c, const struct scope_kernel *k)
{
	struct jumps in = {0};

	if (k->nr_namespaces) {
		match_namespaces(c, k, &in);
	} else if (!k->follow) {
		current_id(c, k->by_thread);
		match_seeds(c, k, 0, &in);
	}
	/* the set holds the seeds too, unless they are of another namespace */
	if (k->follow)
		match_followed(c, k, &in);
	code__leave(c);
	jumps__land(c, &in);
}
