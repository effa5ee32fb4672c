/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file glob.h - glob patterns (* ? [a-z] [^a] \x) as the automaton that the probe runs.
 */
#ifndef TAMIS_FILTER_GLOB_H
#define TAMIS_FILTER_GLOB_H

#include "../base/types.h"
#include "bpf/record.h"
#include "bpf/template.h"

#define GLOB_MAX 63 /**< elements that take a character */

/** @return number of elements that take a character; -E2BIG: more than GLOB_MAX */
int glob__compile(struct glob *g, const char *pattern);
/** The automaton of a text of at most GLOB_MAX bytes that stands for itself. */
void glob__literal(struct glob *g, const char *text);
/** Matches @len bytes, ended early by a NUL. */
bool glob__match(const struct glob *g, const char *s, size_t len);
/** The same where the text goes on behind @len. @return 0, 1, or TEXT_UNKNOWN: the rest decides */
int glob__match_cut(const struct glob *g, const char *s, size_t len);
/** Is it a text without * ? [? Then it is written to @out (strlen + 1 bytes, may be
 * @pattern itself) without escapes. */
bool glob__is_plain(const char *pattern, char *out);
/** Shortest text that @pattern can match. */
size_t glob__min_length(const char *pattern);

#endif
