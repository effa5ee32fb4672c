// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "stencil.h"

#define LD_IMM64 (BPF_LD | BPF_IMM | BPF_DW)
#define MOV_IMM	 (BPF_ALU64 | BPF_MOV | BPF_K)
#define NOP	 (BPF_JMP | BPF_JA) /* with offset 0 */

#define MARK_BASE      0x5eed0000u
#define CLASS_HOLE     0x0000u
#define CLASS_IMM      0x0100u
#define CLASS_FUNCTION 0x0200u

static bool is_mark(const struct bpf_insn *in)
{
	return in->code == MOV_IMM && ((u32)in->imm & 0xffff0000u) == MARK_BASE;
}

static bool is_call(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL;
}

const struct stencil_hole *stencil__hole(const struct stencil *s, u32 mark)
{
	size_t i;

	for (i = 0; i < s->nr_holes; i++)
		if (s->holes[i].mark == mark)
			return &s->holes[i];
	return NULL;
}

bool stencil__has_imm(const struct stencil *s, u32 mark)
{
	size_t i;

	for (i = 0; i < s->nr_imms; i++)
		if (s->imms[i].mark == mark)
			return true;
	return false;
}

int stencil__function(const struct stencil *s, u32 mark)
{
	size_t i;

	for (i = 0; i < s->nr_functions; i++)
		if (s->functions[i].mark == mark)
			return s->functions[i].at;
	return -1;
}

/* "r0 = MARK; r0 = 1; goto +0 ..." */
static int add_hole(struct stencil *s, size_t at, struct err *err)
{
	struct stencil_hole h = {.mark = s->insn[at].imm, .first = at + 2};

	if (stencil__hole(s, h.mark))
		return err__set(err, EINVAL, "template: hole %#x occurs twice", h.mark);
	while ((size_t)(h.first + h.room) < s->n && s->insn[h.first + h.room].code == NOP &&
	       s->insn[h.first + h.room].off == 0)
		h.room++;
	return array__push(s->holes, s->nr_holes, s->holes_room, h);
}

/* "rX = MARK; rX = 0" */
static int add_imm(struct stencil *s, size_t at, struct err *err)
{
	struct stencil_place p = {.mark = s->insn[at].imm, .at = at + 1};

	if (at + 1 >= s->n || s->insn[at + 1].code != MOV_IMM)
		return err__set(err, EINVAL, "template: no immediate behind mark %#x", p.mark);
	return array__push(s->imms, s->nr_imms, s->imms_room, p);
}

/* The mark may sit a few instructions in: the function begins at the last target before it. */
static int add_function(struct stencil *s, size_t at, struct err *err)
{
	struct stencil_place p = {.mark = s->insn[at].imm, .at = -1};
	size_t i;
	int target;

	if (stencil__function(s, p.mark) >= 0)
		return err__set(err, EINVAL, "template: function %#x occurs twice", p.mark);
	for (i = 0; i < s->n; i++) {
		if (!is_call(&s->insn[i]))
			continue;
		target = i + 1 + s->insn[i].imm;
		if (target <= (int)at && target > p.at)
			p.at = target;
	}
	if (p.at < 0)
		return err__set(err, EINVAL, "template: nothing calls function %#x", p.mark);
	return array__push(s->functions, s->nr_functions, s->functions_room, p);
}

static int add_mark(struct stencil *s, size_t at, struct err *err)
{
	switch ((u32)s->insn[at].imm & 0xff00u) {
	case CLASS_HOLE:
		return add_hole(s, at, err);
	case CLASS_IMM:
		return add_imm(s, at, err);
	case CLASS_FUNCTION:
		return add_function(s, at, err);
	default:
		return err__set(err, EINVAL, "template: unknown mark %#x", s->insn[at].imm);
	}
}

static int add_map(struct stencil *s, size_t at)
{
	struct stencil_map m = {.at = at, .fd = s->insn[at].imm};

	if (s->insn[at].src_reg != BPF_PSEUDO_MAP_FD && s->insn[at].src_reg != BPF_PSEUDO_MAP_VALUE)
		return 0;
	return array__push(s->maps, s->nr_maps, s->maps_room, m);
}

static int find_marks(struct stencil *s, struct err *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i + 1 < s->n && !ret; i++) {
		if (s->insn[i].code == LD_IMM64)
			ret = add_map(s, i++); /* the second half is no instruction */
		else if (is_mark(&s->insn[i]))
			ret = add_mark(s, i, err);
	}
	return ret;
}

int stencil__init(struct stencil *s, const struct bpf_insn *insn, size_t n, struct err *err)
{
	int ret;

	*s = (struct stencil){.n = n};
	s->insn = malloc(n * sizeof(*insn));
	if (!s->insn)
		return err__set(err, ENOMEM, "out of memory for a BPF program");
	memcpy(s->insn, insn, n * sizeof(*insn));
	ret = find_marks(s, err);
	if (ret) {
		stencil__free(s);
		return err__set(err, -ret, "out of memory for a BPF program");
	}
	return 0;
}

void stencil__free(struct stencil *s)
{
	free(s->insn);
	free(s->holes);
	free(s->imms);
	free(s->functions);
	free(s->maps);
	*s = (struct stencil){0};
}
