// SPDX-License-Identifier: GPL-2.0-only
/* session_attach.c - from resolved events to a running collection, and back. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include "base/clock.h"
#include "base/array.h"
#include "base/log.h"
#include "kvm_feed.h"
#include "session_state.h"

static int start_workload(struct session *s, struct err *err)
{
	int ret;

	s->workload_status = -1;
	if (!s->opts.workload)
		return 0;
	ret = workload__spawn(&s->workload, s->opts.workload, err);
	if (ret)
		return ret;
	scope__set_workload(s->scope, (u32)workload__pid(s->workload), s->opts.log);
	return session__watch(s, workload__fd(s->workload), EPOLLIN);
}

static int add_events(struct session *s, struct err *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < s->nr_events && !ret; i++) {
		if (s->events[i]->made)
			continue;
		if (s->events[i]->transport == TRANSPORT_BPF)
			ret = bpf_transport__add(s->bpf, s->events[i], err);
		else
			ret = perf_transport__add(s->perf, s->events[i],
						  sieve__filter(s->sieve, i), err);
	}
	return ret;
}

static bool any_on(const struct session *s, enum transport transport)
{
	size_t i;

	for (i = 0; i < s->nr_events; i++)
		if (s->events[i]->transport == transport && !s->events[i]->made)
			return true;
	return false;
}

static int attach_kvm(struct session *s, struct err *err)
{
	int ret = kvm_feed__attach(s->kvm, err);

	return ret ? ret : session__watch(s, kvm_feed__fd(s->kvm), EPOLLIN);
}

static int attach_transports(struct session *s, struct err *err)
{
	int ret;

	if (s->bpf && any_on(s, TRANSPORT_BPF)) {
		ret = bpf_transport__attach(s->bpf, err);
		if (!ret)
			ret = session__watch(s, bpf_transport__fd(s->bpf), EPOLLIN | EPOLLET);
		if (ret)
			return ret;
	}
	if (s->perf && any_on(s, TRANSPORT_PERF)) {
		ret = perf_transport__attach(s->perf, err);
		if (!ret)
			ret = session__watch(s, perf_transport__fd(s->perf), EPOLLIN | EPOLLET);
		if (ret)
			return ret;
	}
	return s->kvm ? attach_kvm(s, err) : 0;
}

static int add_stream(struct session *s, struct stream *stream)
{
	if (array__push(s->streams, s->nr_streams, s->streams_room, stream))
		return -ENOMEM;
	return s->order ? order__add(s->order, stream) : 0;
}

int session__add_streams(struct session *s, struct err *err)
{
	size_t n = perf_transport__nr_streams(s->perf);
	int ret = 0;

	for (; s->nr_perf_streams < n && !ret; s->nr_perf_streams++)
		ret = add_stream(s, perf_transport__stream(s->perf, s->nr_perf_streams));
	return ret ? err__set(err, ENOMEM, "out of memory") : 0;
}

static int collect_streams(struct session *s, struct err *err)
{
	size_t nb = s->bpf && any_on(s, TRANSPORT_BPF) ? bpf_transport__nr_streams(s->bpf) : 0, i;
	int ret = 0;

	if (s->opts.order_ms) {
		s->order = order__new(s->opts.order_ms * 1000000ull);
		ret = s->order ? 0 : -ENOMEM;
	}
	for (i = 0; i < nb && !ret; i++)
		ret = add_stream(s, bpf_transport__stream(s->bpf, i));
	if (s->kvm && !ret)
		ret = add_stream(s, kvm_feed__stream(s->kvm));
	if (ret)
		return err__set(err, ENOMEM, "out of memory");
	return s->perf && any_on(s, TRANSPORT_PERF) ? session__add_streams(s, err) : 0;
}

/* Following children takes tracepoints, even where no event asked for is one. */
static int need_catalog(struct session *s, struct err *err)
{
	if (s->catalog || !s->scope || !s->scope->follow)
		return 0;
	return catalog__open(&s->catalog, s->opts.tracefs, s->opts.log, err);
}

/*
 * perf_event_open() follows children by itself. Where it cannot be told the whole scope, the perf
 * transport says which of its events miss BPF.
 */
static int arm_scope(struct session *s, struct err *err)
{
	struct err ignored = {0};

	if (s->bpf) {
		int ret = need_catalog(s, err);

		return ret ? ret : scope__arm(s->scope, s->catalog, err);
	}
	if (s->perf && perf_transport__wants_armed(s->scope) && !need_catalog(s, &ignored))
		scope__arm(s->scope, s->catalog, &ignored);
	return 0;
}

static int attach_all(struct session *s, struct err *err)
{
	int ret = start_workload(s, err);

	if (!ret)
		ret = session__watch_cgroups(s, err);
	if (!ret)
		ret = arm_scope(s, err);
	if (!ret)
		ret = add_events(s, err);
	if (!ret && s->bpf && any_on(s, TRANSPORT_BPF))
		ret = session__load_programs(s, err);
	if (!ret) {
		session__watch_processes(s);
		ret = attach_transports(s, err);
	}
	if (!ret)
		ret = collect_streams(s, err);
	return ret;
}

int session__attach(struct session *s, struct err *err)
{
	int ret = attach_all(s, err);

	s->attached = true;
	s->attached_at = s->checked_at = clock__ns(CLOCK_MONOTONIC);
	if (!ret)
		session__start_draining(s);
	if (!ret && s->workload)
		ret = workload__release(s->workload, err);
	return ret;
}

/* Tasks that were not followed: their events are not counted as lost, so this must be said. */
static void tell_unfollowed(struct session *s)
{
	u64 full = 0, missed = 0;

	scope__lost(s->scope, &full, &missed);
	if (full || missed)
		log__say(s->opts.log, LOG_WARNING, "%llu forks were not followed: their events are missing",
			 (unsigned long long)(full + missed));
}

void session__detach(struct session *s, void (*progress)(void *ctx, int left), void *ctx)
{
	if (!s->attached)
		return;
	s->attached = false;
	if (s->kvm)
		kvm_feed__detach(s->kvm);
	if (s->perf)
		perf_transport__detach(s->perf);
	if (s->bpf)
		bpf_transport__detach(s->bpf, progress, ctx);
	scope__disarm(s->scope);
	tell_unfollowed(s);
}
