// SPDX-License-Identifier: GPL-2.0-only
/* profile_collect.c - counted stacks out of the kernel, named, into the tree. */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include "../base/clock.h"
#include "../collect/sideband.h"
#include "../names_feed.h"
#include "../scope/scope.h"
#include "../scope/workload.h"
#include "../symbol/unwind.h"
#include "loop.h"
#include "profile_parts.h"

#define LOOK_MS	     50	/* a process that lives as long is seen while it does */
#define SETTLE_MS    100 /* where programs are new it is found out soon how they can be unwound */

static void on_process(void *ctx, const struct sideband_record *rec)
{
	struct profile *p = ctx;

	names_feed(p->symbolizer, rec);
	profile__follow_process(p, rec);
}

/*
 * What the processes did is told when the samples of an interval are already closed and not yet
 * named: later, and samples would meet mappings that came after them; earlier, and the newest
 * samples would miss theirs.
 */
static void tell_processes(struct profile *p)
{
	if (p->sideband && !p->told)
		sideband__read(p->sideband, UINT64_MAX, on_process, p);
	p->told = true;
}

/* What is not code has no name and is no frame, but that something was there is told. */
u32 profile__fold_unknown(struct frame *f, u32 n)
{
	u32 i, kept = 0;

	for (i = 0; i < n; i++) {
		if (!f[i].dso && kept && !f[kept - 1].dso)
			continue;
		f[kept] = f[i];
		if (!f[i].dso)
			f[kept].symbol = "[unknown]";
		kept++;
	}
	return kept;
}

/*
 * Where a chain by frame pointers goes astray its addresses are anything: the mark says that they
 * are none of the kernel's.
 */
static u32 name_marked(struct profile *p, const struct stack_count *s, const u64 *ips, u32 n)
{
	n = n < FRAMES_MAX - 1 ? n : FRAMES_MAX - 1;
	p->ips[0] = (u64)PERF_CONTEXT_USER;
	if (n)
		memcpy(p->ips + 1, ips, n * sizeof(*ips));
	return symbolizer__frames(p->symbolizer, s->tgid, s->last, p->ips, n + 1, p->user);
}

static u32 name_user(struct profile *p, const struct stack_count *s)
{
	const struct stack_copy *c = s->copy;
	u32 n;

	if (!c) {
		n = name_marked(p, s, s->user, s->nr_user);
	} else {
		const struct unwind_sample u = {s->last, c->abi,   c->mask,
						c->regs, c->stack, c->stack_size};

		n = symbolizer__unwind(p->symbolizer, s->tgid, &u, p->ips, FRAMES_MAX);
		n = symbolizer__frames(p->symbolizer, s->tgid, s->last, p->ips, n, p->user);
	}
	profile__judge_stack(p, s, n);
	return profile__fold_unknown(p->user, n);
}

static int on_stack(void *ctx, const struct stack_count *s)
{
	struct profile *p = ctx;
	struct call_chain chain = {
		.comm = s->comm,
		.user = p->user,
		.kernel = p->kernel,
		.count = s->samples,
	};

	tell_processes(p);
	chain.nr_kernel = symbolizer__frames(p->symbolizer, s->tgid, s->last, s->kernel,
					     s->nr_kernel, p->kernel);
	chain.nr_user = name_user(p, s);
	return call_tree__add(p->tree, &chain);
}

static int read_stacks(struct profile *p, struct err *err)
{
	int ret;

	p->told = false;
	ret = profiler__read(p->profiler, on_stack, p, err);
	if (!ret)
		ret = profiler__read_copies(p->profiler, on_stack, p);
	tell_processes(p);
	return ret && !err->code ? err__set(err, -ret, "profile: %s", strerror(-ret)) : ret;
}

static void open_sideband(struct profile *p)
{
	struct sideband_opts opts = {.maps = true, .log = &p->o->log};
	struct err err = {0};

	if (sideband__open(&p->sideband, &opts, &err))
		log__say(&p->o->log, LOG_NOTICE,
			 "programs that end before they are looked at will have no names: %s",
			 err.text);
}

static int start(struct profile *p, struct err *err)
{
	int ret;

	open_sideband(p);
	symbolizer__scan(p->symbolizer);
	/* now: it takes a while, in which processes that come and go would not be looked at */
	symbolizer__load_kernel(p->symbolizer);
	ret = profiler__attach(p->profiler, err);
	p->began = clock__ns(CLOCK_MONOTONIC);
	p->settled = p->began + PROFILE_SETTLE_NS;
	return !ret && p->workload ? workload__release(p->workload, err) : ret;
}

static bool is_over(struct profile *p)
{
	if (*loop__stopped_at())
		return true;
	if (p->workload) {
		p->status = workload__status(p->workload);
		if (p->status >= 0)
			return true;
	}
	return !p->o->session.keep_waiting && !scope__alive(p->scope, &p->o->log);
}

static u64 interval_ns(const struct profile *p)
{
	u64 ms = profiler__interval(p->profiler);

	if (p->unwind == UNWIND_AUTO && clock__ns(CLOCK_MONOTONIC) < p->settled && ms > SETTLE_MS)
		ms = SETTLE_MS;
	return ms * 1000000;
}

/* A signal ends poll() too. */
static int wait_for_interval(struct profile *p)
{
	u64 now = clock__ns(CLOCK_MONOTONIC), end = now + interval_ns(p);
	struct pollfd fds[] = {
		{p->workload ? workload__fd(p->workload) : -1, POLLIN, 0},
		{p->sideband ? sideband__fd(p->sideband) : -1, POLLIN, 0},
	};
	int ret = 0;

	for (; !ret && now < end; now = clock__ns(CLOCK_MONOTONIC)) {
		u64 left = (end - now) / 1000000 + 1;

		if (poll(fds, 2, left < LOOK_MS ? left : LOOK_MS) < 0 || fds[0].revents)
			return 0;
		p->told = false;
		ret = profiler__read_copies(p->profiler, on_stack, p);
		tell_processes(p);
	}
	return ret;
}

int profile__collect(struct profile *p, struct err *err)
{
	int ret = start(p, err);

	while (!ret && !is_over(p)) {
		ret = wait_for_interval(p);
		profiler__rescan(p->profiler);
		if (!ret)
			ret = read_stacks(p, err);
	}
	p->ended = clock__ns(CLOCK_MONOTONIC);
	profiler__detach(p->profiler);
	return ret ? ret : read_stacks(p, err);
}
