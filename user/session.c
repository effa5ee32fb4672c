// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - a run of the collector, opened and closed. Its other parts: session_events.c,
 * session_transport.c, session_attach.c, session_poll.c, in the order of a run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "event/expand.h"
#include "scope/cgroup_names.h"
#include "collect/process_table.h"
#include "collect/sideband.h"
#include "kvm_feed.h"
#include "session_state.h"
#include "symbol/symbolizer.h"

void session__rebase_clock(struct session *s)
{
	s->clock->offset = clock__ns(CLOCK_REALTIME) - clock__ns(CLOCK_MONOTONIC);
}

int session__watch(struct session *s, int fd, u32 events)
{
	struct epoll_event e = {.events = events, .data.fd = fd};

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static int open_waiting(struct session *s, struct err *err)
{
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->epoll_fd < 0 || s->timer.fd < 0 || session__watch(s, s->timer.fd, EPOLLIN))
		return err__set(err, errno, "epoll or timerfd: %s", strerror(errno));
	return 0;
}

static int resolve_scope(struct session *s, struct err *err)
{
	static const struct scope_opts everything = {0};

	return scope__resolve(&s->scope, s->opts.scope ? s->opts.scope : &everything, s->opts.log,
			      err);
}

static struct session *allocate(const struct session_opts *opts)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->opts = *opts;
	s->epoll_fd = s->timer.fd = -1;
	s->clock = calloc(1, sizeof(*s->clock));
	s->batch = malloc(BATCH_MAX * sizeof(*s->batch));
	s->ends = malloc(BATCH_MAX * sizeof(*s->ends));
	if (!s->clock || !s->batch || !s->ends) {
		session__close(s);
		return NULL;
	}
	s->clock->refs = 1;
	return s;
}

int session__open(struct session **ret, const struct session_opts *opts, struct err *err)
{
	struct session *s = allocate(opts);

	if (!s)
		return err__set(err, ENOMEM, "out of memory");
	session__rebase_clock(s);
	if (open_waiting(s, err) || resolve_scope(s, err) || session__resolve_events(s, err) ||
	    session__parse_expressions(s, err) || session__choose_transports(s, err)) {
		session__close(s);
		return -err->code;
	}
	*ret = s;
	return 0;
}

size_t session__nr_events(const struct session *s)
{
	return s->nr_events;
}

struct event *session__event(const struct session *s, size_t i)
{
	return s->events[i];
}

void session__need_extras(struct session *s, size_t event, u32 with)
{
	s->events[event]->with |= with;
}

void session__need_names(struct session *s)
{
	s->need_names = true;
}

int session__workload_status(const struct session *s)
{
	return s->workload_status;
}

bool session__finished(const struct session *s)
{
	return s->finished;
}

int session__fd(const struct session *s)
{
	return s->epoll_fd;
}

void session__stats(struct session *s, size_t event, struct event_stats *stats)
{
	struct event *e = s->events[event];

	*stats = s->counted[event];
	if (e->made)
		return;
	if (e->transport == TRANSPORT_BPF)
		bpf_transport__stats(s->bpf, e, stats);
	else
		perf_transport__stats(s->perf, e, stats);
	/* what a transport has seen may still wait in the order */
	stats->delivered = s->counted[event].delivered;
}

struct table *session__table(struct session *s, size_t event)
{
	return sieve__table(s->sieve, event);
}

void session__close(struct session *s)
{
	size_t i;

	if (!s)
		return;
	session__detach(s, NULL, NULL);
	order__free(s->order);
	kvm_feed__close(s->kvm);
	bpf_transport__close(s->bpf);
	perf_transport__close(s->perf);
	workload__free(s->workload);
	for (i = 0; i < s->nr_events; i++) {
		s->events[i]->spec = NULL;
		event__put(s->events[i]);
	}
	free(s->events);
	sieve__close(s->sieve);
	spec__free(&s->specs);
	catalog__close(s->catalog);
	cgroup_names__close(s->cgroups);
	scope__free(s->scope);
	symbolizer__free(s->symbolizer);
	sideband__close(s->sideband);
	process_table__free(s->processes);
	wall_clock__put(s->clock);
	free(s->streams);
	free(s->counted);
	free(s->reported);
	free(s->batch);
	free(s->ends);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	if (s->timer.fd >= 0)
		close(s->timer.fd);
	free(s);
}
