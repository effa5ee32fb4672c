// SPDX-License-Identifier: GPL-2.0-only
/*
 * compile_int.c - values: what is read, and arithmetic.
 */
#include <errno.h>
#include <string.h>
#include "compiler.h"

#define LAST_REG R4

/* --- what is read from the record --- */

static bool is_direct(const struct compiler *cp, u32 off, u32 size)
{
	/* the first 8 bytes of the context are the kernel's; a load must not pass the static size */
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
		compiler__refuse(cp, e, EOPNOTSUPP, "%s is known to the perf transport only: transport=perf",
				 e->field->name);
	}
}

static bool is_common(const struct field *f)
{
	return f->where == FIELD_STATIC && f->offset < 8 && !strncmp(f->name, "common_", 7);
}

/* A field that the start kept: they are in its record in the order of keep=. */
static void load_kept(struct compiler *cp, const struct expr *e, int reg)
{
	int at = (int)offsetof(struct work, start.keep);

	for (const struct field *f = cp->event->fields; f < e->field; f++)
		if (f->where == FIELD_VALUE && !strncmp(f->name, "start.", 6))
			at += 8;
	EMIT(cp, code__load(cp->c, reg, R_WORK, at, 8));
}

static void load_field(struct compiler *cp, const struct expr *e, int reg)
{
	const struct field *f = e->field;

	if (is_common(f))
		load_common(cp, e, reg);
	else if (f->where == FIELD_VALUE && !strncmp(f->name, "start.", 6))
		load_kept(cp, e, reg);
	else if (f->where == FIELD_VALUE)
		compiler__refuse(cp, e, EOPNOTSUPP, "%s is not known in the kernel's program", f->name);
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
		compiler__load(cp, d, f->offset + e->a->num * f->elem_size, f->elem_size, f->is_signed);
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
	case EXPR_NUM: return false;
	case EXPR_OPERAND: return e->operand != OPERAND_LATENCY;
	case EXPR_FIELD:
		if (f->where == FIELD_VALUE)
			return false;
		return is_common(f) ? strcmp(f->name, "common_type") :
		       compiler__load_calls(cp, f->offset, f->where == FIELD_USER_TEXT ? 8 : f->size);
	case EXPR_ELEM:
		return e->a->op != EXPR_NUM || f->where != FIELD_STATIC ||
		       compiler__load_calls(cp, f->offset + e->a->num * f->elem_size, f->elem_size);
	default: return true;		/* text and masks */
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

/* --- arithmetic --- */

static int alu(const struct expr *e)
{
	switch (e->op) {
	case EXPR_MUL: return BPF_MUL;
	case EXPR_ADD: return BPF_ADD;
	case EXPR_SUB: return BPF_SUB;
	case EXPR_SHL: return BPF_LSH;
	case EXPR_SHR: return e->is_signed ? BPF_ARSH : BPF_RSH;
	case EXPR_AND: return BPF_AND;
	case EXPR_XOR: return BPF_XOR;
	case EXPR_OR: return BPF_OR;
	case EXPR_DIV: return BPF_DIV;
	default: return BPF_MOD;
	}
}

static void alu_reg(struct compiler *cp, int op, int dst, int src)
{
	EMIT(cp, code__insn(cp->c, BPF_ALU64 | op | BPF_X, dst, src, 0, 0));
}

static void negate(struct compiler *cp, int reg)
{
	EMIT(cp, code__insn(cp->c, BPF_ALU64 | BPF_NEG, reg, 0, 0, 0));
}

static void negate_if_below_zero(struct compiler *cp, int sign_of, int reg)
{
	label_t positive = compiler__label(cp);

	compiler__jump(cp, BPF_JSGE, sign_of, 0, positive);
	negate(cp, reg);
	compiler__bind(cp, positive);
}

/* By magnitudes: signed division came to BPF with 6.6. A division by 0 is 0. */
static void divide(struct compiler *cp, const struct expr *e, int a, int b)
{
	label_t zero = compiler__label(cp), done = compiler__label(cp);

	if (e->is_signed) {
		EMIT(cp, code__mov(cp->c, R0, a));
		if (e->op == EXPR_DIV)
			alu_reg(cp, BPF_XOR, R0, b);
		negate_if_below_zero(cp, a, a);
		negate_if_below_zero(cp, b, b);
	}
	compiler__jump(cp, BPF_JEQ, b, 0, zero);
	alu_reg(cp, alu(e), a, b);
	if (e->is_signed)
		negate_if_below_zero(cp, R0, a);
	compiler__goto(cp, done);
	compiler__bind(cp, zero);
	compiler__const(cp, a, 0);
	compiler__bind(cp, done);
}

static void operate(struct compiler *cp, const struct expr *e, int a, int b)
{
	if (e->op == EXPR_DIV || e->op == EXPR_MOD) {
		divide(cp, e, a, b);
	} else {
		if (e->op == EXPR_SHL || e->op == EXPR_SHR)
			EMIT(cp, code__alu_imm(cp->c, BPF_AND, b, e->bits - 1));
		alu_reg(cp, alu(e), a, b);
	}
	compiler__canonical(cp, a, e->bits, e->is_signed);
}

static bool fits_immediate(const struct expr *e)
{
	return e->b->op == EXPR_NUM && (s64)e->b->num == (s32)e->b->num && e->op != EXPR_DIV &&
	       e->op != EXPR_MOD;
}

static void operate_imm(struct compiler *cp, const struct expr *e, int reg)
{
	s32 imm = (s32)e->b->num;

	if (e->op == EXPR_SHL || e->op == EXPR_SHR)
		imm &= e->bits - 1;
	EMIT(cp, code__alu_imm(cp->c, alu(e), reg, imm));
	if (e->op != EXPR_AND || imm < 0)
		compiler__canonical(cp, reg, e->bits, e->is_signed);
}

/* Both sides into registers: the left into rD, the right into rD+1, or with the left saved. */
int compiler__operands(struct compiler *cp, const struct expr *e, int d, label_t unknown)
{
	bool save = d == LAST_REG || compiler__calls(cp, e->b);

	compiler__value(cp, e->a, d, unknown);
	if (!save) {
		compiler__value(cp, e->b, d + 1, unknown);
		return d + 1;
	}
	if (!compiler__push(cp, 1))
		return R5;
	EMIT(cp, code__store(cp->c, R_WORK, TMP(cp->tmp - 1), d, 8));
	compiler__value(cp, e->b, d, unknown);
	cp->tmp--;
	EMIT(cp, code__mov(cp->c, R5, d));
	EMIT(cp, code__load(cp->c, d, R_WORK, TMP(cp->tmp), 8));
	return R5;
}

static void binary(struct compiler *cp, const struct expr *e, int d, label_t unknown)
{
	if (fits_immediate(e)) {
		compiler__value(cp, e->a, d, unknown);
		operate_imm(cp, e, d);
		return;
	}
	operate(cp, e, d, compiler__operands(cp, e, d, unknown));
}

static void truth(struct compiler *cp, const struct expr *e, int d, label_t unknown)
{
	struct targets t = {.unknown = unknown};
	label_t done = compiler__label(cp);

	t.yes = t.next = compiler__label(cp);
	t.no = compiler__label(cp);
	compiler__test(cp, e, d, t);
	compiler__bind(cp, t.yes);
	compiler__const(cp, d, 1);
	compiler__goto(cp, done);
	compiler__bind(cp, t.no);
	compiler__const(cp, d, 0);
	compiler__bind(cp, done);
}

static void choose(struct compiler *cp, const struct expr *e, int d, label_t unknown)
{
	struct targets t = {.unknown = unknown};
	label_t done = compiler__label(cp);

	t.yes = t.next = compiler__label(cp);
	t.no = compiler__label(cp);
	compiler__test(cp, e->a, d, t);
	compiler__bind(cp, t.yes);
	compiler__value(cp, e->b, d, unknown);
	compiler__goto(cp, done);
	compiler__bind(cp, t.no);
	compiler__value(cp, e->c, d, unknown);
	compiler__bind(cp, done);
}

void compiler__value(struct compiler *cp, const struct expr *e, int d, label_t unknown)
{
	switch (e->op) {
	case EXPR_NUM:
		compiler__const(cp, d, e->num);
		return;
	case EXPR_FIELD:
		load_field(cp, e, d);
		return;
	case EXPR_ELEM:
		load_element(cp, e, d, unknown);
		return;
	case EXPR_OPERAND:
		load_operand(cp, e, d);
		return;
	case EXPR_CAST:
		compiler__value(cp, e->a, d, unknown);
		/* what is wider keeps the value; only a sign that is lost changes it */
		if (e->bits == 32)
			compiler__canonical(cp, d, e->bits, e->is_signed);
		return;
	case EXPR_NEG:
	case EXPR_BITNOT:
		compiler__value(cp, e->a, d, unknown);
		if (e->op == EXPR_NEG)
			negate(cp, d);
		else
			EMIT(cp, code__alu_imm(cp->c, BPF_XOR, d, -1));
		compiler__canonical(cp, d, e->bits, e->is_signed);
		return;
	case EXPR_COND:
		choose(cp, e, d, unknown);
		return;
	case EXPR_MUL ... EXPR_SHR:
	case EXPR_AND ... EXPR_OR:
		binary(cp, e, d, unknown);
		return;
	default:
		truth(cp, e, d, unknown);
	}
}
