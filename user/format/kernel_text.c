// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel_text.c - records by the kernel's print format, through libtraceevent.
 *
 * libtraceevent trusts a record: offsets, lengths and terminators in it are used as they are. So
 * it gets a copy with zeroes behind, and only after what it would trust was checked.
 */
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include "../base/guard.h"
#include "parts.h"

#define ZEROES	  64 /* behind a copy: terminates text, covers what a %pX reads */
#define ELEMENT	  8 /* largest element of __print_array() */
#define DEPTH_MAX 64
#define ON_STACK  2048

/* What the walk over a print format needs to know of the record. */
struct walk {
	const struct record *rec;
	u32 size;
	bool counted; /* something is printed as long as a field says */
	int depth;
};

static bool is_safe(struct walk *w, const struct tep_print_arg *arg);

/* A number that a field holds, and that is at most the record's size. */
static bool is_small(struct walk *w, const char *name)
{
	const struct field *f = event_format__field(w->rec->event->format, name);
	struct value v;

	if (!f)
		return false;
	v = field__read(f, w->rec);
	return (v.kind == VALUE_INT || v.kind == VALUE_UINT) && v.num <= w->size;
}

static bool is_constant(const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg && arg->type == TEP_PRINT_ATOM && strtoull(arg->atom.atom, NULL, 0);
}

/* A count of elements that cannot lead far outside of the record. */
static bool is_count(struct walk *w, const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	if (!arg)
		return false;
	if (arg->type == TEP_PRINT_DYNAMIC_ARRAY_LEN)
		return true;
	if (arg->type == TEP_PRINT_ATOM)
		return strtoull(arg->atom.atom, NULL, 0) <= w->size;
	if (arg->type == TEP_PRINT_OP && (!strcmp(arg->op.op, "/") || !strcmp(arg->op.op, ">>")))
		return is_count(w, arg->op.left) && is_constant(arg->op.right);
	if (arg->type != TEP_PRINT_FIELD)
		return false;
	w->counted = true;
	return is_small(w, arg->field.name);
}

/* Divisors and indexes that the record chooses are not checked by libtraceevent. */
static bool is_safe_op(struct walk *w, const struct tep_print_arg *arg)
{
	const char *op = arg->op.op;

	if ((*op == '/' || *op == '%' || *op == '[') && !is_constant(arg->op.right))
		return *op == '[' && arg->op.right && arg->op.right->type == TEP_PRINT_ATOM;
	return is_safe(w, arg->op.left) && is_safe(w, arg->op.right);
}

static bool is_safe_func(struct walk *w, const struct tep_print_arg *arg)
{
	const struct tep_print_arg *a;

	for (a = arg->func.args; a; a = a->next)
		if (!is_safe(w, a))
			return false;
	return true;
}

/* A mask is read in words, and its last bit is looked for even if there is none. */
static bool is_mask(struct walk *w, const char *name)
{
	const struct field *f = event_format__field(w->rec->event->format, name);
	struct value v;

	if (!f)
		return false;
	v = field__read(f, w->rec);
	return v.ptr && v.len && v.len % sizeof(u64) == 0;
}

static bool is_safe_arg(struct walk *w, const struct tep_print_arg *arg)
{
	switch (arg->type) {
	case TEP_PRINT_FLAGS:
		return is_safe(w, arg->flags.field);
	case TEP_PRINT_SYMBOL:
		return is_safe(w, arg->symbol.field);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return is_safe(w, arg->hex.field) && is_count(w, arg->hex.size);
	case TEP_PRINT_INT_ARRAY:
		return is_safe(w, arg->int_array.field) && is_count(w, arg->int_array.count) &&
		       is_constant(arg->int_array.el_size);
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		return is_mask(w, arg->bitmask.bitmask);
	case TEP_PRINT_TYPE:
		return is_safe(w, arg->typecast.item);
	case TEP_PRINT_DYNAMIC_ARRAY:
		return !arg->dynarray.index || arg->dynarray.index->type == TEP_PRINT_ATOM ||
		       arg->dynarray.index->type == TEP_PRINT_NULL;
	case TEP_PRINT_OP:
		return is_safe_op(w, arg);
	case TEP_PRINT_FUNC:
		return is_safe_func(w, arg);
	default:
		return true;
	}
}

static bool is_safe(struct walk *w, const struct tep_print_arg *arg)
{
	bool safe;

	if (!arg)
		return true;
	if (++w->depth > DEPTH_MAX)
		return false;
	safe = is_safe_arg(w, arg);
	w->depth--;
	return safe;
}

/* "%*d" would pad to any width that the record says; with "%.*s" and "%*ph" it is a limit. */
static bool has_width(const char *format)
{
	for (format = strchr(format, '*'); format; format = strchr(format + 1, '*'))
		if (format[-1] != '.' && format[1] != 'p')
			return true;
	return false;
}

static bool dynamic_fits(const struct field *f, const u8 *raw, u32 size)
{
	u32 loc, at;

	memcpy(&loc, raw + f->offset, sizeof(loc));
	at = (loc & 0xffff) + (f->where == FIELD_REL_LOC ? f->offset + 4 : 0);
	return at <= size && loc >> 16 <= size - at;
}

static bool fields_fit(const struct event_format *f, const u8 *raw, u32 size)
{
	size_t i;

	if (size < f->size)
		return false;
	for (i = 0; i < f->nr_fields; i++)
		if ((f->fields[i].where == FIELD_DATA_LOC || f->fields[i].where == FIELD_REL_LOC) &&
		    (f->fields[i].room != 4 || !dynamic_fits(&f->fields[i], raw, size)))
			return false;
	return true;
}

static bool can_print(struct walk *w, const struct tep_event *tep)
{
	const struct tep_print_arg *arg;

	if (!tep->print_fmt.format || has_width(tep->print_fmt.format))
		return false;
	for (arg = tep->print_fmt.args; arg; arg = arg->next)
		if (!is_safe(w, arg))
			return false;
	return true;
}

static void print(struct strbuf *b, struct tep_event *tep, u8 *copy, u32 size, bool terminal)
{
	struct tep_record record = {.data = copy, .size = size};
	struct trace_seq seq;

	/* its handle knows one event, and finds it by the number in the record */
	memcpy(copy, &(u16){tep->id}, sizeof(u16));
	trace_seq_init(&seq);
	tep_print_event(tep->tep, &seq, &record, "%s", TEP_PRINT_INFO);
	while (seq.len && seq.buffer[seq.len - 1] == '\n')
		seq.len--;
	format__escape(b, seq.buffer, seq.len, terminal);
	trace_seq_destroy(&seq);
}

bool kernel_text__put(struct strbuf *b, const struct record *rec, bool terminal)
{
	struct tep_event *tep = event_format__tep(rec->event->format);
	struct walk w = {.rec = rec};
	const u8 *raw = record__raw(rec, &w.size);
	_cleanup_free_ u8 *heap = NULL;
	u8 stack[ON_STACK], *copy = stack;
	size_t zeroes;

	if (!tep || !raw || !fields_fit(rec->event->format, raw, w.size) || !can_print(&w, tep))
		return false;
	zeroes = w.counted ? ZEROES + (size_t)ELEMENT * w.size : ZEROES;
	if (w.size + zeroes > sizeof(stack))
		copy = heap = malloc(w.size + zeroes);
	if (!copy)
		return false;
	memcpy(copy, raw, w.size);
	memset(copy + w.size, 0, zeroes);
	print(b, tep, copy, w.size, terminal);
	return true;
}
