// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/log.h"
#include "tree.h"

int expr__error(struct parser *p, const struct expr *e, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err__caret(p->err, p->subject, p->subject_at + e->at, e->len, "%s", text);
}

/* --- types --- */

const char *expr__type_name(const struct expr *e)
{
	if (e->op == EXPR_CAST)
		return expr__type_name(e->a);
	if (e->op == EXPR_FIELD && e->field->type)
		return e->field->type;
	if (e->bits == 64)
		return e->is_signed ? "long" : "unsigned long";
	return e->is_signed ? "int" : "unsigned int";
}

static int convert(struct parser *p, struct expr **e, unsigned int bits, bool is_signed)
{
	struct expr *cast;

	if ((*e)->bits == bits && (*e)->is_signed == is_signed)
		return 0;
	if ((*e)->op == EXPR_NUM) {
		expr__set_type(*e, bits, is_signed);
		(*e)->num = expr__canonical(bits, is_signed, (*e)->num);
		return 0;
	}
	cast = expr__new(EXPR_CAST, *e, NULL);
	if (!cast)
		return err__set(p->err, ENOMEM, "out of memory");
	expr__set_type(cast, bits, is_signed);
	expr__inherit(cast);
	*e = cast;
	return 0;
}

/* The usual arithmetic conversions of C. */
static int balance(struct parser *p, struct expr **a, struct expr **b)
{
	unsigned int bits = (*a)->bits > (*b)->bits ? (*a)->bits : (*b)->bits;
	bool is_signed = ((*a)->bits < bits || (*a)->is_signed) &&
			 ((*b)->bits < bits || (*b)->is_signed);

	return convert(p, a, bits, is_signed) ?: convert(p, b, bits, is_signed);
}

static bool is_comparison(enum expr_op op)
{
	return op >= EXPR_LT && op <= EXPR_NE;
}

/* Signed constants that leave their 32 bits become 64 bits wide, which C leaves undefined. */
static void fold(struct expr *e, unsigned int bits, bool is_signed)
{
	u64 b = e->b ? e->b->num : 0, wide;

	if (e->op == EXPR_NOT) {
		expr__make_const(e, 32, true, !e->a->num);
		return;
	}
	if (is_comparison(e->op)) {
		expr__make_const(e, 32, true, expr__arith(e->op, bits, is_signed, e->a->num, b));
		return;
	}
	if (bits == 32 && is_signed) {
		if ((e->op == EXPR_SHL || e->op == EXPR_SHR) && b < 64)
			bits = 64;
		wide = expr__arith(e->op, 64, true, e->a->num, b);
		bits = (s64)wide == (s32)wide ? 32 : 64;
		expr__make_const(e, bits, true, wide);
		return;
	}
	expr__make_const(e, bits, is_signed, expr__arith(e->op, bits, is_signed, e->a->num, b));
}

static bool consts_below(const struct expr *e)
{
	return e->a->op == EXPR_NUM && (!e->b || e->b->op == EXPR_NUM);
}

/* --- operators --- */

static int resolve_unary(struct parser *p, struct expr *e)
{
	if (type__resolve_node(p, e->a))
		return -EINVAL;
	expr__inherit(e);
	if (e->op == EXPR_NOT)
		expr__set_type(e, 32, true);
	else
		expr__set_type(e, e->a->bits, e->a->is_signed);
	if (e->a->op == EXPR_NUM)
		fold(e, e->bits, e->is_signed);
	return 0;
}

/* `!a == b` negates a only, as in C; the kernel's filters negate the comparison. */
static void warn_not(struct parser *p, const struct expr *e)
{
	if (is_comparison(e->op) && e->a->op == EXPR_NOT && p->s[e->a->at] == '!')
		log__once(p->log, LOG_WARNING,
			  "%.*s: ! binds to its left side alone, as in C; !(...) negates the "
			  "comparison",
			  (int)e->len, p->s + e->at);
}

static int resolve_logic(struct parser *p, struct expr *e)
{
	if (type__resolve_node(p, e->a) || type__resolve_node(p, e->b))
		return -EINVAL;
	expr__set_type(e, 32, true);
	expr__inherit(e);
	if (consts_below(e))
		expr__make_const(e, 32, true,
				 e->op == EXPR_ANDAND ? e->a->num && e->b->num
						      : e->a->num || e->b->num);
	return 0;
}

static int resolve_arith(struct parser *p, struct expr *e)
{
	bool shift = e->op == EXPR_SHL || e->op == EXPR_SHR, compare = is_comparison(e->op);

	warn_not(p, e);
	if (type__resolve_node(p, e->a) || type__resolve_node(p, e->b))
		return -EINVAL;
	if (compare)
		type__warn_never(p, e);
	if (!shift && balance(p, &e->a, &e->b))
		return -ENOMEM;
	expr__set_type(e, compare ? 32 : e->a->bits, compare || e->a->is_signed);
	expr__inherit(e);
	if (consts_below(e))
		fold(e, e->a->bits, e->a->is_signed);
	return 0;
}

static int resolve_binary(struct parser *p, struct expr *e)
{
	bool equality = e->op == EXPR_EQ || e->op == EXPR_NE || e->op == EXPR_GLOB;
	bool done = false;
	int ret;

	if (equality || e->op == EXPR_AND) {
		ret = type__special(p, e, &done);
		if (ret || done)
			return ret ?: type__resolve_node(p, e);
	}
	if (equality) {
		ret = type__match(p, e);
		if (ret <= 0)
			return ret;
	}
	return resolve_arith(p, e);
}

static int resolve_cond(struct parser *p, struct expr *e)
{
	if (type__resolve_node(p, e->a) || type__resolve_node(p, e->b) ||
	    type__resolve_node(p, e->c) || balance(p, &e->b, &e->c))
		return -EINVAL;
	expr__set_type(e, e->b->bits, e->b->is_signed);
	expr__inherit(e);
	if (e->a->op == EXPR_NUM && e->b->op == EXPR_NUM && e->c->op == EXPR_NUM)
		expr__make_const(e, e->bits, e->is_signed, e->a->num ? e->b->num : e->c->num);
	return 0;
}

int type__resolve_node(struct parser *p, struct expr *e)
{
	switch (e->op) {
	case EXPR_NUM:
	case EXPR_FIELD:
	case EXPR_OPERAND:
	case EXPR_MATCH:
	case EXPR_MASK:
	case EXPR_CAST:
	case EXPR_ELEM:
		return 0;
	case EXPR_TEXT:
		return expr__error(p, e, "a text can only be compared, by == != or ~");
	case EXPR_CPUS:
		return expr__error(p, e, "CPUS{} follows & == or !=, as in CPU & CPUS{0-3}");
	case EXPR_WORD:
		return type__word(p, e);
	case EXPR_INDEX:
		return type__index(p, e);
	case EXPR_SUFFIX:
		if (type__kept(p, e))
			return 0;
		if (!strcmp(e->text, ".ustring"))
			return expr__error(p, e,
					   "%.*s is text: compare it with == != or ~ and a text",
					   (int)e->len, p->s + e->at);
		return expr__error(p, e, "%s can only be compared: == or !=", e->text);
	case EXPR_NEG:
	case EXPR_BITNOT:
	case EXPR_NOT:
		return resolve_unary(p, e);
	case EXPR_ANDAND:
	case EXPR_OROR:
		return resolve_logic(p, e);
	case EXPR_COND:
		return resolve_cond(p, e);
	default:
		return resolve_binary(p, e);
	}
}

int type__resolve(struct parser *p, struct expr *e, enum expr_want want)
{
	if (want == EXPR_WANT_KEY && type__key_operand(p, e))
		return 0;
	if (want != EXPR_WANT_INT && type__is_text(p, e))
		return type__text_leaf(p, e);
	return type__resolve_node(p, e);
}
