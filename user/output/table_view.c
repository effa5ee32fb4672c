// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "../format/format.h"
#include "../symbol/symbolizer.h"
#include "hist_view.h"
#include "number.h"
#include "table_view.h"

#define BLOCK_WIDTH    100
#define CONTEXT_KERNEL ((u64)-128) /* PERF_CONTEXT_* in front of addresses */
#define CONTEXT_USER   ((u64)-512)

static const struct {
	const char *heading;
	enum agg_op op;
} columns[] = {
	[SORT_COUNT] = {"count", AGG_COUNT}, [SORT_RATE] = {"rate", AGG_COUNT},
	[SORT_SUM] = {"sum", AGG_SUM},	     [SORT_MIN] = {"min", AGG_MIN},
	[SORT_MAX] = {"max", AGG_MAX},	     [SORT_AVG] = {"avg", AGG_AVG},
};

void table_view__init(struct table_view *v, struct table *t, const struct table_names *names,
		      u64 time)
{
	*v = (struct table_view){.table = t, .names = names, .now_at = time};
}

void table_view__free(struct table_view *v)
{
	snapshot__free(&v->now);
	snapshot__free(&v->before);
}

bool table_view__has(const struct table_view *v, unsigned int column)
{
	if (column >= SORT_KEY)
		return column - SORT_KEY < table__nr_parts(v->table);
	return column <= SORT_RATE || table__has(v->table, columns[column].op);
}

static const char *heading_of(const struct table_view *v, unsigned int column)
{
	if (column >= SORT_KEY)
		return table__part_name(v->table, column - SORT_KEY);
	return columns[column].heading;
}

int table_view__column(const struct table_view *v, const char *heading)
{
	unsigned int n = SORT_KEY + table__nr_parts(v->table);

	for (unsigned int i = 0; i < n; i++)
		if (table_view__has(v, i) && !strcmp(heading_of(v, i), heading))
			return (int)i;
	return -1;
}

/* --- reading and order --- */

static int compare_part(const struct key_part *a, const struct key_part *b)
{
	u32 len = a->len < b->len ? a->len : b->len;
	int order;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == PART_INT)
		return (s64)a->num < (s64)b->num ? -1 : (s64)a->num > (s64)b->num;
	if (a->kind == PART_TEXT) {
		order = memcmp(a->text, b->text, len);
		return order ? order : (a->len > b->len) - (a->len < b->len);
	}
	if (a->num != b->num)
		return a->num < b->num ? -1 : 1;
	return memcmp(&a->process, &b->process, sizeof(a->process));
}

static int compare_keys(const struct table_view *v, const struct row *a, const struct row *b)
{
	int order = 0;

	for (size_t i = 0; i < table__nr_parts(v->table) && !order; i++)
		order = compare_part(&a->key[i], &b->key[i]);
	return order;
}

static const struct row *row_before(const struct table_view *v, const struct row *r)
{
	for (size_t i = 0; i < v->before.nr; i++)
		if (!compare_keys(v, &v->before.rows[i], r))
			return &v->before.rows[i];
	return NULL;
}

static u64 total(const struct snapshot *s)
{
	u64 n = 0;

	for (size_t i = 0; i < s->nr; i++)
		n += s->rows[i].count;
	return n;
}

double table_view__rate(const struct table_view *v, const struct row *r)
{
	double seconds = (double)(v->now_at - v->before_at) / 1e9;
	const struct row *before = r ? row_before(v, r) : NULL;
	u64 now = r ? r->count : total(&v->now);
	u64 was = before ? before->count : r ? 0 : total(&v->before);

	if (!v->before_at || seconds <= 0 || was > now)
		return 0;
	return (double)(now - was) / seconds;
}

/* The rows with what they are ordered by, so that a rate is looked up once. */
struct ordered {
	struct row row;
	double number;
};

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct ordered *a = pa, *b = pb;
	const struct table_view *v = ctx;
	int order = 0;

	if (v->sort >= SORT_KEY)
		order = compare_part(&a->row.key[v->sort - SORT_KEY],
				     &b->row.key[v->sort - SORT_KEY]);
	else
		order = a->number > b->number ? -1 : a->number < b->number;
	if (v->ascending)
		order = -order;
	return order ? order : compare_keys(v, &a->row, &b->row);
}

void table_view__sort(struct table_view *v)
{
	struct ordered *o = calloc(v->now.nr + 1, sizeof(*o));

	if (!o)
		return; /* unsorted is better than nothing */
	for (size_t i = 0; i < v->now.nr; i++) {
		o[i].row = v->now.rows[i];
		if (v->sort < SORT_KEY)
			o[i].number = v->sort == SORT_RATE ? table_view__rate(v, &o[i].row)
							   : row__number(v->table, &o[i].row,
									 columns[v->sort].op);
	}
	qsort_r(o, v->now.nr, sizeof(*o), compare_rows, v);
	for (size_t i = 0; i < v->now.nr; i++)
		v->now.rows[i] = o[i].row;
	free(o);
}

int table_view__read(struct table_view *v, u64 time, struct err *err)
{
	struct snapshot s;
	int ret = table__snapshot(v->table, false, &s, err);

	if (ret)
		return ret;
	snapshot__free(&v->before);
	v->before = v->now;
	v->before_at = v->now_at;
	v->now = s;
	v->now_at = time;
	table_view__sort(v);
	return 0;
}

/* --- keys --- */

static void put_cgroup(struct strbuf *b, const struct table_view *v, const char *name, u64 id)
{
	bool container = !strcmp(name, "_container");
	const char *path = v->names && v->names->cgroup
				   ? v->names->cgroup(v->names->ctx, id, container)
				   : NULL;

	if (path)
		format__escape(b, path, strlen(path), true);
	else if (container)
		strbuf__puts(b, "-");
	else
		strbuf__printf(b, "cgroup %" PRIu64, id);
}

unsigned int table_view__frames(const struct table_view *v, const struct key_part *p,
				struct frame *out)
{
	u64 chain[TABLE_FRAMES + 1] = {p->kind == PART_USTACK ? CONTEXT_USER : CONTEXT_KERNEL};
	u32 n = p->nr_ips < TABLE_FRAMES ? p->nr_ips : TABLE_FRAMES;

	if (!p->ips || !v->names || !v->names->symbolizer)
		return 0;
	memcpy(chain + 1, p->ips, 8 * n);
	return symbolizer__frames(v->names->symbolizer, p->process.tgid, 0, chain, n + 1, out);
}

static void put_leaf(struct strbuf *b, const struct table_view *v, const struct key_part *p)
{
	struct frame frames[TABLE_FRAMES];
	u32 n = table_view__frames(v, p, frames);

	if (n)
		frame__name(&frames[0], b);
	else
		strbuf__puts(b, p->ips ? "[no frames]" : "[stack not kept: no room]");
}

void table_view__part(struct strbuf *b, const struct table_view *v, const struct row *r, size_t i)
{
	const struct key_part *p = &r->key[i];

	switch (p->kind) {
	case PART_INT:
		strbuf__printf(b, "%" PRId64, (s64)p->num);
		return;
	case PART_UINT:
		strbuf__printf(b, "%" PRIu64, p->num);
		return;
	case PART_TEXT:
		format__escape(b, p->text, p->len, true);
		return;
	case PART_NO_TEXT:
		strbuf__puts(b, "[unreadable]");
		return;
	case PART_CGROUP:
		put_cgroup(b, v, table__part_name(v->table, i), p->num);
		return;
	default:
		put_leaf(b, v, p);
	}
}

/* --- lines --- */

void table_view__title(struct strbuf *b, const struct table_view *v)
{
	u64 lost = table__lost(v->table);

	strbuf__printf(b, "%s: %zu rows, %" PRIu64 " events", table__event(v->table)->label,
		       v->now.nr, total(&v->now));
	if (v->before_at)
		strbuf__printf(b, ", %.0f/s", table_view__rate(v, NULL));
	if (lost)
		strbuf__printf(b, ", %" PRIu64 " lost for want of room (entries=)", lost);
}

void table_view__heading(struct strbuf *b, const struct table_view *v)
{
	for (unsigned int c = 0; c < SORT_KEY; c++)
		if (table_view__has(v, c))
			strbuf__printf(b, "%11s%c", heading_of(v, c), c == v->sort ? '*' : ' ');
	for (size_t i = 0; i < table__nr_parts(v->table); i++)
		strbuf__printf(b, " %-15s", table__part_name(v->table, i));
}

static void put_number(struct strbuf *b, const struct table_view *v, enum agg_op op, double n)
{
	struct strbuf s = {0};

	if (table__is_time(v->table, op))
		number__time(&s, n);
	else if (op == AGG_AVG)
		strbuf__printf(&s, "%.6g", n);
	else
		number__short(&s, n);
	strbuf__printf(b, "%11s ", s.s);
	strbuf__free(&s);
}

static void put_column(struct strbuf *b, const struct table_view *v, const struct row *r,
		       unsigned int c)
{
	if (c == SORT_COUNT)
		strbuf__printf(b, "%11" PRIu64 " ", r->count);
	else if (c == SORT_RATE)
		strbuf__printf(b, "%9.0f/s ", table_view__rate(v, r));
	else
		put_number(b, v, columns[c].op, row__number(v->table, r, columns[c].op));
}

void table_view__row(struct strbuf *b, const struct table_view *v, const struct row *r)
{
	struct strbuf part = {0};

	for (unsigned int c = 0; c < SORT_KEY; c++)
		if (table_view__has(v, c))
			put_column(b, v, r, c);
	for (size_t i = 0; i < table__nr_parts(v->table); i++) {
		strbuf__reset(&part);
		table_view__part(&part, v, r, i);
		strbuf__printf(b, " %-15s", part.s ? part.s : "");
	}
	strbuf__free(&part);
}

static void put_stack(struct strbuf *b, const struct table_view *v, const struct key_part *p)
{
	struct frame frames[TABLE_FRAMES];
	u32 n = table_view__frames(v, p, frames);

	for (u32 i = 0; i < n; i++) {
		strbuf__puts(b, "                ");
		frame__print(&frames[i], b);
		strbuf__putc(b, '\n');
	}
}

static void put_hist(struct strbuf *b, const struct table_view *v, enum agg_op op,
		     const struct hist *h, unsigned int width)
{
	struct hist_style style = {
		.is_signed = table__is_signed(v->table, op),
		.is_time = table__is_time(v->table, op),
		.width = width > 60 ? width - 50 : 10,
		.indent = "  ",
	};

	if (!h->nr)
		return;
	hist_view__draw(b, h, &style);
	strbuf__puts(b, "                         ");
	hist_view__percentiles(b, h, &style);
	strbuf__putc(b, '\n');
}

void table_view__details(struct strbuf *b, const struct table_view *v, const struct row *r,
			 unsigned int width)
{
	for (size_t i = 0; i < table__nr_parts(v->table); i++)
		if (r->key[i].kind >= PART_STACK)
			put_stack(b, v, &r->key[i]);
	put_hist(b, v, AGG_HIST, &r->hist, width);
	put_hist(b, v, AGG_LHIST, &r->lhist, width);
}

static void trim(struct strbuf *b)
{
	while (b->len && b->s[b->len - 1] == ' ')
		b->s[--b->len] = 0;
}

void table_view__block(struct strbuf *b, const struct table_view *v)
{
	size_t n = table__top(v->table);

	table_view__title(b, v);
	strbuf__putc(b, '\n');
	table_view__heading(b, v);
	trim(b);
	strbuf__putc(b, '\n');
	for (size_t i = 0; i < v->now.nr && i < n; i++) {
		table_view__row(b, v, &v->now.rows[i]);
		trim(b);
		strbuf__putc(b, '\n');
		table_view__details(b, v, &v->now.rows[i], BLOCK_WIDTH);
	}
	strbuf__putc(b, '\n');
}
