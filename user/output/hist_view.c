// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>
#include "hist_view.h"
#include "number.h"

static double value_of(s64 v, const struct hist_style *style)
{
	return style->is_signed ? (double)v : (double)(u64)v;
}

static void put_bound(struct strbuf *b, s64 v, const struct hist_style *style)
{
	if (style->is_time)
		number__time(b, value_of(v, style));
	else if (style->exact || (v > -100000 && v < 100000))
		strbuf__printf(b, style->is_signed ? "%" PRId64 : "%" PRIu64, v);
	else
		number__short(b, value_of(v, style));
}

/* What a bucket without an end on this side is called. */
static bool is_open(s64 v, bool high, const struct hist_style *style)
{
	if (style->is_signed)
		return v == (high ? INT64_MAX : INT64_MIN);
	return high && (u64)v == UINT64_MAX;
}

static void put_range(struct strbuf *b, const struct bucket *k, const struct hist_style *style)
{
	if (k->low == k->high) {
		put_bound(b, k->low, style);
	} else if (is_open(k->low, false, style)) {
		strbuf__puts(b, "up to ");
		put_bound(b, k->high, style);
	} else if (is_open(k->high, true, style)) {
		strbuf__puts(b, "from ");
		put_bound(b, k->low, style);
	} else {
		put_bound(b, k->low, style);
		strbuf__puts(b, " - ");
		put_bound(b, k->high, style);
	}
}

static void put_bar(struct strbuf *b, u64 count, u64 max, unsigned int width)
{
	unsigned int n = max ? (unsigned int)((double)count / (double)max * width + 0.5) : 0;

	strbuf__puts(b, " |");
	for (unsigned int i = 0; i < width; i++)
		strbuf__putc(b, i < n ? '@' : ' ');
	strbuf__puts(b, "|\n");
}

void hist_view__draw(struct strbuf *b, const struct hist *h, const struct hist_style *style)
{
	struct strbuf range = {0};
	u64 max = 0;

	for (size_t i = 0; i < h->nr; i++)
		if (h->buckets[i].count > max)
			max = h->buckets[i].count;
	for (size_t i = 0; i < h->nr; i++) {
		strbuf__reset(&range);
		put_range(&range, &h->buckets[i], style);
		strbuf__printf(b, "%s%22s %10" PRIu64, style->indent, range.s, h->buckets[i].count);
		put_bar(b, h->buckets[i].count, max, style->width);
	}
	strbuf__free(&range);
}

void hist_view__percentiles(struct strbuf *b, const struct hist *h, const struct hist_style *style)
{
	static const double percents[] = {50, 90, 99};

	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		double v = hist__percentile(h, style->is_signed, percents[i]);

		strbuf__printf(b, "%sp%.0f ", i ? "  " : "", percents[i]);
		if (style->is_time)
			number__time(b, v);
		else
			number__short(b, v);
	}
}
