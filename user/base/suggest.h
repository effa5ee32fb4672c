/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file suggest.h - the nearest names to a mistyped one, for messages.
 */
#ifndef TAMIS_BASE_SUGGEST_H
#define TAMIS_BASE_SUGGEST_H

#include "strbuf.h"

/** Nearest names by edit distance, for messages. Fills @out with at most @max of @names. */
int suggest__nearest(const char *wanted, const char *const *names, size_t nr, const char **out,
		     int max);
/** Appends "; near: a, b", with up to 4 names, or nothing. @return how many */
int suggest__near(struct strbuf *out, const char *wanted, const char *const *names, size_t nr);

#endif
