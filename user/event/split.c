// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "split.h"

struct span span__trim(struct span p)
{
	while (p.len && isspace((u8)*span__s(&p)))
		p.at++, p.len--;
	while (p.len && isspace((u8)span__s(&p)[p.len - 1]))
		p.len--;
	return p;
}

bool span__is(const struct span *p, const char *word)
{
	return strlen(word) == p->len && !memcmp(span__s(p), word, p->len);
}

char *span__dup(const struct span *p)
{
	return strndup(span__s(p), p->len);
}

int span__error(const struct span *p, struct err *err, const char *fmt, ...)
{
	char message[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return err__caret(err, p->text, p->at, p->len, "%s", message);
}

/* @return behind the closing quote; NULL: there is none */
static const char *skip_quoted(const char *s, const char *end)
{
	char quote = *s;

	for (s++; s < end && *s != quote; s++)
		if (*s == '\\' && s + 1 < end)
			s++;
	return s < end ? s + 1 : NULL;
}

/* @return @s's first unprotected @stop; @end: none; NULL: not closed, @open says what */
static const char *find(const char *s, const char *end, char stop, const char **open)
{
	const char *first = NULL;
	int depth = 0;

	for (; s < end; s++) {
		if (*s == '"' || *s == '\'') {
			*open = s;
			s = skip_quoted(s, end);
			if (!s)
				return NULL;
			s--;
		} else if (*s == '(') {
			if (!depth++)
				first = s;
		} else if (*s == ')' && depth) {
			depth--;
		} else if (*s == stop && !depth) {
			return s;
		}
	}
	*open = first;
	return depth ? NULL : end;
}

int span__cut(struct span *rest, char stop, struct span *piece, struct err *err)
{
	const char *s = span__s(rest), *end = s + rest->len, *open, *at;

	at = find(s, end, stop, &open);
	if (!at)
		return err__caret(err, rest->text, open - rest->text, 1, "%s is not closed",
				  *open == '(' ? "this parenthesis" : "this quote");
	*piece = *rest;
	piece->len = at - s;
	rest->at += piece->len;
	rest->len -= piece->len;
	if (at == end)
		return 0;
	rest->at++;
	rest->len--;
	return 1;
}

static const struct {
	const char *name;
	s64 factor;
} units[] = {
	{"", 1},	   {"ns", 1},	{"us", 1000},	    {"ms", 1000000},
	{"s", 1000000000}, {"K", 1024}, {"M", 1024 * 1024}, {"G", 1024 * 1024 * 1024},
};

int span__number(const struct span *p, s64 *value, struct err *err)
{
	char text[40], *unit;
	size_t i;

	if (p->len && p->len < sizeof(text)) {
		memcpy(text, span__s(p), p->len);
		text[p->len] = 0;
		errno = 0;
		*value = strtoll(text, &unit, 0);
		for (i = 0; unit != text && !errno && i < ARRAY_SIZE(units); i++)
			if (!strcmp(unit, units[i].name) &&
			    !__builtin_mul_overflow(*value, units[i].factor, value))
				return 0;
	}
	return span__error(p, err, "not a number");
}
