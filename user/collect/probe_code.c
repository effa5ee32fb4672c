// SPDX-License-Identifier: GPL-2.0-only
#include "../event/probe.h"
#include "probe_code.h"
#include "rebuild.h"

/* Registers of the hole MARK_REBUILD. */
#define R_CONTEXT R_REC
#define R_RECORD  R_WORK

/* r3 = register + index * scale + offset */
static void address(struct code *c, const struct probe_value *v)
{
	code__load(c, R3, R_CONTEXT, v->reg, 8);
	if (v->scale) {
		code__load(c, R1, R_CONTEXT, v->index, 8);
		code__alu_imm(c, BPF_MUL, R1, v->scale);
		code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R3, R1, 0, 0);
	}
	if (v->offset) {
		code__imm64(c, R1, v->offset);
		code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R3, R1, 0, 0);
	}
}

/* What cannot be read is 0: the helper clears it. */
static void read_memory(struct code *c, const struct probe_value *v, const struct field *f)
{
	address(c, v);
	code__mov(c, R1, R_RECORD);
	code__alu_imm(c, BPF_ADD, R1, f->offset);
	code__mov_imm(c, R2, f->size);
	code__helper(c,
		     v->from == PROBE_USER ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
}

static void make_value(struct code *c, const struct probe_value *v, const struct field *f)
{
	switch (v->from) {
	case PROBE_ARGUMENT:
		code__load(c, R1, R_CONTEXT, 8 * v->reg, 8);
		break;
	case PROBE_REGISTER:
		code__load(c, R1, R_CONTEXT, v->reg, 8);
		break;
	case PROBE_CONSTANT:
		code__imm64(c, R1, v->offset);
		break;
	default:
		read_memory(c, v, f);
		return;
	}
	code__store(c, R_RECORD, f->offset, R1, f->size);
}

void probe_code__record(const struct event *e, struct code *c)
{
	const struct event_format *f = e->format;
	size_t i;

	rebuild__clear_gaps(f, 0xffff, c);
	for (i = 0; i < f->nr_fields; i++)
		make_value(c, &f->probe->values[i], &f->fields[i]);
}
