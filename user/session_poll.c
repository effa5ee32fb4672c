// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_poll.c - waits for records and hands them on in batches.
 *
 * Producers wake the reader only when much is pending, or when the reader said that it sleeps. In
 * between a timer drains the rings: its interval shrinks while much is found, so that a ring does
 * not fill, and grows to a tenth of a second while little is. When a timer finds the rings empty
 * it stops, and the reader sleeps until the next record.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "collect/sideband.h"
#include "scope/cgroup_names.h"
#include "session_state.h"

#define INTERVAL_MIN	1000000ull	/* ns */
#define INTERVAL_MAX	100000000ull
#define DRAIN_BYTES	(32u << 10)	/* what a drain should find, half of the producers' mark */
#define CHECK_EVERY	1000000000ull	/* ns between looks at the scope, CPUs and silence */

static void arm(struct session *s, u64 ns)
{
	struct itimerspec t = {.it_value = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}};

	timerfd_settime(s->timer.fd, 0, &t, NULL);
	s->timer.armed = true;
}

void session__start_draining(struct session *s)
{
	s->timer.interval = INTERVAL_MAX;
	arm(s, INTERVAL_MIN);
}

static void adapt_interval(struct drain_timer *t, u64 bytes)
{
	u64 next = bytes ? t->interval * DRAIN_BYTES / bytes : INTERVAL_MAX;

	if (next > t->interval * 2)
		next = t->interval * 2;
	t->interval = next < INTERVAL_MIN   ? INTERVAL_MIN
		      : next > INTERVAL_MAX ? INTERVAL_MAX
					    : next;
}

struct telling {
	struct session *session;
	const struct session_sink *sink;
};

static void tell_loss(void *ctx, const struct loss *loss)
{
	struct telling *t = ctx;

	if (loss->event)
		t->session->reported[loss->event->index] += loss->count;
	if (t->sink->lost)
		t->sink->lost(t->sink->ctx, loss);
}

static void tell_rest(struct session *s, const struct session_sink *sink)
{
	struct telling t = {s, sink};
	struct event_stats stats;
	size_t i;

	for (i = 0; i < s->nr_events; i++) {
		u64 lost;

		session__stats(s, i, &stats);
		lost = event_stats__lost(&stats);
		if (lost > s->reported[i])
			tell_loss(&t, &(struct loss){.event = s->events[i],
						     .count = lost - s->reported[i]});
	}
}

static u64 count_batch(struct session *s, int n)
{
	u64 bytes = 0;
	int i;

	for (i = 0; i < n; i++) {
		const struct record *r = &s->batch[i];
		struct event_stats *c = &s->counted[r->event->index];

		bytes += r->size;
		c->delivered++;
		c->late += !!(r->flags & RECORD_LATE);
	}
	s->delivered += n;
	return bytes;
}

/* --user-filter: filters that the kernel could not run. @return how many are left */
static int sift(struct session *s, int n)
{
	int kept = 0, i;

	if (!sieve__any_here(s->sieve))
		return n;
	for (i = 0; i < n; i++) {
		struct event_stats *c = &s->counted[s->batch[i].event->index];
		bool unknown, passes = sieve__passes(s->sieve, &s->batch[i], &unknown);

		c->unreadable += passes && unknown;
		c->rejected += !passes && !unknown;
		c->strict_dropped += !passes && unknown;
		c->delivered -= !passes;
		if (passes)
			s->batch[kept++] = s->batch[i];
	}
	s->delivered -= n - kept;
	return kept;
}

static int deliver(struct session *s, const struct session_sink *sink, int n)
{
	int ret;

	session__follow_processes(s);
	n = sift(s, n);
	ret = n ? sink->records(sink->ctx, s->batch, n) : 0;
	return ret > 0 ? -ECANCELED : ret;
}

/* One batch of each stream, as they come. */
static int drain_streams(struct session *s, const struct session_sink *sink, u64 *bytes)
{
	struct telling t = {s, sink};
	struct loss_sink losses = {tell_loss, &t};
	int total = 0, ret = 0, n;
	size_t i;

	for (i = 0; i < s->nr_streams && !ret; i++) {
		struct stream *st = s->streams[i];

		n = st->ops->peek(st, s->batch, s->ends, BATCH_MAX, &losses);
		if (n <= 0)
			continue;
		*bytes += count_batch(s, n);
		ret = deliver(s, sink, n);
		st->ops->release(st, s->ends[n - 1]);
		total += n;
	}
	return ret ? ret : total;
}

static int drain_ordered(struct session *s, const struct session_sink *sink, u64 *bytes)
{
	struct telling t = {s, sink};
	struct loss_sink losses = {tell_loss, &t};
	u64 now = s->attached ? clock__ns(CLOCK_MONOTONIC) : UINT64_MAX;
	int total = 0, ret = 0, n;

	if (order__gather(s->order, &losses) < 0)
		return -ENOMEM;
	while (!ret && (n = order__take(s->order, now, s->batch, BATCH_MAX)) > 0) {
		*bytes += count_batch(s, n);
		ret = deliver(s, sink, n);
		order__release(s->order);
		total += n;
		if (total >= 4 * BATCH_MAX)
			break;
	}
	return ret ? ret : total;
}

static bool waiting_in_order(const struct session *s)
{
	return s->order && order__pending(s->order);
}

/* Drains once and decides when to look again. */
static int drain(struct session *s, const struct session_sink *sink)
{
	u64 bytes = 0;
	int n;

	session__follow_processes(s);
	n = s->order ? drain_ordered(s, sink, &bytes) : drain_streams(s, sink, &bytes);
	if (n < 0 || !s->attached)
		return n;
	adapt_interval(&s->timer, bytes);
	if (n || waiting_in_order(s)) {
		if (s->bpf)
			bpf_transport__sleeping(s->bpf, false);
		arm(s, s->timer.interval);
	}
	return n;
}

/* The rings are empty: from now on the next record wakes us. */
static int fall_asleep(struct session *s, const struct session_sink *sink)
{
	if (s->perf)
		arm(s, INTERVAL_MAX);	/* perf wakes only at its watermark */
	else
		arm(s, CHECK_EVERY);	/* scope, CPUs, silence */
	if (s->bpf && !bpf_transport__sleeping(s->bpf, true))
		arm(s, INTERVAL_MIN);	/* a record is being written, and nobody will announce it */
	return drain(s, sink);		/* what came between the last look and the flag */
}

static void check_scope(struct session *s)
{
	if (s->opts.keep_waiting || s->finished || s->workload || scope__alive(s->scope, s->opts.log))
		return;
	log__once(s->opts.log, LOG_NOTICE, "nothing in scope is left (--keep waits on)");
	s->finished = true;
}

static void check_workload(struct session *s)
{
	if (!s->workload || s->workload_status != -1)
		return;
	s->workload_status = workload__status(s->workload);
	if (s->workload_status != -1)
		s->finished = true;
}

/* A CPU that cannot be opened stays without: the others go on. */
static void look_for_cpus(struct session *s)
{
	struct err err = {0};

	if (s->sideband)
		sideband__rescan(s->sideband);
	if (s->perf && s->attached && perf_transport__rescan(s->perf, &err) > 0)
		session__add_streams(s, &err);
	if (err.code)
		log__once(s->opts.log, LOG_WARNING, "events of a CPU that came online are missing: %s",
			  err.text);
}

static void look_around(struct session *s)
{
	u64 now = clock__ns(CLOCK_MONOTONIC);

	session__rebase_clock(s);
	check_workload(s);
	session__explain_silence(s, now);
	if (now - s->checked_at < CHECK_EVERY)
		return;
	s->checked_at = now;
	check_scope(s);
	scope__tick(s->scope);
	if (s->cgroups)
		cgroup_names__poll(s->cgroups);
	look_for_cpus(s);
}

static int wait_for_work(struct session *s, int timeout_ms)
{
	struct epoll_event e[4];
	u64 expirations;
	int n = epoll_wait(s->epoll_fd, e, ARRAY_SIZE(e), timeout_ms), i;

	if (n < 0)
		return -errno;
	for (i = 0; i < n; i++)
		if (e[i].data.fd == s->timer.fd &&
		    read(s->timer.fd, &expirations, sizeof(expirations)) > 0)
			s->timer.armed = false;
	return n;
}

int session__poll(struct session *s, int timeout_ms, const struct session_sink *sink,
		  struct err *err)
{
	int n, ret;

	ret = wait_for_work(s, 0);
	if (ret < 0)
		return ret;
	n = drain(s, sink);
	if (!n && s->attached && !s->timer.armed)
		n = fall_asleep(s, sink);
	look_around(s);
	if (n || !timeout_ms || s->finished)
		return n;
	ret = wait_for_work(s, timeout_ms);
	if (ret <= 0)
		return ret;
	n = drain(s, sink);
	look_around(s);
	return n == -ENOMEM ? err__set(err, ENOMEM, "out of memory") : n;
}

int session__drain(struct session *s, const struct session_sink *sink, struct err *err)
{
	int n = 1;

	while (n > 0)
		n = drain(s, sink);
	if (n == -ENOMEM)
		return err__set(err, ENOMEM, "out of memory");
	tell_rest(s, sink);
	return n;
}
