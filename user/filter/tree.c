// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tree.h"

struct expr *expr__new(enum expr_op op, struct expr *a, struct expr *b)
{
	struct expr *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->op = op;
	e->a = a;
	e->b = b;
	if (a) {
		e->at = a->at;
		e->len = b && b->at + b->len > a->at ? b->at + b->len - a->at : a->len;
	}
	return e;
}

void expr__free(struct expr *e)
{
	if (!e)
		return;
	expr__free(e->a);
	expr__free(e->b);
	expr__free(e->c);
	free(e->text);
	free(e);
}

void expr__make_const(struct expr *e, unsigned int bits, bool is_signed, u64 num)
{
	expr__free(e->a);
	expr__free(e->b);
	expr__free(e->c);
	free(e->text);
	*e = (struct expr){
		.op = EXPR_NUM,
		.bits = bits,
		.is_signed = is_signed,
		.at = e->at,
		.len = e->len,
		.num = expr__canonical(bits, is_signed, num),
	};
}

u64 expr__canonical(unsigned int bits, bool is_signed, u64 v)
{
	if (bits >= 64)
		return v;
	v <<= 64 - bits;
	return is_signed ? (u64)((s64)v >> (64 - bits)) : v >> (64 - bits);
}

static u64 divide(bool is_signed, u64 a, u64 b, bool rest)
{
	u64 x = a, y = b, q;

	if (!b)
		return 0;
	if (!is_signed)
		return rest ? a % b : a / b;
	/* by magnitudes: the smallest number divided by -1 would trap */
	if ((s64)a < 0)
		x = -a;
	if ((s64)b < 0)
		y = -b;
	q = rest ? x % y : x / y;
	return (rest ? (s64)a < 0 : (s64)(a ^ b) < 0) ? -q : q;
}

static int compare(bool is_signed, u64 a, u64 b)
{
	if (is_signed)
		return (s64)a < (s64)b ? -1 : (s64)a > (s64)b;
	return a < b ? -1 : a > b;
}

static u64 raw_arith(enum expr_op op, unsigned int bits, bool is_signed, u64 a, u64 b)
{
	switch (op) {
	case EXPR_NEG:
		return -a;
	case EXPR_BITNOT:
		return ~a;
	case EXPR_MUL:
		return a * b;
	case EXPR_DIV:
		return divide(is_signed, a, b, false);
	case EXPR_MOD:
		return divide(is_signed, a, b, true);
	case EXPR_ADD:
		return a + b;
	case EXPR_SUB:
		return a - b;
	case EXPR_SHL:
		return a << (b & (bits - 1));
	case EXPR_SHR:
		b &= bits - 1;
		return is_signed ? (u64)((s64)a >> b) : a >> b;
	case EXPR_AND:
		return a & b;
	case EXPR_XOR:
		return a ^ b;
	case EXPR_OR:
		return a | b;
	default:
		return a;
	}
}

u64 expr__arith(enum expr_op op, unsigned int bits, bool is_signed, u64 a, u64 b)
{
	int order = compare(is_signed, a, b);

	switch (op) {
	case EXPR_LT:
		return order < 0;
	case EXPR_LE:
		return order <= 0;
	case EXPR_GT:
		return order > 0;
	case EXPR_GE:
		return order >= 0;
	case EXPR_EQ:
		return a == b;
	case EXPR_NE:
		return a != b;
	default:
		return expr__canonical(bits, is_signed, raw_arith(op, bits, is_signed, a, b));
	}
}

static unsigned int uses_here(const struct expr *e)
{
	unsigned int uses = 0;

	if (e->operand == OPERAND_LATENCY || (e->field && e->field->kept))
		uses |= EXPR_USES_LATENCY;
	else if (e->operand != OPERAND_NONE && e->operand != OPERAND_TIME &&
		 e->operand != OPERAND_CPU)
		uses |= EXPR_USES_TASK;
	if (e->op == EXPR_TEXT && e->field && e->may_be_unknown)
		uses |= EXPR_USES_USER_TEXT;
	if (e->field && (!strcmp(e->field->name, "common_flags") ||
			 !strcmp(e->field->name, "common_preempt_count")))
		uses |= EXPR_USES_COMMON;
	return uses;
}

unsigned int expr__uses(const struct expr *e)
{
	return e ? uses_here(e) | expr__uses(e->a) | expr__uses(e->b) | expr__uses(e->c) : 0;
}

u32 expr__extras(const struct expr *e)
{
	u32 mine = 0;

	if (!e)
		return 0;
	switch (e->operand) {
	case OPERAND_COMM:
		mine = 1u << EXTRA_COMM;
		break;
	case OPERAND_UID:
		mine = 1u << EXTRA_UID;
		break;
	case OPERAND_PPID:
		mine = 1u << EXTRA_PPID;
		break;
	case OPERAND_CGROUP:
		mine = 1u << EXTRA_CGROUP;
		break;
	case OPERAND_CONTAINER:
		mine = 1u << EXTRA_CONTAINER;
		break;
	default:
		break;
	}
	return mine | expr__extras(e->a) | expr__extras(e->b) | expr__extras(e->c);
}

bool expr__is_time(const struct expr *e)
{
	switch (e->op) {
	case EXPR_OPERAND:
		return e->operand == OPERAND_LATENCY || e->operand == OPERAND_TIME;
	case EXPR_ADD:
	case EXPR_SUB:
		return expr__is_time(e->a) || expr__is_time(e->b);
	case EXPR_CAST:
		return expr__is_time(e->a);
	default:
		return false;
	}
}

static int join(struct expr **list, struct expr *part)
{
	struct expr *both;

	if (!*list) {
		*list = part;
		return 0;
	}
	both = expr__new(EXPR_ANDAND, *list, part);
	if (!both)
		return -ENOMEM;
	both->bits = 32;
	both->is_signed = true;
	both->may_be_unknown = both->a->may_be_unknown || both->b->may_be_unknown;
	*list = both;
	return 0;
}

int expr__split(struct expr *e, struct expr **early, struct expr **late)
{
	struct expr *a, *b;
	int ret;

	*early = *late = NULL;
	if (!e)
		return 0;
	if (e->op != EXPR_ANDAND) {
		*(expr__uses(e) & EXPR_USES_LATENCY ? late : early) = e;
		return 0;
	}
	a = e->a;
	b = e->b;
	struct expr *early_b, *late_b;

	e->a = e->b = NULL;
	expr__free(e);
	ret = expr__split(a, early, late);
	if (expr__split(b, &early_b, &late_b))
		ret = -ENOMEM;
	if (early_b && join(early, early_b))
		ret = -ENOMEM;
	if (late_b && join(late, late_b))
		ret = -ENOMEM;
	return ret;
}
