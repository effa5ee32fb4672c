// SPDX-License-Identifier: GPL-2.0-only
/*
 * compile.c - conditions as jumps, and the holes they fill.
 */
#include <errno.h>
#include "../base/array.h"
#include "compiler.h"

static void finish_test(struct compiler *cp, label_t to, label_t next)
{
	if (to != next)
		compiler__goto(cp, to);
}

/*
 * a && b. Where a is unknown, b may still say no; the code of b stands twice only if that has
 * to be told from both yes and no.
 */
static void test_and(struct compiler *cp, const struct expr *e, int d, struct targets t)
{
	bool twice = e->a->may_be_unknown && t.unknown != t.yes && t.unknown != t.no;
	label_t then = compiler__label(cp), again = t.unknown;

	if (twice)
		again = compiler__label(cp);
	else if (t.unknown == t.yes)
		again = then;
	compiler__test(cp, e->a, d, (struct targets){then, t.no, again, then});
	compiler__bind(cp, then);
	if (!twice) {
		compiler__test(cp, e->b, d, t);
		return;
	}
	compiler__test(cp, e->b, d, (struct targets){t.yes, t.no, t.unknown, again});
	compiler__bind(cp, again);
	compiler__test(cp, e->b, d, (struct targets){t.unknown, t.no, t.unknown, t.next});
}

static void test_or(struct compiler *cp, const struct expr *e, int d, struct targets t)
{
	bool twice = e->a->may_be_unknown && t.unknown != t.yes && t.unknown != t.no;
	label_t otherwise = compiler__label(cp), again = t.unknown;

	if (twice)
		again = compiler__label(cp);
	else if (t.unknown == t.no)
		again = otherwise;
	compiler__test(cp, e->a, d, (struct targets){t.yes, otherwise, again, otherwise});
	compiler__bind(cp, otherwise);
	if (!twice) {
		compiler__test(cp, e->b, d, t);
		return;
	}
	compiler__test(cp, e->b, d, (struct targets){t.yes, t.no, t.unknown, again});
	compiler__bind(cp, again);
	compiler__test(cp, e->b, d, (struct targets){t.yes, t.unknown, t.unknown, t.next});
}

static void test_cond(struct compiler *cp, const struct expr *e, int d, struct targets t)
{
	label_t yes = compiler__label(cp), no = compiler__label(cp);

	compiler__test(cp, e->a, d, (struct targets){yes, no, t.unknown, yes});
	compiler__bind(cp, yes);
	compiler__test(cp, e->b, d, (struct targets){t.yes, t.no, t.unknown, no});
	compiler__bind(cp, no);
	compiler__test(cp, e->c, d, t);
}

static int jump_op(enum expr_op op, bool is_signed)
{
	switch (op) {
	case EXPR_LT:
		return is_signed ? BPF_JSLT : BPF_JLT;
	case EXPR_LE:
		return is_signed ? BPF_JSLE : BPF_JLE;
	case EXPR_GT:
		return is_signed ? BPF_JSGT : BPF_JGT;
	case EXPR_GE:
		return is_signed ? BPF_JSGE : BPF_JGE;
	case EXPR_EQ:
		return BPF_JEQ;
	default:
		return BPF_JNE;
	}
}

static enum expr_op opposite(enum expr_op op)
{
	static const enum expr_op of[] = {
		[EXPR_LT] = EXPR_GE, [EXPR_LE] = EXPR_GT, [EXPR_GT] = EXPR_LE,
		[EXPR_GE] = EXPR_LT, [EXPR_EQ] = EXPR_NE, [EXPR_NE] = EXPR_EQ,
	};

	return of[op];
}

static void test_compare(struct compiler *cp, const struct expr *e, int d, struct targets t)
{
	bool no_first = t.next == t.yes;
	int op = jump_op(no_first ? opposite(e->op) : e->op, e->a->is_signed);
	label_t to = no_first ? t.no : t.yes;

	if (e->b->op == EXPR_NUM) {
		compiler__value(cp, e->a, d, t.unknown);
		compiler__jump(cp, op, d, e->b->num, to);
	} else {
		int b = compiler__operands(cp, e, d, t.unknown);

		compiler__jump_reg(cp, op, d, b, to);
	}
	finish_test(cp, no_first ? t.yes : t.no, t.next);
}

static void test_value(struct compiler *cp, const struct expr *e, int d, struct targets t)
{
	compiler__value(cp, e, d, t.unknown);
	if (t.next == t.yes) {
		compiler__jump(cp, BPF_JEQ, d, 0, t.no);
		finish_test(cp, t.yes, t.next);
	} else {
		compiler__jump(cp, BPF_JNE, d, 0, t.yes);
		finish_test(cp, t.no, t.next);
	}
}

void compiler__test(struct compiler *cp, const struct expr *e, int d, struct targets t)
{
	switch (e->op) {
	case EXPR_NUM:
		finish_test(cp, e->num ? t.yes : t.no, t.next);
		return;
	case EXPR_NOT:
		compiler__test(cp, e->a, d, (struct targets){t.no, t.yes, t.unknown, t.next});
		return;
	case EXPR_CAST: /* zero stays zero */
		compiler__test(cp, e->a, d, t);
		return;
	case EXPR_ANDAND:
		test_and(cp, e, d, t);
		return;
	case EXPR_OROR:
		test_or(cp, e, d, t);
		return;
	case EXPR_COND:
		test_cond(cp, e, d, t);
		return;
	case EXPR_LT ... EXPR_NE:
		test_compare(cp, e, d, t);
		return;
	case EXPR_MATCH:
		compiler__match(cp, e, d, t);
		return;
	case EXPR_MASK:
		compiler__mask(cp, e, t);
		return;
	default:
		test_value(cp, e, d, t);
	}
}

static int check_room(struct compiler *cp, size_t room)
{
	if (cp->c->n <= room)
		return 0;
	return compiler__refuse(cp, cp->whole, E2BIG,
				"the expression takes %zu instructions in the kernel, there is "
				"room for %zu: say it simpler, or use --user-filter",
				cp->c->n, room);
}

int compile__filter(struct code *c, const struct expr *e, const struct event *event,
		    struct compile_env *env, struct err *err)
{
	struct compiler cp;
	struct targets t;
	label_t end;

	compiler__init(&cp, c, e, event, env, err);
	t.yes = t.next = compiler__label(&cp);
	t.no = compiler__label(&cp);
	t.unknown = env->strict_text ? compiler__label(&cp) : t.yes;
	end = compiler__label(&cp);
	compiler__test(&cp, e, R1, t);
	compiler__bind(&cp, t.yes);
	compiler__const(&cp, R0, 1);
	compiler__goto(&cp, end);
	if (env->strict_text) {
		compiler__bind(&cp, t.unknown);
		EMIT(&cp, code__call(c, FN_COUNT_STRICT));
		compiler__goto(&cp, t.no);
	}
	compiler__bind(&cp, t.no);
	compiler__const(&cp, R0, 0);
	compiler__bind(&cp, end);
	check_room(&cp, FILTER_ROOM);
	return compiler__finish(&cp);
}

/* A jump to the hole's end, which only the loader knows. */
static void leave(struct code *c)
{
	code__mov_imm(c, R0, 0);
	if (!c->err)
		c->err = array__push(c->rejects, c->nr_rejects, c->rejects_room, (int)c->n);
	code__insn(c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
}

static int compile_value(struct code *c, const struct expr *e, const struct event *event,
			 struct compile_env *env, bool zero, struct err *err)
{
	struct compiler cp;
	label_t unknown, done;

	compiler__init(&cp, c, e, event, env, err);
	unknown = compiler__label(&cp);
	done = compiler__label(&cp);
	compiler__value(&cp, e, R1, unknown);
	if (e->may_be_unknown) {
		compiler__goto(&cp, done);
		compiler__bind(&cp, unknown);
		if (zero) {
			compiler__const(&cp, R1, 0);
		} else {
			EMIT(&cp, leave(c));
			cp.dead = true;
		}
		compiler__bind(&cp, done);
	}
	return compiler__finish(&cp);
}

int compile__int(struct code *c, const struct expr *e, const struct event *event,
		 struct compile_env *env, struct err *err)
{
	return compile_value(c, e, event, env, false, err);
}

int compile__int_or_zero(struct code *c, const struct expr *e, const struct event *event,
			 struct compile_env *env, struct err *err)
{
	return compile_value(c, e, event, env, true, err);
}
