// SPDX-License-Identifier: GPL-2.0-only
/* session_expr.c - the expressions of events become code in the holes of their programs. */
#include <errno.h>
#include "filter/world.h"
#include "scope/names.h"
#include "session_state.h"

/* Cgroups and containers that expressions name. */
static const struct expr_world world = {
	.cgroup = names__cgroup,
	.container = names__container,
};

int session__parse_expressions(struct session *s, struct err *err)
{
	struct sieve_opts opts = {
		.strict_text = s->opts.strict_text,
		.user_filter = s->opts.user_filter,
		.world = &world,
		.log = s->opts.log,
	};

	return sieve__open(&s->sieve, s->events, s->nr_events, &opts, err);
}

static void kernel_stats(void *ctx, const struct event *event, struct event_stats *stats)
{
	struct session *s = ctx;

	bpf_transport__stats(s->bpf, event, stats);
}

int session__load_programs(struct session *s, struct err *err)
{
	struct sieve_kernel kernel = {
		.control = bpf_transport__control(s->bpf), .stats = kernel_stats, .ctx = s,
		.task_map = bpf_transport__task_map(s->bpf),
		.ns_dev = s->scope->own_ns_dev, .ns_ino = s->scope->own_ns_ino,
	};
	size_t i;
	int ret = 0;

	sieve__kernel(s->sieve, &kernel);
	for (i = 0; i < s->nr_events && !ret; i++)
		if (s->events[i]->transport == TRANSPORT_BPF && !s->events[i]->made)
			ret = sieve__fill(s->sieve, i, bpf_transport__holes(s->bpf, s->events[i]), err);
	if (!ret)
		ret = bpf_transport__load(s->bpf, err);
	sieve__loaded(s->sieve);
	return ret;
}
