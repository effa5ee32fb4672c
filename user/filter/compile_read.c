// SPDX-License-Identifier: GPL-2.0-only
/* compile_read.c - values that are read: fields, elements of arrays, operands. */
#include <errno.h>
#include <string.h>
#include "compiler.h"

/* --- what is read from the record --- */

static bool is_direct(const struct compiler *cp, u32 off, u32 size)
{
	/* the first 8 bytes of the context are the kernel's; a load must not pass the static size
	 */
	return off >= 8 && off % size == 0 && off + size <= cp->static_size;
}

bool compiler__load_calls(const struct compiler *cp, u32 off, u32 size)
{
	return !is_direct(cp, off, size);
}

/* r1 = address of w->tmp[slot], r2 = size, r3 = address: bpf_probe_read_kernel */
static void probe_read(struct compiler *cp, int slot, u32 size)
{
	struct code *c = cp->c;

	if (cp->dead)
		return;
	code__mov(c, R1, R_WORK);
	code__alu_imm(c, BPF_ADD, R1, TMP(slot));
	code__mov_imm(c, R2, size);
	code__helper(c, BPF_FUNC_probe_read_kernel);
}

static void sign(struct compiler *cp, int reg, u32 size, bool is_signed)
{
	if (is_signed && size < 8)
		compiler__canonical(cp, reg, 8 * size, true);
}

void compiler__load(struct compiler *cp, int reg, u32 off, u32 size, bool is_signed)
{
	struct code *c = cp->c;

	if (is_direct(cp, off, size)) {
		EMIT(cp, code__load(c, reg, R_REC, off, size));
	} else if (compiler__push(cp, 1)) {
		EMIT(cp, code__mov(c, R3, R_REC));
		EMIT(cp, code__alu_imm(c, BPF_ADD, R3, off));
		probe_read(cp, cp->tmp - 1, size);
		EMIT(cp, code__load(c, reg, R_WORK, TMP(cp->tmp - 1), size));
		cp->tmp--;
	}
	sign(cp, reg, size, is_signed);
}

static void load_common(struct compiler *cp, const struct expr *e, int reg)
{
	struct code *c = cp->c;

	if (!strcmp(e->field->name, "common_type")) {
		compiler__const(cp, reg, cp->event->format->id);
	} else if (!strcmp(e->field->name, "common_pid")) {
		EMIT(cp, code__helper(c, BPF_FUNC_get_current_pid_tgid));
		EMIT(cp, code__mov(c, reg, R0));
		compiler__canonical(cp, reg, 32, true);
	} else {
		compiler__refuse(cp, e, EOPNOTSUPP,
				 "%s is known to the perf transport only: transport=perf",
				 e->field->name);
	}
}

static bool is_common(const struct field *f)
{
	return f->where == FIELD_STATIC && f->offset < 8 && !strncmp(f->name, "common_", 7);
}

static void load_field(struct compiler *cp, const struct expr *e, int reg)
{
	const struct field *f = e->field;

	if (is_common(f))
		load_common(cp, e, reg);
	else if (f->kept)
		EMIT(cp, code__kept(cp->c, reg, f->kept));
	else if (f->where == FIELD_VALUE)
		compiler__refuse(cp, e, EOPNOTSUPP, "%s is not known in the kernel's program",
				 f->name);
	else
		compiler__load(cp, reg, f->offset, f->where == FIELD_USER_TEXT ? 8 : f->size,
			       f->kind == FIELD_INT && f->is_signed);
}

/* --- elements of arrays --- */

/* The index is in r1. Leaves in r3 where the element is; an index outside jumps to @none. */
static void element_address(struct compiler *cp, const struct field *f, label_t none)
{
	struct code *c = cp->c;
	u32 behind = f->where == FIELD_REL_LOC ? f->offset + 4 : 0;

	if (f->where == FIELD_STATIC) {
		compiler__jump(cp, BPF_JGE, R1, f->size / f->elem_size, none);
		EMIT(cp, code__alu_imm(c, BPF_MUL, R1, f->elem_size));
		EMIT(cp, code__alu_imm(c, BPF_ADD, R1, f->offset));
	} else {
		compiler__jump(cp, BPF_JGT, R1, 0xffff, none);
		EMIT(cp, code__load(c, R2, R_REC, f->offset, 4));
		EMIT(cp, code__mov(c, R3, R2));
		EMIT(cp, code__alu_imm(c, BPF_RSH, R3, 16));
		EMIT(cp, code__alu_imm(c, BPF_DIV, R3, f->elem_size));
		compiler__jump_reg(cp, BPF_JGE, R1, R3, none);
		EMIT(cp, code__alu_imm(c, BPF_AND, R2, 0xffff));
		EMIT(cp, code__alu_imm(c, BPF_MUL, R1, f->elem_size));
		EMIT(cp, code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R1, R2, 0, 0));
		if (behind)
			EMIT(cp, code__alu_imm(c, BPF_ADD, R1, behind));
	}
	EMIT(cp, code__mov(c, R3, R_REC));
	EMIT(cp, code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R3, R1, 0, 0));
}

static void load_element(struct compiler *cp, const struct expr *e, int d, label_t unknown)
{
	const struct field *f = e->field;
	label_t none, done;

	if (e->a->op == EXPR_NUM && f->where == FIELD_STATIC) {
		compiler__load(cp, d, f->offset + e->a->num * f->elem_size, f->elem_size,
			       f->is_signed);
		return;
	}
	none = compiler__label(cp);
	done = compiler__label(cp);
	compiler__value(cp, e->a, R1, unknown);
	if (!compiler__push(cp, 1))
		return;
	element_address(cp, f, none);
	probe_read(cp, cp->tmp - 1, f->elem_size);
	EMIT(cp, code__load(cp->c, d, R_WORK, TMP(cp->tmp - 1), f->elem_size));
	sign(cp, d, f->elem_size, f->is_signed);
	compiler__goto(cp, done);
	compiler__bind(cp, none);
	compiler__const(cp, d, 0);
	compiler__bind(cp, done);
	cp->tmp--;
}

/* --- operands --- */

/* Numbers as tamis's own pid namespace has them; 0 for a task that is not visible there. */
static void load_ns_pid(struct compiler *cp, int reg, bool tgid)
{
	struct code *c = cp->c;

	if (!compiler__push(cp, 1))
		return;
	if (!cp->dead) {
		code__imm64(c, R1, cp->env->ns_dev);
		code__imm64(c, R2, cp->env->ns_ino);
		code__mov(c, R3, R_WORK);
		code__alu_imm(c, BPF_ADD, R3, TMP(cp->tmp - 1));
		code__mov_imm(c, R4, 8);
		code__helper(c, BPF_FUNC_get_ns_current_pid_tgid);
		code__load(c, reg, R_WORK, TMP(cp->tmp - 1) + (tgid ? 4 : 0), 4);
	}
	cp->tmp--;
}

static void load_pid(struct compiler *cp, int reg, bool tgid)
{
	struct code *c = cp->c;

	if (cp->env->ns_ino) {
		load_ns_pid(cp, reg, tgid);
		return;
	}
	if (cp->dead)
		return;
	code__helper(c, BPF_FUNC_get_current_pid_tgid);
	code__mov(c, reg, R0);
	if (tgid)
		code__alu_imm(c, BPF_RSH, reg, 32);
	else
		compiler__canonical(cp, reg, 32, false);
}

static void load_ppid(struct compiler *cp, int reg)
{
	if (task_layout__find(&cp->env->task, cp->env->types, cp->err) || !compiler__push(cp, 1))
		return;
	EMIT(cp, task_code__ppid(cp->c, &cp->env->task, cp->tmp - 1));
	if (reg != R1)
		EMIT(cp, code__mov(cp->c, reg, R1));
	cp->tmp--;
}

static void load_helper(struct compiler *cp, int reg, int helper)
{
	EMIT(cp, code__helper(cp->c, helper));
	EMIT(cp, code__mov(cp->c, reg, R0));
}

static void load_operand(struct compiler *cp, const struct expr *e, int reg)
{
	switch (e->operand) {
	case OPERAND_PID:
	case OPERAND_TID:
		load_pid(cp, reg, e->operand == OPERAND_PID);
		return;
	case OPERAND_CPU:
		load_helper(cp, reg, BPF_FUNC_get_smp_processor_id);
		return;
	case OPERAND_TIME:
		load_helper(cp, reg, BPF_FUNC_ktime_get_ns);
		return;
	case OPERAND_UID:
		load_helper(cp, reg, BPF_FUNC_get_current_uid_gid);
		compiler__canonical(cp, reg, 32, false);
		return;
	case OPERAND_CGROUP:
		load_helper(cp, reg, BPF_FUNC_get_current_cgroup_id);
		return;
	case OPERAND_PPID:
		load_ppid(cp, reg);
		return;
	case OPERAND_LATENCY:
		EMIT(cp, code__load(cp->c, reg, R_WORK, offsetof(struct work, latency), 8));
		return;
	default:
		compiler__refuse(cp, e, EOPNOTSUPP, "this cannot be read in the kernel's program");
	}
}

/* --- what calls --- */

static bool leaf_calls(const struct compiler *cp, const struct expr *e)
{
	const struct field *f = e->field;

	switch (e->op) {
	case EXPR_NUM:
		return false;
	case EXPR_OPERAND:
		return e->operand != OPERAND_LATENCY;
	case EXPR_FIELD:
		if (f->where == FIELD_VALUE)
			return false;
		return is_common(f)
			       ? strcmp(f->name, "common_type")
			       : compiler__load_calls(cp, f->offset,
						      f->where == FIELD_USER_TEXT ? 8 : f->size);
	case EXPR_ELEM:
		return e->a->op != EXPR_NUM || f->where != FIELD_STATIC ||
		       compiler__load_calls(cp, f->offset + e->a->num * f->elem_size, f->elem_size);
	default:
		return true; /* text and masks */
	}
}

static bool is_leaf(const struct expr *e)
{
	return e->op <= EXPR_MASK;
}

bool compiler__calls(const struct compiler *cp, const struct expr *e)
{
	if (!e)
		return false;
	if (is_leaf(e))
		return leaf_calls(cp, e);
	return compiler__calls(cp, e->a) || compiler__calls(cp, e->b) || compiler__calls(cp, e->c);
}

/* --- any of them --- */

void compiler__read(struct compiler *cp, const struct expr *e, int d, label_t unknown)
{
	switch (e->op) {
	case EXPR_FIELD:
		load_field(cp, e, d);
		return;
	case EXPR_ELEM:
		load_element(cp, e, d, unknown);
		return;
	default:
		load_operand(cp, e, d);
	}
}
