// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "counts.h"

struct counts {
	struct series **v; /* in no order; owned */
	size_t n, room;
	void *tree; /* of the same, by event, child and tgid */
	char **names; /* owned */
	size_t nr_names, names_room;
	u64 now, before;
};

static int compare_names(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_series(const void *pa, const void *pb)
{
	const struct series *a = pa, *b = pb;
	int d = compare_names(a->event, b->event);

	if (!d)
		d = compare_names(a->child, b->child);
	return d ? d : (a->tgid > b->tgid) - (a->tgid < b->tgid);
}

struct counts *counts__new(void)
{
	return calloc(1, sizeof(struct counts));
}

static void keep_node(void *node)
{
	(void)node; /* the array owns it */
}

void counts__free(struct counts *c)
{
	size_t i;

	if (!c)
		return;
	tdestroy(c->tree, keep_node);
	for (i = 0; i < c->n; i++)
		free(c->v[i]);
	for (i = 0; i < c->nr_names; i++)
		free(c->names[i]);
	free(c->v);
	free(c->names);
	free(c);
}

/* One copy of each name, so that lines can borrow it. */
static const char *keep_name(struct counts *c, const char *name)
{
	size_t i;
	char *s;

	for (i = 0; i < c->nr_names; i++)
		if (!strcmp(c->names[i], name))
			return c->names[i];
	s = strdup(name);
	if (!s || array__push(c->names, c->nr_names, c->names_room, s)) {
		free(s);
		return NULL;
	}
	return s;
}

static struct series *add(struct counts *c, const struct series *key)
{
	struct series *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->event = keep_name(c, key->event);
	s->child = key->child ? keep_name(c, key->child) : NULL;
	s->tgid = key->tgid;
	if (!s->event || (key->child && !s->child) || array__push(c->v, c->n, c->room, s)) {
		free(s);
		return NULL;
	}
	if (!tsearch(s, &c->tree, compare_series)) {
		c->n--;
		free(s);
		return NULL;
	}
	return s;
}

static struct series *series(struct counts *c, const char *event, const char *child, u32 tgid)
{
	const struct series key = {.event = event, .child = child, .tgid = tgid};
	struct series **found = tfind(&key, &c->tree, compare_series);

	return found ? *found : add(c, &key);
}

int counts__event(struct counts *c, const char *event)
{
	return series(c, event, NULL, 0) ? 0 : -ENOMEM;
}

int counts__set(struct counts *c, const char *event, const char *child, u32 tgid, u64 total)
{
	struct series *s = series(c, event, child, tgid);

	if (!s)
		return -ENOMEM;
	s->next = s->given ? s->next + total : total;
	s->given = true;
	return 0;
}

void counts__tick(struct counts *c, u64 now)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		struct series *s = c->v[i];

		if (s->given)
			s->total = s->next;
		s->given = false;
		s->delta = s->total - s->before;
		s->before = s->total;
	}
	c->before = c->now;
	c->now = now;
}

void counts__reset(struct counts *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		c->v[i]->base = c->v[i]->total;
}

u64 counts__interval(const struct counts *c)
{
	return c->before ? c->now - c->before : 0;
}

static bool shown(const struct series *s, const struct view *v)
{
	const char *name = s->child ? s->child : s->event;

	if (v->tgid && s->tgid && s->tgid != v->tgid)
		return false;
	if (s->child && !v->children)
		return false;
	return !v->fields || !regexec(v->fields, name, 0, NULL, 0);
}

/* A declared event has no process; where only one is shown, it counts nothing. */
static struct line line_of(const struct series *s, const struct view *v)
{
	bool counts = !v->tgid || s->tgid == v->tgid;

	return (struct line){
		.name = s->child ? s->child : s->event,
		.child = s->child,
		.tgid = s->tgid,
		.total = counts ? s->total - s->base : 0,
		.delta = counts ? s->delta : 0,
	};
}

static int collect(const struct counts *c, const struct view *v, struct lines *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < c->n; i++)
		if (shown(c->v[i], v) &&
		    array__push(ret->v, ret->n, ret->room, line_of(c->v[i], v))) {
			lines__free(ret);
			return -ENOMEM;
		}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->name, ((const struct line *)b)->name);
}

static int by_tgid(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	return (a->tgid > b->tgid) - (a->tgid < b->tgid);
}

/* Sorts, and makes one line of those that are equal. */
static void merge(struct lines *l, int (*compare)(const void *, const void *))
{
	size_t i, n = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), compare);
	for (i = 0; i < l->n; i++) {
		if (!n || compare(&l->v[n - 1], &l->v[i])) {
			l->v[n++] = l->v[i];
			continue;
		}
		l->v[n - 1].total += l->v[i].total;
		l->v[n - 1].delta += l->v[i].delta;
	}
	l->n = n;
}

/* "kvm_exit(HLT)" is a child of "kvm_exit". */
static bool is_child_of(const struct line *child, const struct line *parent)
{
	size_t n = strlen(parent->name);

	return child->child && !strncmp(child->name, parent->name, n) && child->name[n] == '(';
}

static const struct line *parent_of(const struct lines *l, const struct line *child)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (!l->v[i].child && is_child_of(child, &l->v[i]))
			return &l->v[i];
	return NULL;
}

/* A child whose parent is there is part of it already. */
static void sum_up(struct lines *l)
{
	size_t i;

	l->total = l->delta = 0;
	for (i = 0; i < l->n; i++) {
		if (l->v[i].child && parent_of(l, &l->v[i]))
			continue;
		l->total += l->v[i].total;
		l->delta += l->v[i].delta;
	}
}

int counts__by_name(const struct counts *c, const struct view *v, struct lines *ret)
{
	if (collect(c, v, ret))
		return -ENOMEM;
	merge(ret, by_name);
	sum_up(ret);
	return 0;
}

const struct line *lines__find(const struct lines *l, const char *name)
{
	const struct line key = {.name = name};

	return l->n ? bsearch(&key, l->v, l->n, sizeof(*l->v), by_name) : NULL;
}

static int larger(u64 a, u64 b)
{
	return (a < b) - (a > b);
}

static int by_total(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;
	int d = larger(a->total, b->total);

	return d ? d : by_name(pa, pb);
}

static int by_delta(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;
	int d = larger(a->delta, b->delta);

	return d ? d : by_total(pa, pb);
}

/* Parents in their order, each with its children behind it; then children without a parent. */
static int with_children(struct lines *l)
{
	struct line *v = malloc((l->n + 1) * sizeof(*v));
	size_t n = 0, i, j;

	if (!v)
		return -ENOMEM;
	for (i = 0; i < l->n; i++) {
		if (l->v[i].child && parent_of(l, &l->v[i]))
			continue;
		v[n++] = l->v[i];
		for (j = 0; j < l->n && !l->v[i].child; j++)
			if (is_child_of(&l->v[j], &l->v[i]))
				v[n++] = l->v[j];
	}
	free(l->v);
	l->v = v;
	l->room = l->n + 1;
	return 0;
}

int counts__lines(const struct counts *c, const struct view *v, struct lines *ret)
{
	if (counts__by_name(c, v, ret))
		return -ENOMEM;
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), v->by_rate ? by_delta : by_total);
	if (!with_children(ret))
		return 0;
	lines__free(ret);
	return -ENOMEM;
}

int counts__guests(const struct counts *c, const struct view *v, struct lines *ret)
{
	const struct view parents = {.fields = v->fields, .tgid = v->tgid, .by_rate = v->by_rate};

	if (collect(c, &parents, ret))
		return -ENOMEM;
	merge(ret, by_tgid);
	sum_up(ret);
	if (ret->n && !ret->v[0].tgid && !ret->v[0].total) { /* events that were declared */
		memmove(ret->v, ret->v + 1, (ret->n - 1) * sizeof(*ret->v));
		ret->n--;
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), v->by_rate ? by_delta : by_total);
	return 0;
}

void lines__free(struct lines *l)
{
	free(l->v);
	memset(l, 0, sizeof(*l));
}
