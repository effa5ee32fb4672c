// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>
#include "parts.h"

void format__hex(struct strbuf *b, const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const u8 *p = bytes;
	char part[128];
	size_t i, at;

	while (n) {
		for (i = 0, at = 0; i < n && at < sizeof(part); i++) {
			part[at++] = digits[p[i] >> 4];
			part[at++] = digits[p[i] & 15];
		}
		strbuf__add(b, part, at);
		p += i;
		n -= i;
	}
}

u64 format__element(const struct field *f, const struct value *v, u32 i)
{
	unsigned int shift = 64 - 8 * f->elem_size;
	u64 num = 0;

	memcpy(&num, (const u8 *)v->ptr + i * f->elem_size, f->elem_size);
	return f->is_signed ? (u64)((s64)(num << shift) >> shift) : num;
}

void format__number(struct strbuf *b, u64 num, bool is_signed)
{
	bool minus = is_signed && (s64)num < 0;
	char digits[24], *at = digits + sizeof(digits);

	if (minus)
		num = -num;
	do
		*--at = '0' + num % 10;
	while (num /= 10);
	if (minus)
		*--at = '-';
	strbuf__add(b, at, digits + sizeof(digits) - at);
}

static void put_array(struct strbuf *b, const struct field *f, const struct value *v,
		      const char *brackets)
{
	u32 i;

	strbuf__putc(b, brackets[0]);
	for (i = 0; f->elem_size && i < v->len / f->elem_size; i++) {
		strbuf__puts(b, i ? "," : "");
		format__number(b, format__element(f, v, i), f->is_signed);
	}
	strbuf__putc(b, brackets[1]);
}

static bool is_pointer(const struct field *f)
{
	return f->kind == FIELD_INT && strchr(f->type, '*');
}

void format__value(struct strbuf *b, const struct field *f, const struct value *v, bool terminal)
{
	switch (v->kind) {
	case VALUE_INT:
	case VALUE_UINT:
		if (is_pointer(f))
			strbuf__printf(b, "0x%" PRIx64, v->num);
		else
			format__number(b, v->num, v->kind == VALUE_INT);
		break;
	case VALUE_TEXT:
		format__escape(b, v->ptr, v->len, terminal);
		break;
	case VALUE_BYTES:
		format__hex(b, v->ptr, v->len);
		break;
	case VALUE_ARRAY:
		put_array(b, f, v, "{}");
		break;
	case VALUE_NONE:
		strbuf__puts(b, "?");
	}
}

void format__json_value(struct strbuf *b, const struct field *f, const struct value *v)
{
	switch (v->kind) {
	case VALUE_INT:
	case VALUE_UINT:
		format__number(b, v->num, v->kind == VALUE_INT);
		break;
	case VALUE_TEXT:
		format__json_string(b, v->ptr, v->len);
		break;
	case VALUE_BYTES:
		strbuf__putc(b, '"');
		format__hex(b, v->ptr, v->len);
		strbuf__putc(b, '"');
		break;
	case VALUE_ARRAY:
		put_array(b, f, v, "[]");
		break;
	case VALUE_NONE:
		strbuf__puts(b, "null");
	}
}
