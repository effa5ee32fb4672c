// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include "../base/array.h"
#include "code.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

void code__free(struct code *c)
{
	free(c->insn);
	free(c->rejects);
	free(c->calls);
	*c = (struct code){0};
}

void code__insn(struct code *c, u8 op, u8 dst, u8 src, int off, int imm)
{
	struct bpf_insn in = {
		.code = op,
		.dst_reg = dst,
		.src_reg = src,
		.off = off,
		.imm = imm,
	};

	if (!c->err)
		c->err = array__push(c->insn, c->n, c->room, in);
}

void code__imm64(struct code *c, int reg, u64 v)
{
	code__insn(c, BPF_LD | BPF_IMM | BPF_DW, reg, 0, 0, (s32)v);
	code__insn(c, 0, 0, 0, 0, (s32)(v >> 32));
}

void code__mov(struct code *c, int dst, int src)
{
	code__insn(c, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

void code__mov_imm(struct code *c, int dst, s32 imm)
{
	code__insn(c, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

void code__alu_imm(struct code *c, int op, int dst, s32 imm)
{
	code__insn(c, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm);
}

static int width(int size)
{
	return size == 8 ? BPF_DW : size == 4 ? BPF_W : size == 2 ? BPF_H : BPF_B;
}

void code__load(struct code *c, int dst, int base, int off, int size)
{
	code__insn(c, BPF_LDX | BPF_MEM | width(size), dst, base, off, 0);
}

void code__store(struct code *c, int base, int off, int src, int size)
{
	code__insn(c, BPF_STX | BPF_MEM | width(size), base, src, off, 0);
}

u32 code__piece(u32 at, u32 left)
{
	u32 step = 8;

	while (at % step || step > left)
		step /= 2;
	return step;
}

int code__kept_at(int word)
{
	return (int)offsetof(struct work, start.keep) + 8 * (word - 1);
}

void code__kept(struct code *c, int reg, int word)
{
	code__load(c, reg, R_WORK, code__kept_at(word), 8);
}

void code__map_fd(struct code *c, int reg, int fd)
{
	code__insn(c, BPF_LD | BPF_IMM | BPF_DW, reg, BPF_PSEUDO_MAP_FD, 0, fd);
	code__insn(c, 0, 0, 0, 0, 0);
}

void code__map_value(struct code *c, int reg, int fd, int off)
{
	code__insn(c, BPF_LD | BPF_IMM | BPF_DW, reg, BPF_PSEUDO_MAP_VALUE, 0, fd);
	code__insn(c, 0, 0, 0, 0, off);
}

void code__helper(struct code *c, int func)
{
	code__insn(c, BPF_JMP | BPF_CALL, 0, 0, 0, func);
}

void code__call(struct code *c, u32 fn)
{
	struct code_call call = {.at = (int)c->n, .fn = fn};

	if (!c->err)
		c->err = array__push(c->calls, c->nr_calls, c->calls_room, call);
	code__insn(c, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0);
}

void code__reject(struct code *c, int op, int reg, s64 value)
{
	bool wide = value != (s32)value;

	if (wide)
		code__imm64(c, R5, value);
	if (!c->err)
		c->err = array__push(c->rejects, c->nr_rejects, c->rejects_room, (int)c->n);
	/* with BPF_X the verifier wants imm 0 */
	code__insn(c, BPF_JMP | op | (wide ? BPF_X : BPF_K), reg, wide ? R5 : 0, 0,
		   wide ? 0 : (s32)value);
}

void code__accept(struct code *c)
{
	code__mov_imm(c, R0, 1);
}
