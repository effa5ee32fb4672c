// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "err.h"

#define SUBJECT_SHOWN 160 /* columns of a long subject shown around its bad part */

static void set_text(struct err *err, int code, const char *fmt, va_list ap)
{
	err->code = code > 0 ? code : EINVAL;
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int err__set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return -err->code;
	va_start(ap, fmt);
	set_text(err, code, fmt, ap);
	va_end(ap);
	return -err->code;
}

int err__usage(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return -err->code;
	va_start(ap, fmt);
	set_text(err, EINVAL, fmt, ap);
	va_end(ap);
	err->usage = true;
	return -err->code;
}

/* Control bytes would move the caret, so they are shown as one '?' each. */
static void append_plain(char *out, size_t room, const char *s, size_t n)
{
	size_t at = strlen(out);

	for (; n && at + 1 < room; n--, s++)
		out[at++] = (unsigned char)*s < ' ' || *s == 127 ? '?' : *s;
	out[at] = 0;
}

static void append_repeated(char *out, size_t room, char c, size_t n)
{
	size_t at = strlen(out);

	while (n-- && at + 1 < room)
		out[at++] = c;
	out[at] = 0;
}

/* A UTF-8 continuation byte takes no column of its own. */
static size_t columns(const char *s, size_t n)
{
	size_t cols = 0;

	for (; n; n--, s++)
		cols += (*s & 0xc0) != 0x80;
	return cols;
}

static void draw_caret(struct err *err, const char *subject, size_t at, size_t len)
{
	size_t total = strlen(subject), from = 0, shown;

	if (at > total)
		at = total;
	if (len > total - at)
		len = total - at;
	if (at > SUBJECT_SHOWN / 2)
		from = at - SUBJECT_SHOWN / 2;
	shown = total - from < SUBJECT_SHOWN ? total - from : SUBJECT_SHOWN;
	if (at + len > from + shown)
		len = from + shown - at;
	strncat(err->text, "\n  ", sizeof(err->text) - strlen(err->text) - 1);
	append_plain(err->text, sizeof(err->text), subject + from, shown);
	strncat(err->text, "\n  ", sizeof(err->text) - strlen(err->text) - 1);
	append_repeated(err->text, sizeof(err->text), ' ', columns(subject + from, at - from));
	append_repeated(err->text, sizeof(err->text), '^', len ? columns(subject + at, len) : 1);
}

int err__caret(struct err *err, const char *subject, size_t at, size_t len, const char *fmt, ...)
{
	va_list ap;

	if (err->code)
		return -err->code;
	va_start(ap, fmt);
	set_text(err, EINVAL, fmt, ap);
	va_end(ap);
	err->usage = true;
	draw_caret(err, subject, at, len);
	return -err->code;
}

int err__prefix(struct err *err, const char *fmt, ...)
{
	char was[sizeof(err->text)];
	va_list ap;
	size_t n;

	memcpy(was, err->text, sizeof(was));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof(err->text) - n, ": %s", was);
	return -err->code;
}
