/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file code.h - BPF instructions for one hole of the template, before it is known where they go.
 *
 * Contract of a hole (bpf/template.h): r6 the record, r7 struct work, r0 to r5 free; a rejecting
 * jump leaves with r0 = 0 to the hole's end, falling through leaves with what is in r0.
 * Errors stick: check code->err once, after the last call.
 */
#ifndef TAMIS_FILTER_CODE_H
#define TAMIS_FILTER_CODE_H

#include <linux/bpf.h>
#include "../base/types.h"

enum { R0, R1, R2, R3, R4, R5, R_REC, R_WORK };

struct code_call {
	int at;
	u32 fn; /**< FN_* of bpf/template.h */
};

struct code {
	struct bpf_insn *insn; /**< owned */
	size_t n, room;
	int *rejects; /**< instructions that jump to the hole's end; owned */
	size_t nr_rejects, rejects_room;
	struct code_call *calls; /**< owned; offsets are filled in when the hole is */
	size_t nr_calls, calls_room;
	int err; /**< 0 or -errno */
};

void code__free(struct code *c);

void code__insn(struct code *c, u8 op, u8 dst, u8 src, int off, int imm);
void code__imm64(struct code *c, int reg, u64 v);
void code__mov(struct code *c, int dst, int src);
void code__mov_imm(struct code *c, int dst, s32 imm);
/** ALU64 with an immediate: BPF_ADD, BPF_RSH, ... */
void code__alu_imm(struct code *c, int op, int dst, s32 imm);
void code__load(struct code *c, int dst, int base, int off, int size);
void code__store(struct code *c, int base, int off, int src, int size);
void code__map_fd(struct code *c, int reg, int fd);
/** The widest piece, 8, 4, 2 or 1 bytes, that is aligned at @at and no more than @left bytes. */
u32 code__piece(u32 at, u32 left);
/** What the start of the interval kept: the @word-th word of keep=, from 1. */
void code__kept(struct code *c, int reg, int word);
/** Where that is, from R_WORK. */
int code__kept_at(int word);
/** Address of byte @off of the only element of the array map @fd. */
void code__map_value(struct code *c, int reg, int fd, int off);
void code__helper(struct code *c, int func);
/** Calls a function of the template: r1 to r5 are its arguments. */
void code__call(struct code *c, u32 fn);
/** Jump to the hole's end if @reg @op @value; r5 is lost where value needs 64 bits. r0 must be 0.
 */
void code__reject(struct code *c, int op, int reg, s64 value);
/** r0 = 1 */
void code__accept(struct code *c);

#endif
