/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file split.h - pieces of a specification: quotes and parentheses protect what is inside.
 */
#ifndef TAMIS_EVENT_SPLIT_H
#define TAMIS_EVENT_SPLIT_H

#include "../base/err.h"

/** A piece of a longer text that is kept for messages. */
struct span {
	const char *text;	/**< all of it, for carets; NUL-terminated */
	size_t at, len;
};

static inline const char *span__s(const struct span *p)
{
	return p->text + p->at;
}

struct span span__trim(struct span p);
bool span__is(const struct span *p, const char *word);
/** @return a copy, the caller's; NULL: out of memory */
char *span__dup(const struct span *p);
/** A message with a caret under the piece. @return -EINVAL */
int span__error(const struct span *p, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * Cuts @rest at its first unprotected @stop: the piece before goes to @piece, what is behind
 * stays in @rest. @return 1: found, 0: there was none, the piece is all of it; -EINVAL: a quote
 * or a parenthesis is not closed
 */
int span__cut(struct span *rest, char stop, struct span *piece, struct err *err);

/** Numbers as in expressions: 10, 0x1f, -3, 4K, 2ms. The whole piece must be one. */
int span__number(const struct span *p, s64 *value, struct err *err);

#endif
