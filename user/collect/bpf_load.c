// SPDX-License-Identifier: GPL-2.0-only
/* bpf_load.c - loads the programs of a transport: rings, counters and maps first. */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "../base/log.h"
#include "../event/event.h"
#include "privilege.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"
#include "bpf_state.h"

#define WAKE_BYTES (64u << 10)
#define FEW_CALLS  8 /* syscall events that are attached one by one */

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
	/* noticed late, it may be twice as much */
	while (wake > t->rings.size / 4)
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

/*
 * Skipped runs of classic programs are counted since 6.7 (dd8657894c11, "bpf: Count missed stats
 * in trace_call_bpf"); the same series gave struct bpf_link_info this member.
 */
static void tell_uncounted(struct bpf_transport *t)
{
	u32 offset, size;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct bpf_event *be = &t->events[i];

		if (be->rebuild || be->dispatch || !be->event->interrupt_context)
			continue;
		if (!kernel_types__member(&t->types, "bpf_link_info", "kprobe_multi.missed",
					  &offset, &size))
			log__once(t->opts.log, LOG_NOTICE,
				  "%s fires in interrupts, also while another program runs; then it "
				  "is missed, and this kernel does not count how often",
				  be->event->label);
		return;
	}
}

static int load_all(struct bpf_transport *t, struct err *err)
{
	int ret;

	choose_dispatch(t);
	ret = make_scratch(t, err);
	if (!ret)
		ret = load_programs(t, err);
	if (!ret)
		tell_uncounted(t);
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
