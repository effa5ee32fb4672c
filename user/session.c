// SPDX-License-Identifier: GPL-2.0-only
/* session.c - puts the rooms together: events, scope, workload, transports. Polling: session_poll.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "base/log.h"
#include "event/expand.h"
#include "scope/cgroup_names.h"
#include "session_state.h"
#include "symbol/symbolizer.h"

u64 session__now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

void session__rebase_clock(struct session *s)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	s->clock->offset = wall.tv_sec * 1000000000ll + wall.tv_nsec - (s64)session__now();
}

static int watch(struct session *s, int fd, u32 events)
{
	struct epoll_event e = {.events = events, .data.fd = fd};

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

static int open_waiting(struct session *s, struct err *err)
{
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (s->epoll_fd < 0 || s->timer.fd < 0 || watch(s, s->timer.fd, EPOLLIN))
		return err__set(err, errno, "epoll or timerfd: %s", strerror(errno));
	return 0;
}

static int parse_events(struct session *s, struct err *err)
{
	const char *const *e;
	int ret;

	for (e = s->opts.events; e && *e; e++) {
		ret = spec__parse(&s->specs, *e, s->opts.preset_dirs, s->opts.log, err);
		if (ret)
			return ret;
	}
	if (!s->specs.n)
		return err__usage(err, "no event: name one with -e, for example -e sched:sched_switch");
	return spec__link(&s->specs, err);
}

/* What holds for every event unless it says otherwise. */
static void apply_defaults(struct session *s)
{
	size_t i;

	for (i = 0; i < s->specs.n; i++) {
		struct event_spec *spec = s->specs.v[i];

		if (s->opts.stack && !spec->stack)
			spec->stack = s->opts.stack;
		if (spec->transport == TRANSPORT_AUTO)
			spec->transport = s->opts.transport;
		spec->nostr |= s->opts.nostr;
		spec->with |= s->opts.with;
	}
}

static int resolve_events(struct session *s, struct err *err)
{
	int ret = parse_events(s, err);

	if (ret)
		return ret;
	apply_defaults(s);
	if (events__need_catalog(&s->specs)) {
		ret = catalog__open(&s->catalog, s->opts.tracefs, s->opts.log, err);
		if (ret)
			return ret;
	}
	ret = events__resolve(s->catalog, &s->specs, s->clock, &s->events, &s->nr_events, err);
	if (ret)
		return ret;
	s->counted = calloc(s->nr_events, sizeof(*s->counted));
	s->reported = calloc(s->nr_events, sizeof(*s->reported));
	return s->counted && s->reported ? 0 : err__set(err, ENOMEM, "out of memory");
}

static int open_bpf(struct session *s, struct err *err)
{
	struct bpf_transport_opts opts = {
		.ring_bytes = s->opts.ring_bytes,
		.low_latency = s->opts.low_latency,
		.strict_text = s->opts.strict_text,
		.self = s->opts.self,
		.explain = true,
		.scope = s->scope,
		.log = s->opts.log,
	};

	return bpf_transport__open(&s->bpf, &opts, err);
}

static int open_perf(struct session *s, struct err *err)
{
	struct perf_transport_opts opts = {
		.ring_bytes = s->opts.ring_bytes,
		.low_latency = s->opts.low_latency,
		.self = s->opts.self,
		.scope = s->scope,
		.log = s->opts.log,
	};

	return s->perf ? 0 : perf_transport__open(&s->perf, &opts, err);
}

/* What BPF alone can do: no notice makes up for its absence. */
static bool needs_bpf(const struct event *e)
{
	return e->kind != SPEC_SOURCE &&
	       (e->spec->transport == TRANSPORT_BPF || e->kind != SPEC_TRACEPOINT ||
		spec__aggregates(e->spec) || e->spec->is_start || e->spec->since);
}

static bool wants_bpf(const struct event *e)
{
	return e->kind != SPEC_SOURCE && e->spec->transport != TRANSPORT_PERF;
}

static bool filter_needs_perf(const struct session *s, const struct event *e)
{
	return s->filters[e->index] && expr__uses(s->filters[e->index]) & EXPR_USES_COMMON;
}

static int refuse_perf(const struct event *e, struct err *err)
{
	return err__usage(err, "%s reads common_flags or common_preempt_count, which the kernel does "
			  "not give to BPF: this event cannot also count, pair or be transport=bpf",
			  e->label);
}

static int fall_back(struct session *s, const struct err *why, struct err *err)
{
	size_t i;

	for (i = 0; i < s->nr_events; i++)
		if (needs_bpf(s->events[i])) {
			*err = *why;
			return err__prefix(err, "%s needs BPF", s->events[i]->label);
		}
	log__once(s->opts.log, LOG_NOTICE, "BPF cannot be used (%s); events travel through perf",
		  why->text);
	for (i = 0; i < s->nr_events; i++)
		s->events[i]->transport = TRANSPORT_PERF;
	return open_perf(s, err);
}

static int choose_transports(struct session *s, struct err *err)
{
	bool any_bpf = false, any_perf = false;
	struct err why = {0};
	size_t i;
	int ret;

	for (i = 0; i < s->nr_events; i++) {
		struct event *e = s->events[i];

		e->transport = wants_bpf(e) && !filter_needs_perf(s, e) ? TRANSPORT_BPF
									 : TRANSPORT_PERF;
		if (e->transport == TRANSPORT_PERF && needs_bpf(e))
			return refuse_perf(e, err);
		any_bpf |= e->transport == TRANSPORT_BPF;
		any_perf |= e->transport == TRANSPORT_PERF;
	}
	if (any_bpf) {
		ret = open_bpf(s, &why);
		if (ret)
			return fall_back(s, &why, err);
	}
	return any_perf ? open_perf(s, err) : 0;
}

static int start_workload(struct session *s, struct err *err)
{
	int ret;

	s->workload_status = -1;
	if (!s->opts.workload)
		return 0;
	ret = workload__spawn(&s->workload, s->opts.workload, err);
	if (ret)
		return ret;
	s->scope->workload = workload__pid(s->workload);
	return watch(s, workload__fd(s->workload), EPOLLIN);
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
	if (open_waiting(s, err) || resolve_events(s, err) || session__parse_filters(s, err) ||
	    resolve_scope(s, err) || choose_transports(s, err)) {
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

int session__need_perf(struct session *s, size_t event, struct err *err)
{
	struct event *e = s->events[event];
	int ret;

	if (e->transport == TRANSPORT_PERF)
		return 0;
	if (needs_bpf(e))
		return refuse_perf(e, err);
	ret = open_perf(s, err);
	if (!ret)
		e->transport = TRANSPORT_PERF;
	return ret;
}

static int add_events(struct session *s, struct err *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < s->nr_events && !ret; i++) {
		if (s->events[i]->transport == TRANSPORT_BPF)
			ret = bpf_transport__add(s->bpf, s->events[i], err);
		else
			ret = perf_transport__add(s->perf, s->events[i], s->filters[i], err);
	}
	return ret;
}

static bool any_on(const struct session *s, enum transport transport)
{
	size_t i;

	for (i = 0; i < s->nr_events; i++)
		if (s->events[i]->transport == transport)
			return true;
	return false;
}

static int attach_transports(struct session *s, struct err *err)
{
	int ret;

	if (s->bpf && any_on(s, TRANSPORT_BPF)) {
		ret = bpf_transport__attach(s->bpf, err);
		if (!ret)
			ret = watch(s, bpf_transport__fd(s->bpf), EPOLLIN | EPOLLET);
		if (ret)
			return ret;
	}
	if (s->perf && any_on(s, TRANSPORT_PERF)) {
		ret = perf_transport__attach(s->perf, err);
		if (!ret)
			ret = watch(s, perf_transport__fd(s->perf), EPOLLIN | EPOLLET);
		if (ret)
			return ret;
	}
	return 0;
}

static int collect_streams(struct session *s, struct err *err)
{
	size_t nb = s->bpf && any_on(s, TRANSPORT_BPF) ? bpf_transport__nr_streams(s->bpf) : 0;
	size_t np = s->perf && any_on(s, TRANSPORT_PERF) ? perf_transport__nr_streams(s->perf) : 0;
	size_t i;

	s->nr_streams = nb + np;
	s->streams = calloc(s->nr_streams + 1, sizeof(*s->streams));
	if (s->opts.order_ms)
		s->order = order__new(s->opts.order_ms * 1000000ull);
	if (!s->streams || (s->opts.order_ms && !s->order))
		return err__set(err, ENOMEM, "out of memory");
	for (i = 0; i < s->nr_streams; i++) {
		s->streams[i] = i < nb ? bpf_transport__stream(s->bpf, i)
				       : perf_transport__stream(s->perf, i - nb);
		if (s->order && order__add(s->order, s->streams[i]))
			return err__set(err, ENOMEM, "out of memory");
	}
	return 0;
}

static int attach_all(struct session *s, struct err *err)
{
	int ret = start_workload(s, err);

	if (!ret)
		ret = session__watch_cgroups(s, err);
	if (!ret && s->bpf)
		ret = scope__arm(s->scope, s->catalog, s->opts.log, err);
	if (!ret)
		ret = add_events(s, err);
	if (!ret && s->bpf && any_on(s, TRANSPORT_BPF))
		ret = session__load_programs(s, err);
	if (!ret)
		ret = attach_transports(s, err);
	if (!ret)
		ret = collect_streams(s, err);
	return ret;
}

int session__attach(struct session *s, struct err *err)
{
	int ret = attach_all(s, err);

	s->attached = true;
	s->attached_at = s->checked_at = session__now();
	if (!ret)
		session__start_draining(s);
	if (!ret && s->workload)
		ret = workload__release(s->workload, err);
	return ret;
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
	if (s->perf)
		perf_transport__detach(s->perf);
	if (s->bpf)
		bpf_transport__detach(s->bpf, progress, ctx);
	scope__disarm(s->scope);
	tell_unfollowed(s);
}

void session__stats(struct session *s, size_t event, struct event_stats *stats)
{
	struct event *e = s->events[event];

	*stats = s->counted[event];
	if (e->transport == TRANSPORT_BPF)
		bpf_transport__stats(s->bpf, e, stats);
	else
		perf_transport__stats(s->perf, e, stats);
	/* what a transport has seen may still wait in the order */
	stats->delivered = s->counted[event].delivered;
}

void session__close(struct session *s)
{
	size_t i;

	if (!s)
		return;
	session__detach(s, NULL, NULL);
	order__free(s->order);
	bpf_transport__close(s->bpf);
	perf_transport__close(s->perf);
	workload__free(s->workload);
	for (i = 0; i < s->nr_events; i++) {
		s->events[i]->spec = NULL;
		event__put(s->events[i]);
	}
	free(s->events);
	session__free_filters(s);
	spec__free(&s->specs);
	catalog__close(s->catalog);
	cgroup_names__close(s->cgroups);
	scope__free(s->scope);
	symbolizer__free(s->symbolizer);
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
