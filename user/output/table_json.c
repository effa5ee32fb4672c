// SPDX-License-Identifier: GPL-2.0-only
/* table_json.c - a row of a table as a JSON object. */
#include <inttypes.h>
#include <string.h>
#include "../format/format.h"
#include "../symbol/symbolizer.h"
#include "table_view.h"

static void put_string(struct strbuf *b, const char *s)
{
	if (s)
		format__json_string(b, s, strlen(s));
	else
		strbuf__puts(b, "null");
}

static void put_name(struct strbuf *b, const char *name)
{
	strbuf__puts(b, ", ");
	put_string(b, name);
	strbuf__puts(b, ": ");
}

static void put_int(struct strbuf *b, u64 v, bool is_signed)
{
	if (is_signed)
		strbuf__printf(b, "%" PRId64, (s64)v);
	else
		strbuf__printf(b, "%" PRIu64, v);
}

static void put_stack(struct strbuf *b, const struct table_view *v, const struct key_part *p)
{
	struct frame frames[TABLE_FRAMES];
	u32 n = table_view__frames(v, p, frames);

	if (!p->ips) {
		strbuf__puts(b, "null");
		return;
	}
	strbuf__putc(b, '[');
	for (u32 i = 0; i < n; i++) {
		strbuf__printf(b, "%s{\"addr\": %" PRIu64 ", \"symbol\": ", i ? ", " : "",
			       frames[i].addr);
		put_string(b, frames[i].symbol);
		strbuf__printf(b, ", \"offset\": %" PRIu64 ", \"kernel\": %s, \"dso\": ",
			       frames[i].offset, frames[i].kernel ? "true" : "false");
		put_string(b, frames[i].dso);
		strbuf__putc(b, '}');
	}
	strbuf__putc(b, ']');
}

static void put_part(struct strbuf *b, const struct table_view *v, const struct row *r, size_t i)
{
	const struct key_part *p = &r->key[i];
	const char *name = table__part_name(v->table, i), *path = NULL;

	put_name(b, name);
	switch (p->kind) {
	case PART_INT:
	case PART_UINT:
		put_int(b, p->num, p->kind == PART_INT);
		return;
	case PART_TEXT:
		format__json_string(b, p->text, p->len);
		return;
	case PART_NO_TEXT:
		strbuf__puts(b, "null");
		return;
	case PART_CGROUP:
		if (v->names && v->names->cgroup)
			path = v->names->cgroup(v->names->ctx, p->num, !strcmp(name, "_container"));
		put_string(b, path);
		return;
	default:
		put_stack(b, v, p);
		if (p->kind == PART_USTACK)
			strbuf__printf(b, ", \"_hostpid\": %u", p->process.tgid);
	}
}

static void put_hist(struct strbuf *b, const struct table_view *v, enum agg_op op,
		     const struct hist *h)
{
	bool is_signed = table__is_signed(v->table, op);

	if (!table__has(v->table, op))
		return;
	put_name(b, op == AGG_HIST ? "hist" : "lhist");
	strbuf__putc(b, '[');
	for (size_t i = 0; i < h->nr; i++) {
		strbuf__puts(b, i ? ", [" : "[");
		put_int(b, (u64)h->buckets[i].low, is_signed);
		strbuf__puts(b, ", ");
		put_int(b, (u64)h->buckets[i].high, is_signed);
		strbuf__printf(b, ", %" PRIu64 "]", h->buckets[i].count);
	}
	strbuf__putc(b, ']');
}

static void put_op(struct strbuf *b, const struct table_view *v, enum agg_op op, const char *name,
		   u64 value)
{
	if (!table__has(v->table, op))
		return;
	put_name(b, name);
	put_int(b, value, table__is_signed(v->table, op));
}

static void put_row(struct strbuf *b, const struct table_view *v, const struct row *r)
{
	strbuf__printf(b, ", \"count\": %" PRIu64 ", \"rate\": %.6g", r->count,
		       table_view__rate(v, r));
	put_op(b, v, AGG_SUM, "sum", r->sum[AGG_SUM]);
	put_op(b, v, AGG_MIN, "min", r->min);
	put_op(b, v, AGG_MAX, "max", r->max);
	if (table__has(v->table, AGG_AVG))
		strbuf__printf(b, ", \"avg\": %.17g", r->avg);
	put_hist(b, v, AGG_HIST, &r->hist);
	put_hist(b, v, AGG_LHIST, &r->lhist);
}

void table_view__json(struct strbuf *b, const struct table_view *v, u64 realtime)
{
	u64 lost = table__lost(v->table);
	const char *label = table__event(v->table)->label;

	for (size_t i = 0; i < v->now.nr; i++) {
		strbuf__puts(b, "{\"_event\": ");
		put_string(b, label);
		strbuf__printf(b, ", \"_time\": %" PRIu64 ", \"_realtime\": %" PRIu64, v->now_at,
			       realtime);
		for (size_t k = 0; k < table__nr_parts(v->table); k++)
			put_part(b, v, &v->now.rows[i], k);
		put_row(b, v, &v->now.rows[i]);
		strbuf__puts(b, "}\n");
	}
	if (lost) {
		strbuf__puts(b, "{\"_lost\": ");
		strbuf__printf(b, "%" PRIu64 ", \"_event\": ", lost);
		put_string(b, label);
		strbuf__puts(b, "}\n");
	}
}
