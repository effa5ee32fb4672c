// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include "value_names.h"

/* The values that an expression of the print format is evaluated with; other fields are 0. */
struct values {
	const char *field, *chooser;
	u64 value, chosen;
	u64 mask; /* of the bits that the field has */
};

static bool is_op(const struct tep_print_arg *a, const char *op)
{
	return a->type == TEP_PRINT_OP && !strcmp(a->op.op, op);
}

static bool mentions(const struct tep_print_arg *a, const char *field)
{
	if (!a)
		return false;
	switch (a->type) {
	case TEP_PRINT_FIELD:
		return !strcmp(a->field.name, field);
	case TEP_PRINT_SYMBOL:
		return mentions(a->symbol.field, field);
	case TEP_PRINT_FLAGS:
		return mentions(a->flags.field, field);
	case TEP_PRINT_TYPE:
		return mentions(a->typecast.item, field);
	case TEP_PRINT_OP:
		return mentions(a->op.left, field) || mentions(a->op.right, field);
	default:
		return false;
	}
}

static s64 calculate(const char *op, s64 a, s64 b)
{
	static const char *const ops[] = {"==", "!=", "<", ">", "<=", ">=", "&&", "||",
					  "&",	"|",  "^", "+", "-",  "*",  "<<", ">>"};
	size_t i = 0;

	while (i < ARRAY_SIZE(ops) && strcmp(op, ops[i]))
		i++;
	switch (i) {
	case 0:
		return a == b;
	case 1:
		return a != b;
	case 2:
		return a < b;
	case 3:
		return a > b;
	case 4:
		return a <= b;
	case 5:
		return a >= b;
	case 6:
		return a && b;
	case 7:
		return a || b;
	case 8:
		return a & b;
	case 9:
		return a | b;
	case 10:
		return a ^ b;
	case 11:
		return (u64)a + (u64)b;
	case 12:
		return (u64)a - (u64)b;
	case 13:
		return (u64)a * (u64)b;
	case 14:
		return (u64)a << (b & 63);
	case 15:
		return a >> (b & 63);
	default:
		return 0;
	}
}

static s64 eval(const struct tep_print_arg *a, const struct values *v)
{
	if (!a)
		return 0;
	switch (a->type) {
	case TEP_PRINT_ATOM:
		return strtoull(a->atom.atom, NULL, 0);
	case TEP_PRINT_FIELD:
		if (!strcmp(a->field.name, v->field))
			return v->value & v->mask;
		return v->chooser && !strcmp(a->field.name, v->chooser) ? (s64)v->chosen : 0;
	case TEP_PRINT_TYPE:
		return eval(a->typecast.item, v);
	case TEP_PRINT_OP:
		break;
	default:
		return 0;
	}
	if (is_op(a, "?"))
		return eval(eval(a->op.left, v) ? a->op.right->op.left : a->op.right->op.right, v);
	/* Of one operand: libtraceevent puts it on the right. */
	if (is_op(a, "!"))
		return !eval(a->op.right, v);
	if (is_op(a, "~"))
		return ~eval(a->op.right, v);
	return calculate(a->op.op, eval(a->op.left, v), eval(a->op.right, v));
}

/* What is left of an argument once its conditions are decided. */
static const struct tep_print_arg *decide(const struct tep_print_arg *a, const struct values *v)
{
	while (a && (is_op(a, "?") || a->type == TEP_PRINT_TYPE)) {
		if (a->type == TEP_PRINT_TYPE)
			a = a->typecast.item;
		else if (!a->op.right || !is_op(a->op.right, ":"))
			return NULL;
		else
			a = eval(a->op.left, v) ? a->op.right->op.left : a->op.right->op.right;
	}
	return a;
}

static u64 number(const char *s)
{
	return *s == '-' ? (u64)strtoll(s, NULL, 0) : strtoull(s, NULL, 0);
}

/* Neighbouring literals are one string in C; libtraceevent keeps the quotes between them. */
static void put_text(struct strbuf *out, const char *s)
{
	for (; *s; s++)
		if (*s != '"')
			strbuf__putc(out, *s);
}

static void put_symbol(struct strbuf *out, const struct tep_print_arg *a, const struct values *v)
{
	const struct tep_print_flag_sym *sym;
	u64 value = eval(a->symbol.field, v);

	for (sym = a->symbol.symbols; sym; sym = sym->next)
		if (((number(sym->value) ^ value) & v->mask) == 0) {
			put_text(out, sym->str);
			return;
		}
	strbuf__printf(out, "0x%llx", (unsigned long long)value);
}

static void put_flags(struct strbuf *out, const struct tep_print_arg *a, const struct values *v)
{
	const struct tep_print_flag_sym *f;
	u64 left = eval(a->flags.field, v), flag;
	const char *between = "";

	for (f = a->flags.flags; f; f = f->next) {
		flag = number(f->value) & v->mask;
		if (flag ? (left & flag) != flag : left != 0)
			continue;
		strbuf__puts(out, between);
		put_text(out, f->str);
		between = a->flags.delim && *a->flags.delim ? a->flags.delim : "|";
		left &= ~flag;
		if (!flag)
			break;
	}
	if (left)
		strbuf__printf(out, "%s0x%llx", between, (unsigned long long)left);
}

static void put(struct strbuf *out, const struct tep_print_arg *arg, const struct values *v)
{
	const struct tep_print_arg *a = decide(arg, v);

	if (!a)
		return;
	if (a->type == TEP_PRINT_SYMBOL)
		put_symbol(out, a, v);
	else if (a->type == TEP_PRINT_FLAGS)
		put_flags(out, a, v);
	else if (a->type == TEP_PRINT_ATOM && a != arg && !isdigit((unsigned char)*a->atom.atom))
		put_text(out, a->atom.atom);
}

/* A table for @field, behind whatever conditions. */
static const struct tep_print_arg *table_in(const struct tep_print_arg *a, const char *field)
{
	const struct tep_print_arg *t;

	if (!a)
		return NULL;
	if (a->type == TEP_PRINT_SYMBOL || a->type == TEP_PRINT_FLAGS)
		return mentions(a, field) ? a : NULL;
	if (a->type == TEP_PRINT_TYPE)
		return table_in(a->typecast.item, field);
	if (a->type != TEP_PRINT_OP)
		return NULL;
	t = table_in(a->op.left, field);
	return t ? t : table_in(a->op.right, field);
}

static const struct tep_print_arg *args_of(struct event_format *f)
{
	struct tep_event *e = event_format__tep(f);

	return e ? e->print_fmt.args : NULL;
}

bool value_names__has(struct event_format *f, const char *field)
{
	const struct tep_print_arg *a;

	for (a = args_of(f); a; a = a->next)
		if (table_in(a, field))
			return true;
	return false;
}

/* `(x == N) ? table : table`: x, where it is another field */
static const char *other_field(const struct tep_print_arg *a, const char *field)
{
	const char *name;

	if (!a)
		return NULL;
	if (a->type == TEP_PRINT_FIELD)
		return strcmp(a->field.name, field) ? a->field.name : NULL;
	if (a->type == TEP_PRINT_TYPE)
		return other_field(a->typecast.item, field);
	if (a->type != TEP_PRINT_OP)
		return NULL;
	name = other_field(a->op.left, field);
	return name ? name : other_field(a->op.right, field);
}

const char *value_names__chooser(struct event_format *f, const char *field)
{
	const struct tep_print_arg *a;

	for (a = args_of(f); a; a = a->next)
		if (is_op(a, "?") && a->op.right && is_op(a->op.right, ":") &&
		    table_in(a->op.right->op.left, field) && table_in(a->op.right->op.right, field))
			return other_field(a->op.left, field);
	return NULL;
}

void value_names__put(struct strbuf *out, struct event_format *f, const char *field, u64 value,
		      u64 chosen)
{
	const struct field *fd = event_format__field(f, field);
	struct values v = {field, value_names__chooser(f, field), value, chosen, ~0ull};
	const struct tep_print_arg *a;
	size_t before = out->len;

	if (fd && fd->size && fd->size < 8)
		v.mask = (1ull << fd->size * 8) - 1;
	for (a = args_of(f); a; a = a->next)
		if (table_in(a, field) || (is_op(a, "?") && mentions(a->op.left, field)))
			put(out, a, &v);
	while (out->len > before && out->s[out->len - 1] == ' ')
		out->s[--out->len] = 0;
	if (out->len == before)
		strbuf__printf(out, "%lld", (long long)(value & v.mask));
}

static int each_symbol(const struct tep_print_flag_sym *sym,
		       int (*fn)(void *ctx, const char *name, u64 value), void *ctx)
{
	struct strbuf b = {0};
	int ret = 0;

	for (; sym && !ret; sym = sym->next) {
		strbuf__reset(&b);
		put_text(&b, sym->str);
		ret = b.failed ? 0 : fn(ctx, b.s, number(sym->value));
	}
	strbuf__free(&b);
	return ret;
}

int value_names__each(struct event_format *f, const char *field, u64 chosen,
		      int (*fn)(void *ctx, const char *name, u64 value), void *ctx)
{
	struct values v = {field, value_names__chooser(f, field), 0, chosen, ~0ull};
	const struct tep_print_arg *a, *table;
	int ret = 0;

	for (a = args_of(f); a && !ret; a = a->next) {
		table = decide(a, &v);
		if (table && table->type == TEP_PRINT_SYMBOL && mentions(table, field))
			ret = each_symbol(table->symbol.symbols, fn, ctx);
	}
	return ret;
}
