// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - what a table is, and its rows as keys and numbers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "table_impl.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define DEFAULT_TOP 20
#define BUCKETS_MAX (ZEROES / 8)

size_t table__nr_parts(const struct table *t)
{
	return t->key.nr;
}

const char *table__part_name(const struct table *t, size_t i)
{
	return t->key.slots[i].name;
}

enum part_kind table__part_kind(const struct table *t, size_t i)
{
	return t->key.slots[i].kind;
}

bool table__has(const struct table *t, enum agg_op op)
{
	return t->has[op];
}

unsigned int table__nr_ops(const struct table *t)
{
	unsigned int n = 0;

	for (int op = 0; op < AGG_MAX_OP; op++)
		n += t->has[op];
	return n;
}

bool table__is_signed(const struct table *t, enum agg_op op)
{
	return t->ops[op].e && t->ops[op].e->is_signed;
}

bool table__is_time(const struct table *t, enum agg_op op)
{
	return t->ops[op].e && expr__is_time(t->ops[op].e);
}

unsigned int table__top(const struct table *t)
{
	return t->event->spec->top ? t->event->spec->top : DEFAULT_TOP;
}

struct event *table__event(const struct table *t)
{
	return t->event;
}

u64 table__lost(const struct table *t)
{
	struct event_stats stats = {0};

	if (!t->kernel)
		return 0;
	t->kernel->stats(t->kernel->ctx, t->event, &stats);
	return stats.agg_full + stats.stack_full;
}

/* --- memory of a snapshot: freed as a whole --- */

struct block {
	struct block *next;
	u64 data[];
};

static void *take(struct snapshot *s, size_t bytes)
{
	struct block *b = calloc(1, sizeof(*b) + bytes);

	if (!b)
		return NULL;
	b->next = s->memory;
	s->memory = b;
	return b->data;
}

void snapshot__free(struct snapshot *s)
{
	struct block *b = s->memory, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
	*s = (struct snapshot){0};
}

/* --- keys --- */

static u64 word(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static bool text_part(struct snapshot *s, const struct key_slot *slot, const u8 *at,
		      struct key_part *part)
{
	char *copy;

	part->kind = word(at) == KEY_UNREADABLE ? PART_NO_TEXT : PART_TEXT;
	if (part->kind == PART_NO_TEXT)
		return true;
	part->len = (u32)strnlen((const char *)at, slot->size);
	copy = take(s, part->len + 1);
	if (copy)
		memcpy(copy, at, part->len);
	part->text = copy;
	return copy;
}

static bool stack_part(const struct table *t, struct snapshot *s, const struct key_slot *slot,
		       const u8 *at, struct key_part *part)
{
	u64 ips[STACK_KEY_MAX], *copy;
	int n;

	if (slot->kind == PART_USTACK) {
		part->process.tgid = (u32)word(at + 8);
		part->process.start_time = word(at + 16);
		part->process.exec_id = word(at + 24);
	}
	part->num = word(at);
	n = part->num ? table__stack(t, part->num, ips, STACK_KEY_MAX) : -ENOENT;
	if (n < 0)
		return true;
	copy = take(s, 8 * (n ? n : 1));
	if (copy)
		memcpy(copy, ips, 8 * n);
	part->ips = copy;
	part->nr_ips = n;
	return copy;
}

static bool make_part(const struct table *t, struct snapshot *s, const struct key_slot *slot,
		      const u8 *key, struct key_part *part)
{
	const u8 *at = key + slot->at;
	u32 index;

	part->kind = slot->kind;
	switch (slot->kind) {
	case PART_TEXT:
		return text_part(s, slot, at, part);
	case PART_STACK:
	case PART_USTACK:
		return stack_part(t, s, slot, at, part);
	default:
		if (t->key.index) {
			memcpy(&index, at, sizeof(index));
			part->num = index;
		} else {
			part->num = word(at);
		}
		return true;
	}
}

/* --- rows --- */

static bool make_hist(const struct table *t, struct snapshot *s, enum agg_op op, const u64 *value,
		      struct hist *h)
{
	struct bucket buckets[BUCKETS_MAX];
	size_t n = table__buckets(t, op, value, buckets);

	h->buckets = take(s, (n ? n : 1) * sizeof(*buckets));
	if (!h->buckets)
		return false;
	memcpy(h->buckets, buckets, n * sizeof(*buckets));
	h->nr = n;
	return true;
}

static double average(const struct table *t, const struct row *r)
{
	u64 sum = r->sum[AGG_AVG];

	return (table__is_signed(t, AGG_AVG) ? (double)(s64)sum : (double)sum) / (double)r->count;
}

static bool make_row(const struct table *t, struct snapshot *s, const u8 *key, const u64 *value,
		     struct row *r)
{
	r->count = value[0];
	if (t->has[AGG_SUM])
		r->sum[AGG_SUM] = value[t->ops[AGG_SUM].at];
	if (t->has[AGG_AVG]) {
		r->sum[AGG_AVG] = value[t->ops[AGG_AVG].at];
		r->avg = average(t, r);
	}
	if (t->has[AGG_MIN])
		r->min = value[t->ops[AGG_MIN].at];
	if (t->has[AGG_MAX])
		r->max = value[t->ops[AGG_MAX].at];
	if (t->has[AGG_HIST] && !make_hist(t, s, AGG_HIST, value, &r->hist))
		return false;
	if (t->has[AGG_LHIST] && !make_hist(t, s, AGG_LHIST, value, &r->lhist))
		return false;
	for (size_t i = 0; i < t->key.nr; i++)
		if (!make_part(t, s, &t->key.slots[i], key, &r->key[i]))
			return false;
	return true;
}

static int make_rows(const struct table *t, const struct raw_rows *raw, struct snapshot *s,
		     struct err *err)
{
	struct key_part *parts = take(s, (raw->nr * t->key.nr + 1) * sizeof(*parts));

	s->rows = take(s, (raw->nr + 1) * sizeof(*s->rows));
	if (!s->rows || !parts)
		return err__set(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < raw->nr; i++) {
		struct row *r = &s->rows[s->nr];

		if (!raw->values[i * t->words])
			continue;
		r->key = parts + s->nr * t->key.nr;
		if (!make_row(t, s, raw->keys + i * t->key.size, raw->values + i * t->words, r))
			return err__set(err, ENOMEM, "out of memory");
		s->nr++;
	}
	return 0;
}

int table__snapshot(struct table *t, bool clear, struct snapshot *ret, struct err *err)
{
	struct raw_rows raw = {0};
	int code;

	*ret = (struct snapshot){0};
	code = table__read_raw(t, clear, &raw, err);
	if (!code)
		code = make_rows(t, &raw, ret, err);
	if (!code && clear && t->stacks >= 0)
		code = table__take_stacks(t, err);
	raw_rows__free(&raw);
	if (code)
		snapshot__free(ret);
	return code;
}

/* --- order --- */

static double number(u64 v, bool is_signed)
{
	return is_signed ? (double)(s64)v : (double)v;
}

double row__number(const struct table *t, const struct row *r, enum agg_op op)
{
	switch (op) {
	case AGG_SUM:
		return number(r->sum[AGG_SUM], table__is_signed(t, op));
	case AGG_MIN:
		return number(r->min, table__is_signed(t, op));
	case AGG_MAX:
		return number(r->max, table__is_signed(t, op));
	case AGG_AVG:
		return r->avg;
	default:
		return (double)r->count;
	}
}

static int compare_part(const struct key_part *a, const struct key_part *b)
{
	u32 len = a->len < b->len ? a->len : b->len;
	int order;

	if (a->kind == PART_INT)
		return (s64)a->num < (s64)b->num ? -1 : (s64)a->num > (s64)b->num;
	if (!a->text || !b->text)
		return a->num < b->num ? -1 : a->num > b->num;
	order = memcmp(a->text, b->text, len);
	return order ? order : a->len < b->len ? -1 : a->len > b->len;
}

struct order {
	const struct table *t;
	enum agg_op by;
};

static int compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct row *a = pa, *b = pb;
	const struct order *o = ctx;
	double x = row__number(o->t, a, o->by), y = row__number(o->t, b, o->by);
	int order = x > y ? -1 : x < y;

	for (size_t i = 0; i < o->t->key.nr && !order; i++)
		order = compare_part(&a->key[i], &b->key[i]);
	return order;
}

void snapshot__sort(const struct table *t, struct snapshot *s, enum agg_op by)
{
	struct order o = {.t = t, .by = by};

	if (s->nr)
		qsort_r(s->rows, s->nr, sizeof(*s->rows), compare_rows, &o);
}
