// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/log.h"
#include "../event/event.h"
#include "bpf_event.h"
#include "bpf_rings.h"
#include "bpf_template.h"
#include "privilege.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define WAKE_BYTES (64u << 10)
#define FEW_CALLS  8 /* syscall events that are attached one by one */

struct bpf_transport {
	struct bpf_transport_opts opts;
	struct bpf_template template;
	struct counter_map counters;
	int scratch; /* map; 0: not made yet */
	struct bpf_rings rings;
	struct bpf_ring_events by_index; /* of the session's events, ours alone set */
	struct dispatch dispatch[DISPATCH_POINTS];
	struct kernel_types types; /* until load is done */
	struct bpf_event *events;
	size_t nr, room;
	u32 max_stack;
};

static u32 max_stack(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	u32 n;

	return f && fscanf(f, "%u", &n) == 1 ? n : 0;
}

int bpf_transport__open(struct bpf_transport **ret, const struct bpf_transport_opts *opts,
			struct err *err)
{
	struct bpf_transport *t = calloc(1, sizeof(*t));
	int code;

	if (!t)
		return err__set(err, ENOMEM, "out of memory");
	t->opts = *opts;
	t->dispatch[DISPATCH_ENTER] = t->dispatch[DISPATCH_EXIT] = (struct dispatch)DISPATCH_NONE;
	t->max_stack = max_stack();
	code = bpf_template__open(&t->template, err);
	if (code) {
		free(t);
		return code;
	}
	*ret = t;
	return 0;
}

int bpf_transport__add(struct bpf_transport *t, struct event *event, struct err *err)
{
	struct bpf_event be;
	int ret = bpf_event__init(&be, event, &t->opts, &t->types, t->max_stack, err);

	if (!ret && array__push(t->events, t->nr, t->room, be))
		ret = err__set(err, ENOMEM, "out of memory");
	return ret;
}

struct holes *bpf_transport__holes(struct bpf_transport *t, const struct event *event)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->events[i].event == event)
			return &t->events[i].holes;
	return NULL;
}

/* An array over the session's events, so that a record finds its own by index. */
static int index_events(struct bpf_transport *t)
{
	struct bpf_ring_events *by = &t->by_index;
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->events[i].event->index >= by->nr)
			by->nr = t->events[i].event->index + 1;
	by->event = calloc(by->nr ? by->nr : 1, sizeof(*by->event));
	by->stats = calloc(by->nr ? by->nr : 1, sizeof(*by->stats));
	by->counters = &t->counters;
	if (!by->event || !by->stats)
		return -ENOMEM;
	for (i = 0; i < t->nr; i++)
		by->event[t->events[i].event->index] = t->events[i].event;
	return 0;
}

static bool call_chains(const struct bpf_transport *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->events[i].emit.max_stack)
			return true;
	return false;
}

/* Rings cost their size twice in memory; where nothing is emitted the smallest will do. */
static u64 ring_bytes(const struct bpf_transport *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->events[i].holes.flags & F_EMIT)
			return t->opts.ring_bytes;
	return 1;
}

static u32 wake_bytes(const struct bpf_transport *t)
{
	u32 wake = WAKE_BYTES;

	if (t->opts.low_latency)
		return 8;
	while (wake > t->rings.size / 2)
		wake /= 2;
	return wake;
}

static size_t open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n ? n : 32;
}

static size_t count_dispatched(const struct bpf_transport *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->nr; i++)
		n += bpf_event__can_dispatch(&t->events[i], &t->opts);
	return n > FEW_CALLS ? n : 0;
}

/* A link and a program of each event; maps, rings, dispatchers. */
size_t bpf_transport__files(const struct bpf_transport *t)
{
	return open_files() + 2 * (t->nr - count_dispatched(t)) + t->template.nr_cpus + 12;
}

/* Asked before any is made, so that nothing is half attached. */
static int check_files(const struct bpf_transport *t, struct err *err)
{
	size_t need = bpf_transport__files(t);
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= need)
		return 0;
	return err__set(err, EMFILE,
			"%zu events need about %zu file descriptors, and RLIMIT_NOFILE is %llu: "
			"raise it (ulimit -n %zu) or trace fewer events",
			t->nr, need, (unsigned long long)lim.rlim_cur, need);
}

/*
 * One scratch for all classic programs, of which one at most runs on a CPU, one for all behind one
 * dispatcher, and one for each other, which may fire inside them.
 */
static int make_scratch(struct bpf_transport *t, struct err *err)
{
	u32 n = 0;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		if (t->events[i].dispatch)
			t->events[i].scratch = 1 + t->events[i].dispatch->point;
		else if (t->events[i].rebuild)
			t->events[i].scratch = DISPATCH_POINTS + 1 + n++;
	}
	n += DISPATCH_POINTS + 1;
	t->scratch = bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "tamis_scratch", sizeof(u32),
				    sizeof(struct scratch), n, NULL);
	return t->scratch < 0 ? privilege__explain(err, errno, "cannot make the scratch map") : 0;
}

static enum dispatch_point point_of(const struct bpf_event *be)
{
	return be->event->format->is_syscall_enter ? DISPATCH_ENTER : DISPATCH_EXIT;
}

/* Many syscall events are two programs instead of one each. */
static void choose_dispatch(struct bpf_transport *t)
{
	size_t i;
	int p;

	if (!count_dispatched(t))
		return;
	for (p = 0; p < DISPATCH_POINTS; p++)
		if (dispatch__open(&t->dispatch[p], p, &t->types))
			return;
	for (i = 0; i < t->nr; i++)
		if (bpf_event__can_dispatch(&t->events[i], &t->opts))
			t->events[i].dispatch = &t->dispatch[point_of(&t->events[i])];
}

static int load_programs(struct bpf_transport *t, struct err *err)
{
	struct bpf_shared shared = {
		.types = &t->types,
		.scratch = t->scratch,
		.template = &t->template,
		.counters = &t->counters,
		.opts = &t->opts,
		.wake = wake_bytes(t),
	};
	size_t i;
	int ret = 0;

	for (i = 0; i < t->nr && !ret; i++)
		ret = bpf_event__load(&t->events[i], &shared, err);
	return ret;
}

static int load_all(struct bpf_transport *t, struct err *err)
{
	int ret;

	choose_dispatch(t);
	ret = make_scratch(t, err);
	if (!ret)
		ret = load_programs(t, err);
	kernel_types__free(&t->types);
	return ret;
}

int bpf_transport__load(struct bpf_transport *t, struct err *err)
{
	int cpus = t->template.nr_cpus, ret;

	ret = check_files(t, err);
	if (ret)
		return ret;
	if (index_events(t))
		return err__set(err, ENOMEM, "out of memory");
	ret = counter_map__open(&t->counters, t->by_index.nr, cpus, err);
	if (!ret)
		ret = bpf_rings__open(&t->rings, t->template.rings, cpus, ring_bytes(t),
				      call_chains(t), &t->by_index, t->opts.log, err);
	if (!ret)
		ret = load_all(t, err);
	if (!ret)
		bpf_transport__explain(t, t->opts.explain);
	return ret;
}

int bpf_transport__attach(struct bpf_transport *t, struct err *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < t->nr && !ret; i++)
		ret = bpf_event__attach(&t->events[i], err);
	for (i = 0; i < DISPATCH_POINTS && !ret; i++)
		if (t->dispatch[i].fd >= 0)
			ret = dispatch__attach(&t->dispatch[i], err);
	if (ret)
		bpf_transport__detach(t, NULL, NULL);
	return ret;
}

static size_t attached(struct bpf_transport *t, struct attachment **list)
{
	size_t i, n = 0;

	for (i = 0; i < t->nr; i++)
		if (attach__is(&t->events[i].attachment))
			list[n++] = &t->events[i].attachment;
	return n;
}

void bpf_transport__detach(struct bpf_transport *t, void (*progress)(void *ctx, int left),
			   void *ctx)
{
	_cleanup_free_ struct attachment **list = calloc(t->nr + 1, sizeof(*list));
	size_t i;

	for (i = 0; i < DISPATCH_POINTS; i++)
		attach__detach(&t->dispatch[i].attachment);
	if (list)
		attach__detach_all(list, attached(t, list), progress, ctx);
	for (i = 0; i < t->nr; i++)
		bpf_event__detach(&t->events[i]); /* without memory for the list */
	if (t->rings.nr)
		attach__wait_by_map(t->template.rings, bpf_ring__fd(t->rings.ring[0]));
	for (i = 0; i < (size_t)t->rings.nr; i++)
		bpf_ring__last(t->rings.ring[i]);
}

void bpf_transport__close(struct bpf_transport *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->nr; i++)
		bpf_event__free(&t->events[i]);
	free(t->events);
	for (i = 0; i < DISPATCH_POINTS; i++)
		dispatch__close(&t->dispatch[i]);
	kernel_types__free(&t->types);
	bpf_rings__close(&t->rings);
	counter_map__close(&t->counters);
	if (t->scratch > 0)
		close(t->scratch);
	free(t->by_index.event);
	free(t->by_index.stats);
	bpf_template__close(&t->template);
	free(t);
}

int bpf_transport__fd(const struct bpf_transport *t)
{
	return t->rings.epoll;
}

bool bpf_transport__sleeping(struct bpf_transport *t, bool asleep)
{
	__atomic_store_n(&t->template.control->asleep, asleep, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!asleep || bpf_rings__quiet(&t->rings))
		return true;
	__atomic_store_n(&t->template.control->asleep, 0, __ATOMIC_RELAXED);
	return false;
}

size_t bpf_transport__nr_streams(const struct bpf_transport *t)
{
	return t->rings.nr;
}

struct stream *bpf_transport__stream(struct bpf_transport *t, size_t i)
{
	return bpf_ring__stream(t->rings.ring[i]);
}

void bpf_transport__stats(struct bpf_transport *t, const struct event *event,
			  struct event_stats *stats)
{
	const struct event_stats *seen;
	size_t i;

	if (!t->counters.at || event->index >= t->by_index.nr)
		return;
	seen = &t->by_index.stats[event->index];
	stats->delivered += seen->delivered;
	stats->cut += seen->cut;
	stats->unreadable += seen->unreadable;
	counter_map__add(&t->counters, event->index, stats);
	for (i = 0; i < t->nr; i++)
		if (t->events[i].event == event)
			stats->missed += bpf_event__missed(&t->events[i]);
}

void bpf_transport__explain(struct bpf_transport *t, bool on)
{
	__atomic_store_n(&t->template.control->explain, on, __ATOMIC_RELAXED);
}

volatile struct control *bpf_transport__control(const struct bpf_transport *t)
{
	return t->template.control;
}

int bpf_transport__task_map(const struct bpf_transport *t)
{
	return t->template.task_starts;
}
