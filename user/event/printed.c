// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <string.h>
#include "printed.h"

/* Steps over a string literal. @return behind its closing quote, or the end */
static const char *skip_literal(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		if (*s == '\\' && s[1])
			s++;
	return *s ? s + 1 : s;
}

/* The end of the argument at @s: a comma outside of all parentheses and quotes, or the end. */
static const char *end_of_arg(const char *s)
{
	int depth = 0;

	for (; *s && *s != '\n' && !(*s == ',' && depth <= 0); s++) {
		if (*s == '"') {
			s = skip_literal(s) - 1;
			continue;
		}
		depth += strchr("([{", *s) ? 1 : strchr(")]}", *s) ? -1 : 0;
	}
	return s;
}

static void mark_named(struct field *fields, size_t n, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strlen(fields[i].name) != len || memcmp(fields[i].name, name, len) ||
		    fields[i].kind == FIELD_INT)
			continue;
		fields[i].kind = FIELD_BYTES;
		fields[i].elem_size = 1;
		fields[i].is_signed = false;
	}
}

/* Every field that is named in the argument: REC->addr, __get_dynamic_array(addr), ... */
static void mark_arg(struct field *fields, size_t n, const char *s, const char *end)
{
	size_t len;

	for (; s < end; s += len ? len : 1) {
		for (len = 0; s + len < end && (isalnum((u8)s[len]) || s[len] == '_'); len++)
			;
		if (len)
			mark_named(fields, n, s, len);
	}
}

static bool is_address(const char *conversion)
{
	return conversion[0] == 'p' && conversion[1] && strchr("IiMmU", conversion[1]);
}

void printed__mark_bytes(struct field *fields, size_t n, const char *format_text)
{
	const char *s = strstr(format_text, "\nprint fmt: \""), *arg, *end;

	if (!s)
		return;
	s += strlen("\nprint fmt: \"");
	arg = skip_literal(s - 1);
	for (; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1])
			s++;
		if (*s != '%' || s[1] == '%') {
			s += *s == '%';
			continue;
		}
		for (s++; *s && strchr("-+ #0123456789.*hlLqjzt", *s); s++)
			if (*s == '*' && *arg)
				arg = end_of_arg(arg + 1);
		if (*arg != ',')
			return;
		end = end_of_arg(arg + 1);
		if (is_address(s))
			mark_arg(fields, n, arg + 1, end);
		arg = end;
		if (!*s || *s == '"')
			return;
	}
}
