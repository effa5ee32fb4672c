// SPDX-License-Identifier: GPL-2.0-only
/* type_leaf.c - names: fields, elements of fields, operands. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/strbuf.h"
#include "../base/suggest.h"
#include "tree.h"

/* --- names --- */

static const struct {
	const char *name;
	enum expr_operand operand;
	u8 bits;
	bool is_signed;
} operands[] = {
	{"_pid", OPERAND_PID, 32, true},
	{"_tid", OPERAND_TID, 32, true},
	{"_cpu", OPERAND_CPU, 32, true},
	{"CPU", OPERAND_CPU, 32, true},
	{"cpu", OPERAND_CPU, 32, true},
	{"common_cpu", OPERAND_CPU, 32, true},
	{"_time", OPERAND_TIME, 64, false},
	{"_comm", OPERAND_COMM, 0, false},
	{"COMM", OPERAND_COMM, 0, false},
	{"comm", OPERAND_COMM, 0, false},
	{"common_comm", OPERAND_COMM, 0, false},
	{"_uid", OPERAND_UID, 32, false},
	{"_ppid", OPERAND_PPID, 32, true},
	{"_cgroup", OPERAND_CGROUP, 64, false},
	{"_container", OPERAND_CONTAINER, 64, false},
	{"latency", OPERAND_LATENCY, 64, false},
	{"stack", OPERAND_STACK, 0, false},
	{"ustack", OPERAND_USTACK, 0, false},
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
			  p->event->label ? p->event->label : "this event", hints.s ? hints.s : "");
	strbuf__free(&hints);
	return ret;
}

/* --- types --- */

void expr__set_type(struct expr *e, unsigned int bits, bool is_signed)
{
	e->bits = bits;
	e->is_signed = is_signed;
}

/* A value of @size bytes, promoted as C does. */
static void set_promoted(struct expr *e, unsigned int size, bool is_signed)
{
	expr__set_type(e, size > 4 ? 64 : 32, size < 4 || is_signed);
}

void expr__inherit(struct expr *e)
{
	e->may_be_unknown = (e->a && e->a->may_be_unknown) || (e->b && e->b->may_be_unknown) ||
			    (e->c && e->c->may_be_unknown);
}

/* --- leaves --- */

static int no_number(struct parser *p, const struct expr *e, const struct field *f)
{
	if (f->kind == FIELD_TEXT)
		return expr__error(p, e, "%s is text: compare it with == != or ~ and a text",
				   f->name);
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
		expr__set_type(e, 64, false);
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
	expr__set_type(e, operands[i].bits, operands[i].is_signed);
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

int type__word(struct parser *p, struct expr *e)
{
	const struct field *f = event__field(p->event, e->text);
	int i;

	if (f)
		return resolve_field(p, e, f);
	i = operand_index(e->text, e->text_len);
	return i < 0 ? unknown_name(p, e) : resolve_operand(p, e, i);
}

int type__index(struct parser *p, struct expr *e)
{
	const struct field *f = e->a->op == EXPR_WORD ? event__field(p->event, e->a->text) : NULL;
	struct expr *index = e->b;

	if (!f)
		return e->a->op == EXPR_WORD ? unknown_name(p, e->a)
					     : expr__error(p, e->a, "only a field has elements");
	if (type__resolve_node(p, index))
		return -EINVAL;
	if (f->kind == FIELD_INT || !f->elem_size || f->elem_size > 8 ||
	    (f->elem_size & (f->elem_size - 1)) || f->where == FIELD_USER_TEXT ||
	    f->where == FIELD_VALUE)
		return expr__error(p, e, "%s (%s) has no elements that are numbers", f->name,
				   f->type);
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
	expr__inherit(e);
	return 0;
}

/* start.FIELD: what keep= carried from the event that began the interval. */
bool type__kept(struct parser *p, struct expr *e)
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

bool type__key_operand(struct parser *p, struct expr *e)
{
	int i;

	if (e->op != EXPR_WORD || event__field(p->event, e->text))
		return false;
	i = operand_index(e->text, e->text_len);
	if (i < 0 ||
	    (operands[i].operand != OPERAND_STACK && operands[i].operand != OPERAND_USTACK &&
	     operands[i].operand != OPERAND_CONTAINER))
		return false;
	e->op = EXPR_OPERAND;
	e->operand = operands[i].operand;
	expr__set_type(e, operands[i].bits, false);
	return true;
}
