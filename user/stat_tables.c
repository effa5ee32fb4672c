// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/guard.h"
#include "base/strbuf.h"
#include "collect/counts.h"
#include "collect/perf_counts.h"
#include "collect/table.h"
#include "event/catalog.h"
#include "event/value_names.h"
#include "session.h"
#include "stat_tables.h"

/* Processes that cause one event, or processes times values. */
#define ENTRIES	      2048
#define CHILD_ENTRIES 8192

struct counted {
	struct event_format *format; /* one reference */
	char *shown, *field, *strip, *filter; /* owned; field NULL: no children */
	s64 chosen;
	const char *chooser; /* a second key, that the names of values depend on */
};

struct stat_tables {
	struct counted *v;
	size_t n, room;
	const char **specs; /* NULL-terminated; owned */
	size_t nr_specs, specs_room;
	struct session *session;
};

int stat_tables__new(struct stat_tables **ret, struct err *err)
{
	struct stat_tables *t = calloc(1, sizeof(*t));

	if (!t || array__push(t->specs, t->nr_specs, t->specs_room, NULL)) {
		free(t);
		return err__set(err, ENOMEM, "out of memory");
	}
	*ret = t;
	return 0;
}

static void free_counted(struct counted *e)
{
	event_format__put(e->format);
	free(e->shown);
	free(e->field);
	free(e->strip);
	free(e->filter);
}

void stat_tables__free(struct stat_tables *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->n; i++)
		free_counted(&t->v[i]);
	for (i = 0; i < t->nr_specs; i++)
		free((char *)t->specs[i]);
	free(t->v);
	free(t->specs);
	free(t);
}

static int add_spec(struct stat_tables *t, const struct stat_event *event, const struct counted *e)
{
	struct strbuf b = {0};

	strbuf__printf(&b, "%s:%s/%s/count/by=_pid", event->system, event->name,
		       event->filter ? event->filter : "");
	if (e->field)
		strbuf__printf(&b, ",%s", e->field);
	if (e->chooser)
		strbuf__printf(&b, ",%s", e->chooser);
	strbuf__printf(&b, "/entries=%d/", e->field ? CHILD_ENTRIES : ENTRIES);
	if (b.failed || array__push(t->specs, t->nr_specs, t->specs_room, NULL)) {
		strbuf__free(&b);
		return -ENOMEM;
	}
	t->specs[t->nr_specs - 2] = b.s;
	return 0;
}

static int check_field(const struct counted *e, struct err *err)
{
	const struct field *f = e->field ? event_format__field(e->format, e->field) : NULL;

	if (!e->field || (f && f->kind == FIELD_INT))
		return 0;
	if (!f)
		return err__usage(err, "%s:%s has no field %s", e->format->system, e->format->name,
				  e->field);
	return err__usage(err, "%s:%s: %s is no number, so its values cannot be counted",
			  e->format->system, e->format->name, e->field);
}

static int copy_names(struct counted *e, const struct stat_event *event, struct err *err)
{
	e->shown = strdup(event->shown);
	e->field = event->field ? strdup(event->field) : NULL;
	e->strip = strdup(event->strip ? event->strip : "");
	e->filter = event->filter && *event->filter ? strdup(event->filter) : NULL;
	e->chosen = event->chosen;
	if (!e->shown || !e->strip || (event->field && !e->field) ||
	    (event->filter && *event->filter && !e->filter))
		return err__set(err, ENOMEM, "out of memory");
	return 0;
}

int stat_tables__add(struct stat_tables *t, struct catalog *c, const struct stat_event *event,
		     struct err *err)
{
	struct counted e = {0};
	int ret = catalog__format(c, event->system, event->name, &e.format, err);

	if (ret)
		return ret == -ENOENT
			       ? err__usage(err, "no event %s:%s", event->system, event->name)
			       : ret;
	ret = copy_names(&e, event, err);
	if (!ret)
		ret = check_field(&e, err);
	if (!ret && e.field)
		e.chooser = value_names__chooser(e.format, e.field);
	if (!ret && (array__push(t->v, t->n, t->room, e) || add_spec(t, event, &e)))
		return err__set(err, ENOMEM, "out of memory");
	if (ret)
		free_counted(&e);
	return ret;
}

const char *const *stat_tables__specs(const struct stat_tables *t)
{
	return t->specs;
}

size_t stat_tables__nr(const struct stat_tables *t)
{
	return t->n;
}

void stat_tables__use(struct stat_tables *t, struct session *s)
{
	t->session = s;
}

static void put_child(struct strbuf *b, const struct counted *e, const char *value)
{
	size_t strip = strlen(e->strip);

	if (!strncmp(value, e->strip, strip))
		value += strip;
	strbuf__reset(b);
	strbuf__printf(b, "%s(%s)", e->shown, value);
}

static void name_child(struct strbuf *b, const struct counted *e, const struct row *r)
{
	struct strbuf value = {0};

	value_names__put(&value, e->format, e->field, r->key[1].num,
			 e->chooser ? r->key[2].num : 0);
	put_child(b, e, value.s ? value.s : "");
	strbuf__free(&value);
}

/* One process and value after the other; its rows are many, so that they are summed here. */
struct sums {
	struct {
		u32 tgid;
		u64 total;
	} * v;
	size_t n, room;
};

static int sum(struct sums *s, u32 tgid, u64 count)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].tgid == tgid) {
			s->v[i].total += count;
			return 0;
		}
	if (array__reserve((void **)&s->v, s->n, &s->room, sizeof(*s->v)))
		return -ENOMEM;
	s->v[s->n].tgid = tgid;
	s->v[s->n++].total = count;
	return 0;
}

static int set_rows(const struct counted *e, const struct snapshot *snap, struct counts *c)
{
	struct strbuf name = {0};
	struct sums sums = {0};
	int ret = 0;
	size_t i;

	for (i = 0; i < snap->nr && !ret; i++) {
		const struct row *r = &snap->rows[i];

		ret = sum(&sums, r->key[0].num, r->count);
		if (!ret && e->field) {
			name_child(&name, e, r);
			ret = name.failed
				      ? -ENOMEM
				      : counts__set(c, e->shown, name.s, r->key[0].num, r->count);
		}
	}
	for (i = 0; i < sums.n && !ret; i++)
		ret = counts__set(c, e->shown, NULL, sums.v[i].tgid, sums.v[i].total);
	strbuf__free(&name);
	free(sums.v);
	return ret;
}

int stat_tables__read(void *ctx, struct counts *c, struct err *err)
{
	struct stat_tables *t = ctx;
	struct snapshot snap;
	int ret = 0;
	size_t i;

	for (i = 0; i < t->n && !ret; i++) {
		struct table *table = session__table(t->session, i);

		if (!table)
			return err__set(err, EINVAL, "%s is not counted", t->v[i].shown);
		ret = table__snapshot(table, false, &snap, err);
		if (ret)
			return ret;
		ret = set_rows(&t->v[i], &snap, c);
		snapshot__free(&snap);
	}
	return ret ? err__set(err, ENOMEM, "out of memory") : 0;
}

u64 stat_tables__lost(const struct stat_tables *t)
{
	u64 lost = 0;
	size_t i;

	for (i = 0; i < t->n && t->session; i++)
		lost += table__lost(session__table(t->session, i));
	return lost;
}

/* Where it is not known which table is the right one, values are shown as they come. */
static int each_value(const struct counted *e, int (*fn)(void *ctx, const char *name, u64 value),
		      void *ctx)
{
	if (!e->field || (e->chooser && e->chosen < 0))
		return 0;
	return value_names__each(e->format, e->field, e->chosen, fn, ctx);
}

struct declaring {
	const struct counted *e;
	struct counts *counts;
	struct perf_counts *perf;
	struct err *err;
};

static int declare_value(void *ctx, const char *name, u64 value UNUSED)
{
	struct declaring *d = ctx;
	struct strbuf b = {0};
	int ret;

	put_child(&b, d->e, name);
	ret = b.failed ? -ENOMEM : counts__set(d->counts, d->e->shown, b.s, 0, 0);
	strbuf__free(&b);
	return ret;
}

int stat_tables__declare(const struct stat_tables *t, struct counts *c)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < t->n && !ret; i++) {
		struct declaring d = {.e = &t->v[i], .counts = c};

		ret = counts__event(c, t->v[i].shown);
		if (!ret)
			ret = each_value(&t->v[i], declare_value, &d);
	}
	return ret;
}

/* The kernel takes no -1 for an unsigned field. */
static void put_condition(struct strbuf *b, const struct field *f, u64 value)
{
	if (!f->is_signed && f->size < 8)
		value &= (1ull << 8 * f->size) - 1;
	if (f->is_signed)
		strbuf__printf(b, "%s == %lld", f->name, (long long)value);
	else
		strbuf__printf(b, "%s == %llu", f->name, (unsigned long long)value);
}

static int add_value(void *ctx, const char *name, u64 value)
{
	struct declaring *d = ctx;
	struct strbuf child = {0}, filter = {0};
	int ret;

	put_child(&child, d->e, name);
	if (d->e->filter)
		strbuf__printf(&filter, "(%s) && ", d->e->filter);
	put_condition(&filter, event_format__field(d->e->format, d->e->field), value);
	if (child.failed || filter.failed)
		ret = err__set(d->err, ENOMEM, "out of memory");
	else
		ret = perf_counts__add(d->perf, d->e->format->id, d->e->shown, child.s, filter.s,
				       d->err);
	strbuf__free(&child);
	strbuf__free(&filter);
	return ret;
}

int stat_tables__fill_perf(const struct stat_tables *t, struct perf_counts *p, struct err *err)
{
	int ret = 0;
	size_t i;

	for (i = 0; i < t->n && !ret; i++) {
		struct declaring d = {.e = &t->v[i], .perf = p, .err = err};

		ret = perf_counts__add(p, t->v[i].format->id, t->v[i].shown, NULL, t->v[i].filter,
				       err);
		if (!ret)
			ret = each_value(&t->v[i], add_value, &d);
	}
	return ret;
}
