// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/strbuf.h"
#include "../base/suggest.h"
#include "context.h"
#include "event_fields.h"
#include "expand.h"
#include "probe.h"
#include "source_names.h"

/* What a walk over the matches of one specification fills. */
struct walk {
	struct catalog *catalog;
	const char *root;
	struct event_spec *spec;
	struct wall_clock *clock;
	struct event **events;
	size_t n, room;
	struct err *err;
};

void events__free(struct event **events, size_t n)
{
	while (n--)
		event__put(events[n]);
	free(events);
}

bool events__need_catalog(const struct event_specs *specs)
{
	size_t i;

	for (i = 0; i < specs->n; i++)
		if (specs->v[i]->kind == SPEC_TRACEPOINT)
			return true;
	return false;
}

bool events__need_root(const struct event_specs *specs)
{
	size_t i;

	for (i = 0; i < specs->n; i++)
		if (specs->v[i]->file)
			return true;
	return false;
}

void handler__clean(char *name)
{
	for (; *name; name++)
		if (*name == '-' || *name == '.' || *name == ':')
			*name = '_';
}

static const char *const kind_names[] = {
	[SPEC_FENTRY] = "fentry",	[SPEC_FEXIT] = "fexit",	  [SPEC_KPROBE] = "kprobe",
	[SPEC_KRETPROBE] = "kretprobe", [SPEC_UPROBE] = "uprobe", [SPEC_URETPROBE] = "uretprobe",
	[SPEC_USDT] = "usdt",
};

static const char *system_of(const struct event *e)
{
	return e->kind == SPEC_TRACEPOINT ? e->format->system : kind_names[e->kind];
}

/* The events of a preset go by its name, as a source does, but those that only begin intervals. */
static const char *lone_name(const struct event *e)
{
	const struct event_spec *s = e->spec;

	if (e->kind != SPEC_SOURCE && (!s->preset || s->is_start))
		return NULL;
	return s->alias ? s->alias : s->preset ? s->preset : s->name;
}

static int name_lone(struct event *e, const char *name)
{
	const char *part = e->spec->part;

	if (asprintf(&e->label, "%s%s%s", name, part ? ":" : "", part ? part : "") < 0)
		e->label = NULL;
	e->handler = strdup(name);
	return e->label && e->handler ? 0 : -ENOMEM;
}

/* "system:name"; a USDT probe has a provider as well. */
static int name_of_kind(struct event *e)
{
	bool provider = e->kind == SPEC_USDT && !e->spec->alias;
	const char *name = e->spec->alias ? e->spec->alias : e->format->name;

	if (asprintf(&e->label, "%s:%s%s%s", system_of(e), provider ? e->format->system : "",
		     provider ? ":" : "", name) < 0)
		e->label = NULL;
	if (asprintf(&e->handler, "%s__%s%s%s", system_of(e), provider ? e->format->system : "",
		     provider ? "_" : "", name) < 0)
		e->handler = NULL;
	return e->label && e->handler ? 0 : -ENOMEM;
}

static int name_event(struct event *e)
{
	const char *lone = lone_name(e);
	int ret = lone ? name_lone(e, lone) : name_of_kind(e);

	if (!ret)
		handler__clean(e->handler);
	return ret;
}

static struct event *new_event(struct walk *w, struct event_format *format)
{
	struct event *e = calloc(1, sizeof(*e));

	if (!e) {
		event_format__put(format);
		return NULL;
	}
	e->refs = 1;
	e->format = format;
	e->spec = w->spec;
	e->kind = w->spec->kind;
	e->transport = w->spec->transport;
	e->with = w->spec->with;
	e->clock = wall_clock__get(w->clock);
	return e;
}

/* Takes the caller's reference to @format. */
static int add_event(struct walk *w, struct event_format *format)
{
	struct event *e = new_event(w, format);
	int ret = 0;

	if (!e)
		return err__set(w->err, ENOMEM, "out of memory");
	e->index = w->n;
	if (name_event(e) || array__push(w->events, w->n, w->room, e))
		ret = err__set(w->err, ENOMEM, "out of memory");
	if (ret)
		event__put(e);
	return ret;
}

/* --- tracepoints --- */

static int add_tracepoint(void *ctx, const char *system, const char *name)
{
	struct walk *w = ctx;
	struct event_format *format;
	int ret = catalog__format(w->catalog, system, name, &format, w->err);

	/* a module that is being unloaded takes its events with it */
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	return add_event(w, format);
}

static int resolve_tracepoint(struct walk *w)
{
	const struct event_spec *s = w->spec;
	size_t before = w->n;
	int ret;

	if (!w->catalog)
		return err__set(w->err, ENODEV, "%s:%s: tracefs is needed for it", s->system,
				s->name);
	if (strpbrk(s->system, "*?[") || strpbrk(s->name, "*?["))
		ret = catalog__each(w->catalog, s->system, s->name, add_tracepoint, w, w->err);
	else
		ret = add_tracepoint(w, s->system, s->name);
	if (!ret && w->n == before)
		return catalog__unknown(w->catalog, s->text, 0, s->system, s->name, w->err);
	return ret;
}

/* --- sources --- */

static struct event_format *empty_format(const char *system, const char *name)
{
	struct event_format *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->refs = 1;
	f->system = strdup(system);
	f->name = strdup(name);
	if (f->system && f->name)
		return f;
	event_format__put(f);
	return NULL;
}

static int unknown_source(struct walk *w)
{
	const struct event_spec *s = w->spec;
	const char *const *names = source__names();
	struct strbuf hints = {0};
	size_t nr = 0;

	while (names[nr])
		nr++;
	if (!suggest__near(&hints, s->name, names, nr) && w->catalog)
		catalog__suggest(w->catalog, s->name, &hints);
	err__caret(w->err, s->text, 0, strlen(s->name),
		   "%s is no sampling source and no preset; a tracepoint is SYSTEM:NAME%s", s->name,
		   hints.s ? hints.s : "");
	strbuf__free(&hints);
	return -EINVAL;
}

/* kvmstat is made of tracepoints, but behaves as a source. */
static bool is_source(const char *name)
{
	struct perf_event_attr attr = {0};

	return !source__lookup(name, &attr) || !strcmp(name, "kvmstat");
}

static int resolve_source(struct walk *w)
{
	struct event_format *format;

	if (!is_source(w->spec->name))
		return unknown_source(w);
	format = empty_format("", w->spec->name);
	return format ? add_event(w, format) : err__set(w->err, ENOMEM, "out of memory");
}

/* --- probes --- */

static int add_probe(void *ctx, struct event_format *format)
{
	return add_event(ctx, format);
}

static int resolve_probe(struct walk *w)
{
	if (w->spec->transport == TRANSPORT_PERF)
		return err__caret(w->err, w->spec->text, 0, strlen(w->spec->text),
				  "%s events travel by BPF only, not by transport=perf",
				  kind_names[w->spec->kind]);
	return probe__resolve(w->spec, w->root, add_probe, w, w->err);
}

/* --- all of them --- */

static int resolve_one(struct walk *w)
{
	switch (w->spec->kind) {
	case SPEC_TRACEPOINT:
		return resolve_tracepoint(w);
	case SPEC_SOURCE:
		return resolve_source(w);
	default:
		return resolve_probe(w);
	}
}

/* Of a wildcard the first match stands for all. */
static const struct event_format *format_of(const struct walk *w, const struct event_spec *spec)
{
	size_t i;

	for (i = 0; spec && i < w->n; i++)
		if (w->events[i]->spec == spec)
			return w->events[i]->format;
	return NULL;
}

/* Last, for an event may keep fields of one that comes later. */
static int describe_all(struct walk *w)
{
	struct event *e;
	size_t i;

	for (i = 0; i < w->n; i++) {
		e = w->events[i];
		if (event_fields__make(e, format_of(w, e->spec->start), w->err))
			return -w->err->code;
		event__find_context(e);
	}
	return 0;
}

int events__resolve(struct catalog *c, struct event_specs *specs, const char *root,
		    struct wall_clock *clock, struct event ***events, size_t *n, struct err *err)
{
	struct walk w = {.catalog = c, .root = root, .clock = clock, .err = err};
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < specs->n; i++) {
		w.spec = specs->v[i];
		ret = resolve_one(&w);
	}
	if (!ret)
		ret = describe_all(&w);
	if (!ret && w.n > UINT16_MAX)
		ret = err__usage(err, "%zu events are more than the %d that a run can have", w.n,
				 UINT16_MAX);
	if (ret) {
		events__free(w.events, w.n);
		return ret;
	}
	*events = w.events;
	*n = w.n;
	return 0;
}
