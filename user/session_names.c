// SPDX-License-Identifier: GPL-2.0-only
/* session_names.c - names that go with records: of tasks and of addresses. */
#include <string.h>
#include "scope/cgroup_names.h"
#include "session_state.h"
#include "symbol/symbolizer.h"

struct symbolizer *session__symbolizer(struct session *s)
{
	struct symbolizer_opts opts = {s->opts.raw_names, s->opts.perf_map_dir};
	struct err err = {0};

	if (!s->symbolizer)
		symbolizer__new(&s->symbolizer, &opts, s->opts.log, &err);
	return s->symbolizer;
}

static bool has_cgroup(const struct event *e)
{
	size_t i;

	if (e->with & (1u << EXTRA_CGROUP | 1u << EXTRA_CONTAINER))
		return true;
	for (i = 0; e->spec && i < e->spec->by.n; i++)
		if (strstr(e->spec->by.v[i].s, "_cgroup") || strstr(e->spec->by.v[i].s, "_container"))
			return true;
	return false;
}

/* Sources need no catalog by themselves, but the watch for cgroups that come and go does. */
static int watch_cgroups(struct session *s, struct err *err)
{
	int ret = 0;

	if (!s->catalog)
		ret = catalog__open(&s->catalog, s->opts.tracefs, s->opts.log, err);
	return ret ? ret : cgroup_names__open(&s->cgroups, s->catalog, s->opts.log, err);
}

int session__watch_cgroups(struct session *s, struct err *err)
{
	size_t i;

	for (i = 0; i < s->nr_events; i++)
		if (has_cgroup(s->events[i]))
			return watch_cgroups(s, err);
	return 0;
}

const char *session__cgroup(struct session *s, u64 id)
{
	return s->cgroups ? cgroup_names__path(s->cgroups, id) : NULL;
}

const char *session__container(struct session *s, u64 id)
{
	return s->cgroups ? cgroup_names__container(s->cgroups, id) : NULL;
}
