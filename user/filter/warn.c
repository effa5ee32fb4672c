// SPDX-License-Identifier: GPL-2.0-only
/*
 * warn.c - comparisons that can never be true for the type of what is compared.
 */
#include "../base/log.h"
#include "tree.h"

/* Both ends of what a value can be; wide enough for every 64-bit type. */
struct range {
	__int128 low, high;
};

static struct range range_of_type(unsigned int bits, bool is_signed)
{
	__int128 one = 1;

	if (is_signed)
		return (struct range){-(one << (bits - 1)), (one << (bits - 1)) - 1};
	return (struct range){0, (one << bits) - 1};
}

static struct range range_of(const struct expr *e)
{
	const struct field *f = e->field;

	if (e->op == EXPR_NUM) {
		__int128 v = e->is_signed ? (__int128)(s64)e->num : (__int128)e->num;

		return (struct range){v, v};
	}
	if (e->op == EXPR_FIELD && f->kind == FIELD_INT && f->where == FIELD_STATIC && f->size)
		return range_of_type(8 * f->size, f->is_signed);
	if (e->op == EXPR_ELEM)
		return range_of_type(8 * f->elem_size, f->is_signed);
	return range_of_type(e->bits, e->is_signed);
}

/* What a conversion to the common type makes of it. */
static struct range convert(struct range r, unsigned int bits, bool is_signed)
{
	struct range type = range_of_type(bits, is_signed);
	__int128 one = 1;

	if (r.low >= type.low && r.high <= type.high)
		return r;
	if (r.low == r.high) {
		r.low &= (one << bits) - 1;
		if (is_signed && r.low > type.high)
			r.low -= one << bits;
		r.high = r.low;
		return r;
	}
	return type;
}

static bool never(enum expr_op op, struct range a, struct range b)
{
	switch (op) {
	case EXPR_EQ:
		return a.high < b.low || a.low > b.high;
	case EXPR_NE:
		return a.low == a.high && b.low == b.high && a.low == b.low;
	case EXPR_LT:
		return a.low >= b.high;
	case EXPR_LE:
		return a.low > b.high;
	case EXPR_GT:
		return a.high <= b.low;
	case EXPR_GE:
		return a.high < b.low;
	default:
		return false;
	}
}

void type__warn_never(struct parser *p, const struct expr *e)
{
	unsigned int bits = e->a->bits > e->b->bits ? e->a->bits : e->b->bits;
	bool is_signed = (e->a->bits < bits || e->a->is_signed) &&
			 (e->b->bits < bits || e->b->is_signed);
	const struct expr *typed = e->a->op == EXPR_NUM ? e->b : e->a;
	struct range a = convert(range_of(e->a), bits, is_signed);
	struct range b = convert(range_of(e->b), bits, is_signed);

	if (e->a->op == EXPR_NUM && e->b->op == EXPR_NUM)
		return;
	if (e->a->op != EXPR_NUM && e->b->op != EXPR_NUM)
		return;
	if (never(e->op, a, b))
		log__once(p->log, LOG_WARNING, "%.*s can never be true: %.*s is of type %s",
			  (int)e->len, p->s + e->at, (int)typed->len, p->s + typed->at,
			  expr__type_name(typed));
}
