// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "../base/strbuf.h"
#include "tracefs_string.h"

#define STRING_MAX 250 /* the kernel takes 256 bytes of text */

struct writer {
	struct strbuf out;
	const struct event *event;
	bool inexact;
};

static bool write_condition(struct writer *w, const struct expr *e);

/* Does the kernel see the same number there as the declaration says? */
static bool same_number(const struct field *f)
{
	return f->kind == FIELD_INT && f->where == FIELD_STATIC && f->room == f->size;
}

/* An integer field, or the CPU, below a conversion that keeps its value. */
static const struct expr *plain_field(const struct expr *e)
{
	if (e->op == EXPR_CAST)
		e = e->a;
	if (e->op == EXPR_FIELD && same_number(e->field))
		return e;
	return e->op == EXPR_OPERAND && e->operand == OPERAND_CPU ? e : NULL;
}

static const char *name_of(const struct writer *w, const struct expr *e)
{
	if (e->op == EXPR_FIELD)
		return e->field->name;
	return event__field(w->event, "CPU") ? NULL : "CPU";
}

/* Can the field hold the constant, with the same sign? Else the kernel would cut it. */
static bool holds(const struct expr *field, const struct expr *num)
{
	unsigned int bits = field->op == EXPR_FIELD ? 8 * field->field->size : 32;
	bool is_signed = field->op == EXPR_FIELD ? field->field->is_signed : true;

	if (!is_signed && num->is_signed && (s64)num->num < 0)
		return false;
	if (is_signed && !num->is_signed && num->num > INT64_MAX)
		return false;
	return expr__canonical(bits, is_signed, num->num) == num->num;
}

static bool write_number(struct writer *w, const struct expr *field, const char *op,
			 const struct expr *num)
{
	const char *name = name_of(w, field);
	bool is_signed = field->op != EXPR_FIELD || field->field->is_signed;

	if (!name || !holds(field, num))
		return false;
	if (is_signed)
		strbuf__printf(&w->out, "%s %s %lld", name, op, (long long)num->num);
	else
		strbuf__printf(&w->out, "%s %s %llu", name, op, (unsigned long long)num->num);
	return true;
}

/* An enum's sign is the compiler's choice there, the declaration's here. */
static bool has_order(const struct expr *field)
{
	return field->op != EXPR_FIELD || strncmp(field->field->type, "enum", 4);
}

static bool write_comparison(struct writer *w, const struct expr *e)
{
	static const char *const ops[] = {
		[EXPR_LT] = "<",  [EXPR_LE] = "<=", [EXPR_GT] = ">",
		[EXPR_GE] = ">=", [EXPR_EQ] = "==", [EXPR_NE] = "!=",
	};
	const struct expr *field = plain_field(e->a);

	if (!field || e->b->op != EXPR_NUM)
		return false;
	/* a sign that the conversion took away orders differently */
	if (e->op < EXPR_EQ && (!has_order(field) || field->is_signed != e->a->is_signed) &&
	    !(e->a->bits == 64 && field->bits == 32 && e->a->is_signed))
		return false;
	return write_number(w, field, ops[e->op], e->b);
}

/*
 * "*x" and "*x*" on an array: the kernel looks at the end of the array, or behind the NUL, too
 * (regex_match_end() and regex_match_middle() get the size of the field).
 */
static bool looks_behind_the_end(const struct expr *e)
{
	const char *p = e->text;
	size_t n = e->text_len;

	if (e->a->field && e->a->field->where != FIELD_STATIC)
		return false;
	if (*p != '*' || n < 2)
		return false;
	n -= p[n - 1] == '*';
	return strcspn(p + 1, "*?[") >= n - 1;
}

static bool write_text(struct writer *w, const struct expr *e)
{
	bool glob = e->glob, user = e->a->may_be_unknown;
	char quote = e->text && strchr(e->text, '"') ? '\'' : '"';
	const char *name = e->a->field ? e->a->field->name : "COMM";

	if (e->b || e->text_len > STRING_MAX || strpbrk(e->text, "\\\n"))
		return false;
	if (strchr(e->text, quote) || (glob && (*e->text == '!' || strstr(e->text, "[^"))))
		return false;
	if ((glob && looks_behind_the_end(e)) || (!e->a->field && event__field(w->event, "COMM")))
		return false;
	w->inexact = w->inexact || user;
	strbuf__printf(&w->out, "%s%s %s %c%s%c", name, user ? ".ustring" : "",
		       glob ? "~" : "==", quote, e->text, quote);
	return true;
}

static bool write_both(struct writer *w, const struct expr *e, const char *op)
{
	strbuf__putc(&w->out, '(');
	if (!write_condition(w, e->a))
		return false;
	strbuf__puts(&w->out, op);
	if (!write_condition(w, e->b))
		return false;
	strbuf__putc(&w->out, ')');
	return true;
}

static bool write_not(struct writer *w, const struct expr *e)
{
	strbuf__puts(&w->out, "!(");
	if (!write_condition(w, e->a))
		return false;
	strbuf__putc(&w->out, ')');
	return true;
}

static bool write_bits(struct writer *w, const struct expr *e)
{
	const struct expr *field = plain_field(e->a);

	return field && e->b->op == EXPR_NUM && write_number(w, field, "&", e->b);
}

static bool write_truth(struct writer *w, const struct expr *e)
{
	static const struct expr zero = {.op = EXPR_NUM, .bits = 32, .is_signed = true};
	const struct expr *field = plain_field(e);

	return field && write_number(w, field, "!=", &zero);
}

static bool write_condition(struct writer *w, const struct expr *e)
{
	switch (e->op) {
	case EXPR_ANDAND:
		return write_both(w, e, " && ");
	case EXPR_OROR:
		return write_both(w, e, " || ");
	case EXPR_NOT:
		return write_not(w, e);
	case EXPR_LT ... EXPR_NE:
		return write_comparison(w, e);
	case EXPR_AND:
		return write_bits(w, e);
	case EXPR_MATCH:
		return write_text(w, e);
	default:
		return write_truth(w, e);
	}
}

char *tracefs_string(const struct expr *e, const struct event *event, bool *inexact)
{
	struct writer w = {.event = event};

	*inexact = false;
	if (!write_condition(&w, e) || w.out.failed) {
		strbuf__free(&w.out);
		return NULL;
	}
	*inexact = w.inexact;
	return w.out.s;
}
