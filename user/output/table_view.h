/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file table_view.h - a table as a person or a program reads it: sorted, with rates.
 */
#ifndef TAMIS_OUTPUT_TABLE_VIEW_H
#define TAMIS_OUTPUT_TABLE_VIEW_H

#include "../base/strbuf.h"
#include "../collect/table.h"

#define TABLE_FRAMES 128

struct frame;
struct symbolizer;

/** What turns ids in keys into names; any may be NULL. */
struct table_names {
	const char *(*cgroup)(void *ctx, u64 id, bool container);
	void *ctx;
	struct symbolizer *symbolizer;
};

/** Columns that rows are ordered by; a key's part is SORT_KEY + its index. */
enum sort_column {
	SORT_COUNT,
	SORT_RATE,
	SORT_SUM,
	SORT_MIN,
	SORT_MAX,
	SORT_AVG,
	SORT_KEY,
};

struct table_view {
	struct table *table; /**< borrowed */
	const struct table_names *names; /**< borrowed */
	struct snapshot now, before;
	u64 now_at, before_at; /**< ns; before_at 0: there was none */
	unsigned int sort; /**< SORT_* */
	bool ascending;
	bool wide; /**< all digits */
};

/** @time: when it began to count, ns. */
void table_view__init(struct table_view *v, struct table *t, const struct table_names *names,
		      u64 time);
void table_view__free(struct table_view *v);
/** Finds a column by its heading ("rate", "sum", "next_comm"). @return -1: there is none */
int table_view__column(const struct table_view *v, const char *heading);
/** Does the table have the column? */
bool table_view__has(const struct table_view *v, unsigned int column);

/** Reads the table; what was read before is kept for the rates. @time in ns. */
int table_view__read(struct table_view *v, u64 time, struct err *err);
/** Orders the rows by @sort and @ascending; reading does so too. */
void table_view__sort(struct table_view *v);
/** Updates of a row in a second since the last read; of all rows with NULL. */
double table_view__rate(const struct table_view *v, const struct row *r);

/** "raw_syscalls:sys_enter: 12 rows, 3 updates lost" */
void table_view__title(struct strbuf *b, const struct table_view *v);
void table_view__heading(struct strbuf *b, const struct table_view *v);
/** One line of numbers and key, without histograms; stacks are their leaf. No newline. */
void table_view__row(struct strbuf *b, const struct table_view *v, const struct row *r);
/** Histograms and stacks below a row; @width columns in all. */
void table_view__details(struct strbuf *b, const struct table_view *v, const struct row *r,
			 unsigned int width);
/** Title, heading and at most table__top() rows, with details. */
void table_view__block(struct strbuf *b, const struct table_view *v);

/** A JSON object a row, a line each; @realtime in ns since the epoch. */
void table_view__json(struct strbuf *b, const struct table_view *v, u64 realtime);

/** Names the frames of a part that is a stack. @out has room for TABLE_FRAMES. @return how many */
unsigned int table_view__frames(const struct table_view *v, const struct key_part *p,
				struct frame *out);
/** One part of a key as text. */
void table_view__part(struct strbuf *b, const struct table_view *v, const struct row *r, size_t i);

#endif
