// SPDX-License-Identifier: GPL-2.0-only
/* profile_samples.c - a profile without BPF: each sample travels, by a session of one source. */
#include <stdio.h>
#include <string.h>
#include "../base/clock.h"
#include "../symbol/record_frames.h"
#include "loop.h"
#include "profile_parts.h"

/* Kernel frames stand in front of user frames, both leaf first. */
static void split(struct call_chain *c, struct frame *frames, u32 n)
{
	u32 kernel = 0;

	while (kernel < n && frames[kernel].kernel)
		kernel++;
	c->kernel = frames;
	c->nr_kernel = kernel;
	c->user = frames + kernel;
	c->nr_user = n - kernel;
}

static int add(struct profile *p, const struct record *rec)
{
	struct call_chain c = {.count = 1};
	u32 n = record_frames__named(p->symbolizer, rec, p->user, FRAMES_MAX);

	c.comm = session__comm(p->session, rec->tid);
	if (!c.comm)
		c.comm = "[gone]";
	split(&c, p->user, n);
	if (c.nr_user)
		broken_stacks__note(p->broken, rec->tgid, 1,
				    broken_stacks__is(c.user, c.nr_user));
	c.nr_user = profile__fold_unknown((struct frame *)c.user, c.nr_user);
	return call_tree__add(p->tree, &c);
}

static int on_records(void *ctx, const struct record *recs, int n)
{
	struct profile *p = ctx;
	int i, ret = 0;

	for (i = 0; i < n && !ret; i++)
		if (recs[i].tid) /* not the idle task */
			ret = add(p, &recs[i]);
	return ret;
}

static int open_session(struct profile *p, struct err *err)
{
	static const char *const stacks[] = {
		[UNWIND_AUTO] = "stack", [UNWIND_FP] = "stack", [UNWIND_DWARF] = "stack=dwarf"};
	struct session_opts opts = p->o->session;
	char event[64];
	const char *const events[] = {event, NULL};

	snprintf(event, sizeof(event), "cpu-clock/-F %u --exclude-idle/%s/", profile__frequency(p),
		 stacks[p->unwind]);
	opts.events = events;
	opts.transport = TRANSPORT_PERF;
	opts.workload = p->o->workload;
	return session__open(&p->session, &opts, err);
}

int profile__by_samples(struct profile *p, struct loop *l, struct err *err)
{
	const struct session_sink sink = {.records = on_records, .ctx = p};
	struct event_stats stats = {0};
	int ret = open_session(p, err);

	if (ret)
		return ret;
	p->symbolizer = session__symbolizer(p->session);
	p->began = clock__ns(CLOCK_MONOTONIC);
	ret = loop__run(l, p->session, &sink, NULL, err);
	p->ended = clock__ns(CLOCK_MONOTONIC);
	session__stats(p->session, 0, &stats);
	p->samples = stats.delivered;
	p->lost = event_stats__lost(&stats);
	p->status = session__workload_status(p->session);
	return ret;
}
