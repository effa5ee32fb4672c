// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "strbuf.h"

static bool grow(struct strbuf *b, size_t more)
{
	size_t room = b->room ? b->room : 256;
	char *s;

	if (b->len + more + 1 <= b->room)
		return true;
	while (room < b->len + more + 1)
		room *= 2;
	s = realloc(b->s, room);
	if (!s) {
		b->failed = true;
		return false;
	}
	b->s = s;
	b->room = room;
	return true;
}

void strbuf__add(struct strbuf *b, const void *bytes, size_t n)
{
	if (!grow(b, n))
		return;
	memcpy(b->s + b->len, bytes, n);
	b->len += n;
	b->s[b->len] = 0;
}

void strbuf__puts(struct strbuf *b, const char *s)
{
	strbuf__add(b, s, strlen(s));
}

void strbuf__putc(struct strbuf *b, char c)
{
	strbuf__add(b, &c, 1);
}

/* Most pieces are short: they are written where they belong, and only long ones twice. */
#define LIKELY_LONG 64

void strbuf__vprintf(struct strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	if (!grow(b, LIKELY_LONG))
		return;
	va_copy(again, ap);
	n = vsnprintf(b->s + b->len, b->room - b->len, fmt, ap);
	if (n >= 0 && (size_t)n >= b->room - b->len) {
		if (!grow(b, n)) {
			b->s[b->len] = 0;
			n = 0;
		} else {
			n = vsnprintf(b->s + b->len, b->room - b->len, fmt, again);
		}
	}
	va_end(again);
	if (n > 0)
		b->len += n;
}

void strbuf__printf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf__vprintf(b, fmt, ap);
	va_end(ap);
}

void strbuf__reset(struct strbuf *b)
{
	b->len = 0;
	if (b->s)
		b->s[0] = 0;
}

void strbuf__free(struct strbuf *b)
{
	free(b->s);
	*b = (struct strbuf){0};
}
