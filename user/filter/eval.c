// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "eval.h"
#include "glob.h"

static const struct eval unknown = {.unknown = true};

static struct eval known(u64 num)
{
	return (struct eval){.num = num};
}

/* --- leaves --- */

static struct eval load(const u8 *p, u32 len, u64 at, u32 size, bool is_signed)
{
	u64 num = 0;

	if (!p || at > len || len - at < size)
		return unknown;
	memcpy(&num, p + at, size);
	return known(expr__canonical(8 * size, is_signed, num));
}

static struct eval read_field(const struct field *f, const struct record *rec)
{
	struct value v;
	const u8 *raw;
	u32 len;

	if (f->where == FIELD_VALUE) {
		v = field__read(f, rec);
		return v.kind == VALUE_INT || v.kind == VALUE_UINT ? known(v.num) : unknown;
	}
	raw = record__raw(rec, &len);
	/* user text is compared as the pointer it is */
	return load(raw, len, f->offset, f->where == FIELD_USER_TEXT ? 8 : f->size,
		    f->kind == FIELD_INT && f->is_signed);
}

/* The payload of a field: where it begins in the raw record, and its bytes. */
static bool find_payload(const struct field *f, const u8 *raw, u32 len, u64 *at, u32 *size)
{
	struct eval word;

	*at = f->offset;
	*size = f->size;
	if (f->where == FIELD_STATIC)
		return true;
	word = load(raw, len, f->offset, sizeof(u32), false);
	*at = (word.num & 0xffff) + (f->where == FIELD_REL_LOC ? f->offset + 4 : 0);
	*size = word.num >> 16;
	return !word.unknown;
}

static struct eval read_element(const struct expr *e, const struct record *rec)
{
	struct eval index = eval__int(e->a, rec);
	const struct field *f = e->field;
	u32 len, size;
	const u8 *raw = record__raw(rec, &len);
	u64 at;

	if (index.unknown || !raw || !find_payload(f, raw, len, &at, &size))
		return unknown;
	if (index.num >= size / f->elem_size)
		return known(0);
	return load(raw, len, at + index.num * f->elem_size, f->elem_size, f->is_signed);
}

static struct eval read_extra(const struct record *rec, enum extra which, u32 size, bool is_signed)
{
	return load(record__extra(rec, which), size, 0, size, is_signed);
}

static struct eval read_latency(const struct record *rec)
{
	const struct field *f = event__field(rec->event, "latency");

	return f ? read_field(f, rec) : unknown;
}

static struct eval read_operand(const struct expr *e, const struct record *rec)
{
	switch (e->operand) {
	case OPERAND_PID:
		return known((s64)(s32)rec->tgid);
	case OPERAND_TID:
		return known((s64)(s32)rec->tid);
	case OPERAND_CPU:
		return known(rec->cpu);
	case OPERAND_TIME:
		return known(rec->time);
	case OPERAND_UID:
		return read_extra(rec, EXTRA_UID, 4, false);
	case OPERAND_PPID:
		return read_extra(rec, EXTRA_PPID, 4, true);
	case OPERAND_CGROUP:
		return read_extra(rec, EXTRA_CGROUP, 8, false);
	case OPERAND_LATENCY:
		return read_latency(rec);
	default:
		return unknown;
	}
}

/* --- text --- */

/* @return false: not there, or not readable when the event happened */
static bool read_text(const struct expr *e, const struct record *rec, struct value *v)
{
	if (e->operand == OPERAND_COMM) {
		v->ptr = record__extra(rec, EXTRA_COMM);
		v->len = v->ptr ? strnlen(v->ptr, 16) : 0;
		return v->ptr;
	}
	*v = field__read(e->field, rec);
	return v->kind == VALUE_TEXT;
}

/* Was the end of a text of variable length cut off? */
static bool is_cut(const struct expr *text, const struct record *rec, const struct value *v)
{
	return text->field && text->field->where != FIELD_STATIC && rec->flags & RECORD_TRUNCATED &&
	       v->len >= STR_MAX - 1;
}

static struct eval match_glob(const struct expr *e, const struct record *rec, struct value *v)
{
	struct glob g;

	glob__compile(&g, e->text);
	if (!is_cut(e->a, rec, v))
		return known(glob__match(&g, v->ptr, v->len));
	switch (glob__match_cut(&g, v->ptr, v->len)) {
	case 0:
		return known(0);
	case 1:
		return known(1);
	default:
		return unknown;
	}
}

static struct eval match(const struct expr *e, const struct record *rec)
{
	struct value v, other;

	if (!read_text(e->a, rec, &v))
		return unknown;
	if (e->glob)
		return match_glob(e, rec, &v);
	if (!e->b)
		return known(v.len == e->text_len && !memcmp(v.ptr, e->text, v.len));
	if (!read_text(e->b, rec, &other))
		return unknown;
	return known(v.len == other.len && !memcmp(v.ptr, other.ptr, v.len));
}

/* A cpumask field against the wanted words; what is missing on a side is zero. */
static struct eval mask(const struct expr *e, const struct record *rec)
{
	struct value v = field__read(e->field, rec);
	size_t len = v.len > e->text_len ? v.len : e->text_len;
	bool equal = true, meet = false;

	if (!v.ptr)
		return unknown;
	for (size_t i = 0; i < len; i++) {
		u8 a = i < v.len ? ((const u8 *)v.ptr)[i] : 0;
		u8 b = i < e->text_len ? (u8)e->text[i] : 0;

		equal = equal && a == b;
		meet = meet || a & b;
	}
	return known(e->num == MASK_EQ ? equal : meet);
}

/* --- operators --- */

static struct eval logic(const struct expr *e, const struct record *rec)
{
	bool decides = e->op == EXPR_OROR; /* the value that settles it */
	struct eval a = eval__int(e->a, rec), b;

	if (!a.unknown && !!a.num == decides)
		return known(decides);
	b = eval__int(e->b, rec);
	if (!b.unknown && !!b.num == decides)
		return known(decides);
	return a.unknown || b.unknown ? unknown : known(!decides);
}

static struct eval cond(const struct expr *e, const struct record *rec)
{
	struct eval a = eval__int(e->a, rec);

	if (a.unknown)
		return unknown;
	return eval__int(a.num ? e->b : e->c, rec);
}

static struct eval apply(const struct expr *e, const struct record *rec)
{
	struct eval a = eval__int(e->a, rec), b = e->b ? eval__int(e->b, rec) : known(0);

	if (a.unknown || b.unknown)
		return unknown;
	if (e->op == EXPR_NOT)
		return known(!a.num);
	if (e->op == EXPR_CAST)
		return known(expr__canonical(e->bits, e->is_signed, a.num));
	return known(expr__arith(e->op, e->a->bits, e->a->is_signed, a.num, b.num));
}

struct eval eval__int(const struct expr *e, const struct record *rec)
{
	switch (e->op) {
	case EXPR_NUM:
		return known(e->num);
	case EXPR_FIELD:
		return read_field(e->field, rec);
	case EXPR_ELEM:
		return read_element(e, rec);
	case EXPR_OPERAND:
		return read_operand(e, rec);
	case EXPR_MATCH:
		return match(e, rec);
	case EXPR_MASK:
		return mask(e, rec);
	case EXPR_ANDAND:
	case EXPR_OROR:
		return logic(e, rec);
	case EXPR_COND:
		return cond(e, rec);
	case EXPR_TEXT:
		return unknown;
	default:
		return apply(e, rec);
	}
}

bool eval__filter(const struct expr *e, const struct record *rec, bool *is_unknown)
{
	struct eval v = eval__int(e, rec);

	*is_unknown = v.unknown;
	return v.unknown || v.num;
}
