/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file hist_view.h - a histogram drawn with characters.
 */
#ifndef TAMIS_OUTPUT_HIST_VIEW_H
#define TAMIS_OUTPUT_HIST_VIEW_H

#include "../base/strbuf.h"
#include "../collect/table.h"

struct hist_style {
	bool is_signed;
	bool is_time; /**< values are ns */
	bool exact; /**< bounds with all their digits */
	unsigned int width; /**< columns of the longest bar */
	const char *indent;
};

/** A line for each bucket that holds something: "   1.02 us - 2.05 us    12 |@@@@   |". */
void hist_view__draw(struct strbuf *b, const struct hist *h, const struct hist_style *style);
/** "p50 1.2 us  p99 3.4 us" */
void hist_view__percentiles(struct strbuf *b, const struct hist *h, const struct hist_style *style);

#endif
