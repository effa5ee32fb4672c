// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <time.h>
#include "stat_lines.h"

void stat_lines__list(struct strbuf *b, const struct lines *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		strbuf__printf(b, "%-42s%10llu%10llu\n", l->v[i].name,
			       (unsigned long long)l->v[i].total,
			       (unsigned long long)l->v[i].delta);
}

/* One word, so that columns can be counted: names of values may have blanks and commas. */
static void put_word(struct strbuf *b, const char *s)
{
	for (; *s; s++)
		strbuf__putc(b, *s == ' ' || *s == ',' ? '_' : *s);
}

void stat_lines__header(struct strbuf *b, const struct lines *l, bool csv)
{
	size_t i;

	if (csv)
		strbuf__puts(b, "timestamp");
	for (i = 0; i < l->n; i++) {
		if (csv)
			strbuf__putc(b, ',');
		put_word(b, l->v[i].name);
		if (!csv)
			strbuf__putc(b, ' ');
	}
	strbuf__putc(b, '\n');
}

static u64 delta_of(const struct lines *l, const char *name)
{
	const struct line *line = lines__find(l, name);

	return line ? line->delta : 0;
}

void stat_lines__row(struct strbuf *b, const struct lines *columns, const struct lines *l, bool csv,
		     s64 now)
{
	time_t t = now;
	struct tm tm;
	char text[32];
	size_t i;

	localtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	strbuf__puts(b, text);
	for (i = 0; i < columns->n; i++)
		strbuf__printf(b, csv ? ",%llu" : " %9llu",
			       (unsigned long long)delta_of(l, columns->v[i].name));
	strbuf__putc(b, '\n');
}

bool stat_lines__any(const struct lines *columns, const struct lines *l)
{
	size_t i;

	for (i = 0; i < columns->n; i++)
		if (delta_of(l, columns->v[i].name))
			return true;
	return false;
}
