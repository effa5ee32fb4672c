// SPDX-License-Identifier: GPL-2.0-only
/* spec_link.c - which event begins the interval that another one ends. */
#include <errno.h>
#include <string.h>
#include "../base/suggest.h"
#include "catalog.h"
#include "spec_parts.h"

static bool is_alias(const struct event_spec *s, const char *name)
{
	return s->alias && !strcmp(s->alias, name);
}

/* "sched:sched_wakeup" or "sched_wakeup" */
static bool is_named(const struct event_spec *s, const char *name)
{
	const char *colon = strchr(name, ':');
	size_t n = colon ? colon - name : 0;

	if (colon && (!s->system || strlen(s->system) != n || memcmp(s->system, name, n)))
		return false;
	return s->name && !strcmp(s->name, colon ? colon + 1 : name);
}

/* What stands in one preset, or outside of all. */
static bool same_use(const struct event_spec *a, const struct event_spec *b)
{
	return a->preset_use == b->preset_use;
}

/* @same: only among what stands with it in one preset */
static struct event_spec *find_alias(const struct event_specs *specs, const struct event_spec *end,
				     bool same)
{
	size_t i;

	for (i = 0; i < specs->n; i++)
		if (specs->v[i] != end && is_alias(specs->v[i], end->since) &&
		    (!same || same_use(specs->v[i], end)))
			return specs->v[i];
	return NULL;
}

static struct event_spec *find_named(const struct event_specs *specs, const struct event_spec *end,
				     int *found)
{
	struct event_spec *first = NULL;
	size_t i;

	*found = 0;
	for (i = 0; i < specs->n; i++) {
		if (specs->v[i] == end || !is_named(specs->v[i], end->since))
			continue;
		if (!first)
			first = specs->v[i];
		++*found;
	}
	return first;
}

static int not_found(const struct event_specs *specs, const struct event_spec *end, struct err *err)
{
	struct strbuf hints = {0};
	const char *names[64];
	size_t i, n = 0;

	if (is_alias(end, end->since))
		return err__caret(err, end->text, end->since_at, strlen(end->since),
				  "an event cannot begin the interval that it ends");
	for (i = 0; i < specs->n && n + 2 < ARRAY_SIZE(names); i++) {
		if (specs->v[i] == end)
			continue;
		if (specs->v[i]->alias)
			names[n++] = specs->v[i]->alias;
		names[n++] = specs->v[i]->name;
	}
	suggest__near(&hints, end->since, names, n);
	err__caret(err, end->text, end->since_at, strlen(end->since), "no event has the alias %s%s",
		   end->since, hints.s ? hints.s : "");
	strbuf__free(&hints);
	return -EINVAL;
}

static struct event_spec *find_start(const struct event_specs *specs, const struct event_spec *end,
				     struct err *err)
{
	struct event_spec *start = find_alias(specs, end, true);
	int found = 1;

	if (!start)
		start = find_alias(specs, end, false);
	if (!start)
		start = find_named(specs, end, &found);
	if (!start)
		not_found(specs, end, err);
	else if (found > 1)
		err__caret(err, end->text, end->since_at, strlen(end->since),
			   "%d events have the name %s; give the one that is meant an alias of its "
			   "own",
			   found, end->since);
	return err->code ? NULL : start;
}

static int check_keys(const struct event_spec *start, const struct event_spec *end, struct err *err)
{
	if (start->kind == SPEC_SOURCE)
		return err__caret(err, start->text, 0, strlen(start->name),
				  "a sampling source cannot begin an interval");
	if (end->kind == SPEC_SOURCE)
		return err__caret(err, end->text, end->since_at, strlen(end->since),
				  "a sampling source cannot end an interval");
	if (!start->key.n)
		return err__caret(err, start->text, 0, strlen(start->text),
				  "since=%s names this event, which has no key=", end->since);
	if (start->key.n != end->key.n)
		return err__caret(err, end->text, end->key.v[0].at, strlen(end->key.v[0].s),
				  "this key has %zu parts and that of %s has %zu", end->key.n,
				  end->since, start->key.n);
	return 0;
}

static bool same_list(const struct spec_list *a, const struct spec_list *b)
{
	size_t i;

	for (i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->v[i].s, b->v[i].s))
			return false;
	return a->n == b->n;
}

/* All that share the alias of @first begin its intervals. */
static int mark_starts(struct event_specs *specs, struct event_spec *first,
		       const struct event_spec *end, struct err *err)
{
	struct event_spec *s;
	size_t i;

	for (i = 0; i < specs->n; i++) {
		s = specs->v[i];
		if (s != first &&
		    (!first->alias || !is_alias(s, first->alias) || !same_use(s, first)))
			continue;
		if (check_keys(s, end, err))
			return -EINVAL;
		if (!same_list(&s->keep, &first->keep))
			return err__caret(err, s->text, 0, strlen(s->text),
					  "events that share the alias %s keep the same fields",
					  first->alias);
		s->is_start = true;
		s->begins = first;
	}
	return 0;
}

static int check_keep(const struct event_specs *specs, struct err *err)
{
	const struct event_spec *s;
	size_t i;

	for (i = 0; i < specs->n; i++) {
		s = specs->v[i];
		if (s->keep.n && !s->is_start)
			return err__caret(
				err, s->text, s->keep.v[0].at, strlen(s->keep.v[0].s),
				"keep= is for an event that begins an interval, and no since= "
				"names this one");
	}
	return 0;
}

int spec__link(struct event_specs *specs, struct err *err)
{
	struct event_spec *s;
	size_t i;

	for (i = 0; i < specs->n; i++) {
		s = specs->v[i];
		if (!s->since)
			continue;
		s->start = find_start(specs, s, err);
		if (!s->start || mark_starts(specs, s->start, s, err))
			return -EINVAL;
	}
	return check_keep(specs, err);
}
