// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "field.h"
#include "record.h"
#include "../../bpf/record.h"

static u64 extend(u64 num, u32 size)
{
	unsigned int shift = 64 - 8 * size;

	return (u64)((s64)(num << shift) >> shift);
}

static struct value integer(const struct field *f, const u8 *p, u32 len)
{
	struct value v = {.kind = f->is_signed ? VALUE_INT : VALUE_UINT, .len = f->size};

	if (!f->size || f->size > sizeof(v.num) || f->size > len)
		return (struct value){.kind = VALUE_NONE};
	memcpy(&v.num, p, f->size);
	if (f->is_signed)
		v.num = extend(v.num, f->size);
	return v;
}

/* What @p and @len hold, as the field's kind says; elements that are not whole are left out. */
static struct value as_kind(const struct field *f, const u8 *p, u32 len)
{
	struct value v = {.ptr = p, .len = len};

	switch (f->kind) {
	case FIELD_INT:
		return integer(f, p, len);
	case FIELD_TEXT:
		v.kind = VALUE_TEXT;
		v.len = strnlen((const char *)p, len);
		return v;
	case FIELD_ARRAY:
		v.kind = VALUE_ARRAY;
		v.len = f->elem_size ? len - len % f->elem_size : 0;
		return v;
	default:
		v.kind = VALUE_BYTES;
		return v;
	}
}

/* A part of @size bytes at @at of @len bytes at @base; cut where they end. */
static struct value within(const struct field *f, const u8 *base, u32 len, u64 at, u32 size)
{
	if (at > len)
		return (struct value){.kind = VALUE_NONE};
	return as_kind(f, base + at, size < len - at ? size : len - at);
}

static bool read_u32(const u8 *base, u32 len, u32 at, u32 *word)
{
	if (at > len || len - at < sizeof(*word))
		return false;
	memcpy(word, base + at, sizeof(*word));
	return true;
}

static struct value read_raw(const struct field *f, const struct record *rec)
{
	u32 len, loc;
	const u8 *raw = record__raw(rec, &len);

	if (!raw || f->offset > len)
		return (struct value){.kind = VALUE_NONE};
	if (f->where == FIELD_STATIC)
		return within(f, raw, len, f->offset, f->size ? f->size : len - f->offset);
	if (!read_u32(raw, len, f->offset, &loc))
		return (struct value){.kind = VALUE_NONE};
	if (f->where == FIELD_REL_LOC)
		return within(f, raw, len, f->offset + 4ull + (loc & 0xffff), loc >> 16);
	return within(f, raw, len, loc & 0xffff, loc >> 16);
}

static struct value read_text_slot(const struct field *f, const struct record *rec)
{
	u32 at, loc;

	if (rec->event->transport == TRANSPORT_PERF || f->slot >= LAYOUT_TEXTS)
		return (struct value){.kind = VALUE_NONE};
	at = rec->event->layout.text[f->slot];
	if (!at || !read_u32(rec->data, rec->size, at, &loc) || loc == RECORD_NO_TEXT)
		return (struct value){.kind = VALUE_NONE};
	return within(f, rec->data, rec->size, loc & 0xffff, loc >> 16);
}

u32 field__kept_words(const struct field *f)
{
	if (f->kind == FIELD_INT || f->where == FIELD_USER_TEXT)
		return 1;
	if (f->kind != FIELD_TEXT || f->where != FIELD_STATIC || f->size > KEPT_TEXT_MAX)
		return 0;
	return (f->size + 7) / 8;
}

static struct value read_slot(const struct field *f, const struct record *rec)
{
	u32 at;

	if (rec->event->transport == TRANSPORT_PERF || f->slot >= LAYOUT_VALUES)
		return (struct value){.kind = VALUE_NONE};
	at = rec->event->layout.value[f->slot];
	if (!at || at > rec->size)
		return (struct value){.kind = VALUE_NONE};
	return within(f, rec->data, rec->size, at, f->size);
}

struct value field__read(const struct field *f, const struct record *rec)
{
	switch (f->where) {
	case FIELD_USER_TEXT:
	case FIELD_KEPT_TEXT:
		return read_text_slot(f, rec);
	case FIELD_VALUE:
		return read_slot(f, rec);
	default:
		return read_raw(f, rec);
	}
}
