// SPDX-License-Identifier: GPL-2.0-only
/* session_expr.c - the expressions of events become code in the holes of their programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "filter/compile.h"
#include "filter/holes.h"
#include "filter/world.h"
#include "scope/names.h"
#include "session_state.h"

/* Cgroups and containers that expressions name. */
static const struct expr_world world = {
	.cgroup = names__cgroup,
	.container = names__container,
};

static struct compile_env make_env(const struct session *s)
{
	return (struct compile_env){
		.strict_text = s->opts.strict_text,
		.ns_dev = s->scope->own_ns_dev,
		.ns_ino = s->scope->own_ns_ino,
	};
}

/* Parts that use latency run behind the pairing, the others say which events are ends. */
static int compile_filter(const struct event *e, struct expr *filter, struct holes *holes,
			  struct compile_env *env, struct err *err)
{
	struct expr *early = NULL, *late = NULL;
	int ret = expr__split(filter, &early, &late);

	if (ret)
		return err__set(err, -ret, "%s: %s", e->label, strerror(-ret));
	if (early)
		ret = compile__filter(&holes->filter, early, e, env, err);
	if (!ret && late)
		ret = compile__filter(&holes->late, late, e, env, err);
	expr__free(early);
	expr__free(late);
	return ret;
}

int session__parse_filters(struct session *s, struct err *err)
{
	size_t i;
	int ret = 0;

	s->filters = calloc(s->nr_events, sizeof(*s->filters));
	if (!s->filters)
		return err__set(err, ENOMEM, "out of memory");
	for (i = 0; i < s->nr_events && !ret; i++) {
		const struct event *e = s->events[i];

		if (e->spec->filter.s)
			ret = expr__parse(&s->filters[i], e, &e->spec->filter, EXPR_WANT_INT, &world,
					  s->opts.log, err);
	}
	return ret;
}

void session__free_filters(struct session *s)
{
	size_t i;

	for (i = 0; s->filters && i < s->nr_events; i++)
		expr__free(s->filters[i]);
	free(s->filters);
}

/* The filter is consumed: its parts are. */
static int compile_event(struct session *s, struct event *e, struct compile_env *env,
			 struct err *err)
{
	struct expr *filter = s->filters[e->index];

	if (!filter)
		return 0;
	s->filters[e->index] = NULL;
	return compile_filter(e, filter, bpf_transport__holes(s->bpf, e), env, err);
}

int session__load_programs(struct session *s, struct err *err)
{
	struct compile_env env = make_env(s);
	size_t i;
	int ret = 0;

	for (i = 0; i < s->nr_events && !ret; i++)
		if (s->events[i]->transport == TRANSPORT_BPF)
			ret = compile_event(s, s->events[i], &env, err);
	if (!ret)
		ret = bpf_transport__load(s->bpf, err);
	compile_env__free(&env);
	return ret;
}
