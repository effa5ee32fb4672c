/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file stat_lines.h - counters as text: a list of all, or a line for each interval.
 */
#ifndef TAMIS_OUTPUT_STAT_LINES_H
#define TAMIS_OUTPUT_STAT_LINES_H

#include "../base/strbuf.h"
#include "../collect/counts.h"

/** "name total delta", a line each. */
void stat_lines__list(struct strbuf *b, const struct lines *l);
/** The columns of what follows: names of @l. */
void stat_lines__header(struct strbuf *b, const struct lines *l, bool csv);
/** What the columns of @columns counted in the last interval; @now a wall-clock time, s. */
void stat_lines__row(struct strbuf *b, const struct lines *columns, const struct lines *l, bool csv,
		     s64 now);
/** Did any of the columns count anything? */
bool stat_lines__any(const struct lines *columns, const struct lines *l);

#endif
