// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/log.h"
#include "../base/suggest.h"
#include "../event/catalog.h"
#include "tree.h"

static int resolve(struct parser *p, struct expr *e);

int expr__error(struct parser *p, const struct expr *e, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err__caret(p->err, p->subject, p->subject_at + e->at, e->len, "%s", text);
}

/* --- names --- */

static const struct {
	const char *name;
	enum expr_operand operand;
	u8 bits;
	bool is_signed;
} operands[] = {
	{"_pid", OPERAND_PID, 32, true}, {"_tid", OPERAND_TID, 32, true},
	{"_cpu", OPERAND_CPU, 32, true}, {"CPU", OPERAND_CPU, 32, true},
	{"cpu", OPERAND_CPU, 32, true}, {"common_cpu", OPERAND_CPU, 32, true},
	{"_time", OPERAND_TIME, 64, false}, {"_comm", OPERAND_COMM, 0, false},
	{"COMM", OPERAND_COMM, 0, false}, {"comm", OPERAND_COMM, 0, false},
	{"common_comm", OPERAND_COMM, 0, false}, {"_uid", OPERAND_UID, 32, false},
	{"_ppid", OPERAND_PPID, 32, true}, {"_cgroup", OPERAND_CGROUP, 64, false},
	{"_container", OPERAND_CONTAINER, 64, false}, {"latency", OPERAND_LATENCY, 64, false},
	{"stack", OPERAND_STACK, 0, false}, {"ustack", OPERAND_USTACK, 0, false},
};

static int operand_index(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(operands); i++)
		if (strlen(operands[i].name) == len && !memcmp(operands[i].name, name, len))
			return i;
	return -1;
}

enum expr_operand operand__find(const char *name, size_t len)
{
	int i = operand_index(name, len);

	return i < 0 ? OPERAND_NONE : operands[i].operand;
}

static void add_name(const char **names, size_t *n, const char *name)
{
	if (*n < 256)
		names[(*n)++] = name;
}

static int unknown_name(struct parser *p, const struct expr *e)
{
	struct strbuf hints = {0};
	const char *names[256];
	size_t n = 0, i;
	int ret;

	for (i = 0; i < p->event->nr_fields; i++)
		add_name(names, &n, p->event->fields[i].name);
	for (i = 0; i < ARRAY_SIZE(operands); i++)
		add_name(names, &n, operands[i].name);
	suggest__near(&hints, e->text, names, n);
	ret = expr__error(p, e, "no field %s in %s%s", e->text,
			  p->event->label ? p->event->label : "this event",
			  hints.s ? hints.s : "");
	strbuf__free(&hints);
	return ret;
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

static void set_type(struct expr *e, unsigned int bits, bool is_signed)
{
	e->bits = bits;
	e->is_signed = is_signed;
}

/* A value of @size bytes, promoted as C does. */
static void set_promoted(struct expr *e, unsigned int size, bool is_signed)
{
	set_type(e, size > 4 ? 64 : 32, size < 4 || is_signed);
}

static void inherit_unknown(struct expr *e)
{
	e->may_be_unknown = (e->a && e->a->may_be_unknown) || (e->b && e->b->may_be_unknown) ||
			    (e->c && e->c->may_be_unknown);
}

static int convert(struct parser *p, struct expr **e, unsigned int bits, bool is_signed)
{
	struct expr *cast;

	if ((*e)->bits == bits && (*e)->is_signed == is_signed)
		return 0;
	if ((*e)->op == EXPR_NUM) {
		set_type(*e, bits, is_signed);
		(*e)->num = expr__canonical(bits, is_signed, (*e)->num);
		return 0;
	}
	cast = expr__new(EXPR_CAST, *e, NULL);
	if (!cast)
		return err__set(p->err, ENOMEM, "out of memory");
	set_type(cast, bits, is_signed);
	inherit_unknown(cast);
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

/* --- leaves --- */

static int no_number(struct parser *p, const struct expr *e, const struct field *f)
{
	if (f->kind == FIELD_TEXT)
		return expr__error(p, e, "%s is text: compare it with == != or ~ and a text", f->name);
	return expr__error(p, e, "%s (%s) is no number: use an element, %s[0]", f->name, f->type,
			   f->name);
}

static bool is_number(const struct field *f)
{
	if (f->kind == FIELD_INT)
		return true;
	/* as the kernel's filters have it, an array of a number's size is one */
	return f->kind != FIELD_TEXT && f->where == FIELD_STATIC &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static int resolve_field(struct parser *p, struct expr *e, const struct field *f)
{
	if (f->where == FIELD_VALUE && !strcmp(f->name, "latency")) {
		e->operand = OPERAND_LATENCY;
		e->op = EXPR_OPERAND;
		set_type(e, 64, false);
		return 0;
	}
	if (!is_number(f))
		return no_number(p, e, f);
	e->op = EXPR_FIELD;
	e->field = f;
	set_promoted(e, f->where == FIELD_VALUE ? 8 : f->size,
		     f->kind == FIELD_INT && f->is_signed);
	return 0;
}

static int resolve_operand(struct parser *p, struct expr *e, int i)
{
	e->op = EXPR_OPERAND;
	e->operand = operands[i].operand;
	set_type(e, operands[i].bits, operands[i].is_signed);
	if (e->operand == OPERAND_LATENCY && !(p->event->spec && p->event->spec->since))
		return expr__error(p, e, "latency needs since=: this event ends no interval");
	if (e->operand == OPERAND_STACK || e->operand == OPERAND_USTACK)
		return expr__error(p, e, "%s is no number: it can only be a key of by=", e->text);
	if (e->operand == OPERAND_COMM)
		return expr__error(p, e, "%s is text: compare it with == != or ~ and a text",
				   e->text);
	if (e->operand == OPERAND_CONTAINER)
		return expr__error(p, e, "_container can only be compared, == or !=, with a name");
	return 0;
}

static int resolve_word(struct parser *p, struct expr *e)
{
	const struct field *f = event__field(p->event, e->text);
	int i;

	if (f)
		return resolve_field(p, e, f);
	i = operand_index(e->text, e->text_len);
	return i < 0 ? unknown_name(p, e) : resolve_operand(p, e, i);
}

static int resolve_index(struct parser *p, struct expr *e)
{
	const struct field *f = e->a->op == EXPR_WORD ? event__field(p->event, e->a->text) : NULL;
	struct expr *index = e->b;

	if (!f)
		return e->a->op == EXPR_WORD ? unknown_name(p, e->a)
					     : expr__error(p, e->a, "only a field has elements");
	if (resolve(p, index))
		return -EINVAL;
	if (f->kind == FIELD_INT || !f->elem_size || f->elem_size > 8 ||
	    (f->elem_size & (f->elem_size - 1)) || f->where == FIELD_USER_TEXT ||
	    f->where == FIELD_VALUE)
		return expr__error(p, e, "%s (%s) has no elements that are numbers", f->name, f->type);
	if (index->op == EXPR_NUM && f->where == FIELD_STATIC &&
	    (index->num >= f->size / f->elem_size))
		return expr__error(p, index, "%s has elements 0 to %u", f->name,
				   f->size / f->elem_size - 1);
	expr__free(e->a);
	e->a = index;
	e->b = NULL;
	e->op = EXPR_ELEM;
	e->field = f;
	set_promoted(e, f->elem_size, f->is_signed);
	inherit_unknown(e);
	return 0;
}

/* start.FIELD: what keep= carried from the event that began the interval. */
static bool resolve_kept(struct parser *p, struct expr *e)
{
	char name[128];
	const struct field *f;

	if (e->a->op != EXPR_WORD || strcmp(e->a->text, "start"))
		return false;
	snprintf(name, sizeof(name), "start%s", e->text);
	f = event__field(p->event, name);
	if (!f || resolve_field(p, e, f))
		return false;
	expr__free(e->a);
	e->a = NULL;
	return true;
}

/* --- operators --- */

static int resolve_unary(struct parser *p, struct expr *e)
{
	if (resolve(p, e->a))
		return -EINVAL;
	inherit_unknown(e);
	if (e->op == EXPR_NOT)
		set_type(e, 32, true);
	else
		set_type(e, e->a->bits, e->a->is_signed);
	if (e->a->op == EXPR_NUM)
		fold(e, e->bits, e->is_signed);
	return 0;
}

/* `!a == b` negates a only, as in C; the kernel's filters negate the comparison. */
static void warn_not(struct parser *p, const struct expr *e)
{
	if (is_comparison(e->op) && e->a->op == EXPR_NOT && p->s[e->a->at] == '!')
		log__once(p->log, LOG_WARNING,
			  "%.*s: ! binds to its left side alone, as in C; !(...) negates the comparison",
			  (int)e->len, p->s + e->at);
}

static int resolve_logic(struct parser *p, struct expr *e)
{
	if (resolve(p, e->a) || resolve(p, e->b))
		return -EINVAL;
	set_type(e, 32, true);
	inherit_unknown(e);
	if (consts_below(e))
		expr__make_const(e, 32, true, e->op == EXPR_ANDAND ? e->a->num && e->b->num
								   : e->a->num || e->b->num);
	return 0;
}

static int resolve_arith(struct parser *p, struct expr *e)
{
	bool shift = e->op == EXPR_SHL || e->op == EXPR_SHR, compare = is_comparison(e->op);

	warn_not(p, e);
	if (resolve(p, e->a) || resolve(p, e->b))
		return -EINVAL;
	if (compare)
		type__warn_never(p, e);
	if (!shift && balance(p, &e->a, &e->b))
		return -ENOMEM;
	set_type(e, compare ? 32 : e->a->bits, compare || e->a->is_signed);
	inherit_unknown(e);
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
			return ret ?: resolve(p, e);
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
	if (resolve(p, e->a) || resolve(p, e->b) || resolve(p, e->c) || balance(p, &e->b, &e->c))
		return -EINVAL;
	set_type(e, e->b->bits, e->b->is_signed);
	inherit_unknown(e);
	if (e->a->op == EXPR_NUM && e->b->op == EXPR_NUM && e->c->op == EXPR_NUM)
		expr__make_const(e, e->bits, e->is_signed, e->a->num ? e->b->num : e->c->num);
	return 0;
}

static int resolve(struct parser *p, struct expr *e)
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
		return resolve_word(p, e);
	case EXPR_INDEX:
		return resolve_index(p, e);
	case EXPR_SUFFIX:
		if (resolve_kept(p, e))
			return 0;
		if (!strcmp(e->text, ".ustring"))
			return expr__error(p, e, "%.*s is text: compare it with == != or ~ and a text",
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
	int i;

	if (want == EXPR_WANT_KEY && e->op == EXPR_WORD && !event__field(p->event, e->text)) {
		i = operand_index(e->text, e->text_len);
		if (i >= 0 && (operands[i].operand == OPERAND_STACK ||
			       operands[i].operand == OPERAND_USTACK ||
			       operands[i].operand == OPERAND_CONTAINER)) {
			e->op = EXPR_OPERAND;
			e->operand = operands[i].operand;
			set_type(e, operands[i].bits, false);
			return 0;
		}
	}
	if (want != EXPR_WANT_INT && type__is_text(p, e))
		return type__text_leaf(p, e);
	return resolve(p, e);
}
