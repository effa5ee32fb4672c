// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include "../base/array.h"
#include "bpf/record.h"
#include "bpf/template.h"
#include "code_parts.h"

static void add(struct code *c, struct jumps *j)
{
	if (j->n == (int)ARRAY_SIZE(j->at))
		c->err = -E2BIG;
	else
		j->at[j->n++] = (int)c->n;
}

void jump_imm(struct code *c, struct jumps *j, int op, int reg, s32 imm)
{
	add(c, j);
	code__insn(c, BPF_JMP | op | BPF_K, reg, 0, 0, imm);
}

void jump_reg(struct code *c, struct jumps *j, int op, int a, int b)
{
	add(c, j);
	code__insn(c, BPF_JMP | op | BPF_X, a, b, 0, 0);
}

void jumps__land(struct code *c, struct jumps *j)
{
	int i;

	for (i = 0; !c->err && i < j->n; i++)
		c->insn[j->at[i]].off = (s16)((int)c->n - j->at[i] - 1);
	j->n = 0;
}

void code__leave(struct code *c)
{
	code__mov_imm(c, R0, SCOPE_OUT);
	if (!c->err)
		c->err = array__push(c->rejects, c->nr_rejects, c->rejects_room, (int)c->n);
	code__insn(c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
}

void code__reject_reg(struct code *c, int op, int a, int b)
{
	if (!c->err)
		c->err = array__push(c->rejects, c->nr_rejects, c->rejects_room, (int)c->n);
	code__insn(c, BPF_JMP | op | BPF_X, a, b, 0, 0);
}

void work_address(struct code *c, int reg)
{
	code__mov(c, reg, R_WORK);
	code__alu_imm(c, BPF_ADD, reg, SCOPE_TMP);
}

void current_ids_in(struct code *c, u64 dev, u64 ino)
{
	code__imm64(c, R1, dev);
	code__imm64(c, R2, ino);
	work_address(c, R3);
	code__mov_imm(c, R4, sizeof(struct bpf_pidns_info));
	code__helper(c, BPF_FUNC_get_ns_current_pid_tgid);
}
