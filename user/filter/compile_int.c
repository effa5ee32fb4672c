// SPDX-License-Identifier: GPL-2.0-only
/* compile_int.c - values: arithmetic. What is read: compile_read.c */
#include "compiler.h"

#define LAST_REG R4

/* --- arithmetic --- */

static int alu(const struct expr *e)
{
	switch (e->op) {
	case EXPR_MUL:
		return BPF_MUL;
	case EXPR_ADD:
		return BPF_ADD;
	case EXPR_SUB:
		return BPF_SUB;
	case EXPR_SHL:
		return BPF_LSH;
	case EXPR_SHR:
		return e->is_signed ? BPF_ARSH : BPF_RSH;
	case EXPR_AND:
		return BPF_AND;
	case EXPR_XOR:
		return BPF_XOR;
	case EXPR_OR:
		return BPF_OR;
	case EXPR_DIV:
		return BPF_DIV;
	default:
		return BPF_MOD;
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
	case EXPR_ELEM:
	case EXPR_OPERAND:
		compiler__read(cp, e, d, unknown);
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
