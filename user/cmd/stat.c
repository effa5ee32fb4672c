// SPDX-License-Identifier: GPL-2.0-only
/* stat.c - counters of any tracepoints, in all modes of kvmstat. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "../event/catalog.h"
#include "../event/spec.h"
#include "../stat_tables.h"
#include "commands.h"
#include "stat_run.h"

struct stat {
	struct stat_opts *o;
	struct catalog *catalog;
	struct stat_tables *tables;
	struct stat_run run;
	const struct event_spec *spec; /* whose events are being added */
	u64 children_used; /* of --children, the first 64 */
	struct err *err;
};

/* "sched_switch:prev_state", "sched:sched_switch:prev_state"; the event may be a glob. */
static const char *field_of(struct stat *s, const char *system, const char *name)
{
	char event[256], full[256];
	size_t i, n;

	snprintf(full, sizeof(full), "%s:%s", system, name);
	for (i = 0; i < s->o->given.children.n; i++) {
		const char *colon = strrchr(s->o->given.children.v[i], ':');

		n = colon - s->o->given.children.v[i];
		snprintf(event, sizeof(event), "%.*s", (int)n, s->o->given.children.v[i]);
		if (fnmatch(event, strchr(event, ':') ? full : name, 0))
			continue;
		s->children_used |= 1ull << (i & 63);
		return colon + 1;
	}
	return NULL;
}

static int add_event(void *ctx, const char *system, const char *name)
{
	struct stat *s = ctx;
	char shown[256];
	struct stat_event event = {.system = system,
				   .name = name,
				   .shown = shown,
				   .filter = s->spec->filter.s,
				   .field = field_of(s, system, name),
				   .chosen = -1};

	if (s->spec->alias)
		snprintf(shown, sizeof(shown), "%s:%s", system, s->spec->alias);
	else
		snprintf(shown, sizeof(shown), "%s:%s", system, name);
	return stat_tables__add(s->tables, s->catalog, &event, s->err);
}

static int add_spec(struct stat *s, const struct event_spec *spec, struct err *err)
{
	size_t before = stat_tables__nr(s->tables);
	int ret;

	if (spec->kind != SPEC_TRACEPOINT)
		return err__usage(err, "%s: stat counts tracepoints, sys:name", spec->text);
	if (spec__aggregates(spec) || spec->since || spec->is_start || spec->key.n)
		return err__usage(
			err,
			"%s: stat counts by itself; tamis top shows what count=, sum=, hist= "
			"and pairs give",
			spec->text);
	s->spec = spec;
	ret = catalog__each(s->catalog, spec->system, spec->name, add_event, s, err);
	if (!ret && stat_tables__nr(s->tables) == before)
		ret = catalog__unknown(s->catalog, spec->text, 0, spec->system, spec->name, err);
	return ret;
}

static int check_children(const struct stat *s, struct err *err)
{
	size_t i;

	for (i = 0; i < s->o->given.children.n && i < 64; i++)
		if (!(s->children_used >> i & 1))
			return err__usage(err, "--children %s: no event of -e is called that",
					  s->o->given.children.v[i]);
	return 0;
}

static int check_syntax(const struct stat *s, struct err *err)
{
	size_t i;

	if (!s->o->given.events.n)
		return err__usage(err,
				  "nothing to count: name it with -e, for example -e 'sched:*'");
	for (i = 0; i < s->o->given.children.n; i++) {
		const char *colon = strrchr(s->o->given.children.v[i], ':');

		if (!colon || colon == s->o->given.children.v[i] || !colon[1])
			return err__usage(err, "--children %s: it is EVENT:FIELD",
					  s->o->given.children.v[i]);
	}
	return 0;
}

static int add_events(struct stat *s, struct event_specs *specs, struct err *err)
{
	int ret = check_syntax(s, err);
	size_t i;

	for (i = 0; i < s->o->given.events.n && !ret; i++)
		ret = spec__parse(specs, s->o->given.events.v[i], NULL, &s->o->given.log, err);
	if (!ret)
		ret = catalog__open(&s->catalog, s->o->given.session.tracefs, &s->o->given.log,
				    err);
	if (!ret)
		ret = stat_tables__new(&s->tables, err);
	for (i = 0; i < specs->n && !ret; i++)
		ret = add_spec(s, specs->v[i], err);
	if (!ret)
		ret = check_children(s, err);
	if (!ret && stat_tables__declare(s->tables, s->run.counts))
		ret = err__set(err, ENOMEM, "out of memory");
	return ret;
}

static int list_fields(const struct stat *s, struct err *err)
{
	const struct view all = {.children = true};
	struct lines l;
	size_t i;

	if (counts__by_name(s->run.counts, &all, &l))
		return err__set(err, ENOMEM, "out of memory");
	for (i = 0; i < l.n; i++)
		printf("%s\n", l.v[i].name);
	lines__free(&l);
	return 0;
}

static int stat_events(struct stat *s, struct err *err)
{
	struct event_specs specs = {0};
	int ret;

	s->run.counts = counts__new();
	if (!s->run.counts)
		return err__set(err, ENOMEM, "out of memory");
	s->run.view.children = s->o->given.children.n;
	if (s->o->has_fields) {
		s->run.view.fields = &s->o->fields;
		s->run.filter_text = s->o->given.fields;
	}
	ret = add_events(s, &specs, err);
	if (!ret && s->o->list_fields)
		ret = list_fields(s, err);
	else if (!ret)
		ret = stat_run__count(&s->run, s->tables, 0, err) ? -err->code
								  : stat_run(&s->run, err);
	spec__free(&specs);
	return ret;
}

#define GROUPS (OPT_GROUP | OPT_STAT | OPT_SCOPE)

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	struct stat_opts o = {0};
	struct stat s = {.o = &o, .err = err, .run = {.o = &o, .title = "tamis stat"}};
	int ret = stat_opts__parse(&o, GROUPS, argc, argv, err);

	stat_log(&o.given.log);
	if (!ret && o.given.help)
		command__help_options(self, GROUPS);
	else if (!ret)
		ret = stat_events(&s, err);
	stat_run__close(&s.run);
	stat_tables__free(s.tables);
	catalog__close(s.catalog);
	counts__free(s.run.counts);
	stat_opts__free(&o);
	return ret;
}

static const char *const examples[] = {
	"tamis stat -e 'sched:*'",
	"tamis stat -e sched:sched_switch --children sched_switch:prev_state -1",
	"tamis stat -e 'raw_syscalls:sys_enter' --children sys_enter:id -- ls /",
	"tamis stat -e 'block:*,irq:softirq_entry' -l -s 5",
	"tamis stat -e 'kmem:*' -c -L /tmp/kmem.csv",
	NULL,
};

const struct command cmd_stat = {
	.name = "stat",
	.summary = "Count any tracepoints, live",
	.usage = "-e GLOB[,GLOB...] [OPTIONS] [-- COMMAND...]",
	.examples = examples,
	.run = run,
};
