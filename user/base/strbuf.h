/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file strbuf.h - a growing text buffer. Out of memory makes it stop growing and sets @failed.
 */
#ifndef TAMIS_BASE_STRBUF_H
#define TAMIS_BASE_STRBUF_H

#include <stdarg.h>
#include "types.h"

struct strbuf {
	char *s;	/**< always NUL-terminated once something was added; owned by the buffer */
	size_t len, room;
	bool failed;
};

void strbuf__add(struct strbuf *b, const void *bytes, size_t n);
void strbuf__puts(struct strbuf *b, const char *s);
void strbuf__putc(struct strbuf *b, char c);
void strbuf__printf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf__vprintf(struct strbuf *b, const char *fmt, va_list ap);
/** Empties it and keeps its memory. */
void strbuf__reset(struct strbuf *b);
void strbuf__free(struct strbuf *b);

#endif
