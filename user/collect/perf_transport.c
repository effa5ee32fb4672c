// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/log.h"
#include "../scope/parts.h"
#include "../scope/scope_code.h"
#include "bpf_rings.h"
#include "perf_parts.h"

int perf_transport__open(struct perf_transport **ret, const struct perf_transport_opts *opts,
			 struct err *err)
{
	struct perf_transport *t = calloc(1, sizeof(*t));

	if (!t)
		return err__set(err, ENOMEM, "out of memory");
	t->opts = *opts;
	t->own_tgid = getpid();
	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (t->epoll < 0) {
		free(t);
		return err__set(err, errno, "epoll_create1: %s", strerror(errno));
	}
	perf_features__probe(&t->features);
	*ret = t;
	return 0;
}

static void free_slot(struct perf_slot *slot)
{
	source__fini(&slot->source);
	free(slot->kernel_filter);
	if (slot->program >= 0)
		close(slot->program);
	free(slot->rates);
	free(slot->cpus);
	free(slot);
}

static int find_cpus(struct perf_slot *slot, struct err *err)
{
	const struct event_spec *spec = slot->event->spec;

	return spec->cpus ? cpus__parse(spec->cpus, "cpus", &slot->cpus, &slot->nr_cpus, err) : 0;
}

/* -g of a source's options is the same as its attribute stack: who prints records looks there. */
static void tell_stack(struct event *e, const struct perf_event_attr *a)
{
	if (a->sample_type & PERF_SAMPLE_CALLCHAIN && !e->spec->stack)
		e->spec->stack = (a->exclude_callchain_kernel ? 0 : STACK_KERNEL) |
				 (a->exclude_callchain_user ? 0 : STACK_USER);
	if (a->sample_type & PERF_SAMPLE_STACK_USER && a->exclude_callchain_user)
		e->spec->stack |= STACK_DWARF;
}

static int set_source(struct perf_transport *t, struct perf_slot *slot, struct err *err)
{
	struct event *e = slot->event;
	int ret;

	if (perf_scope__rest(t->opts.scope) & REST_EXACT)
		e->with |= 1 << EXTRA_CGROUP;
	if (e->kind == SPEC_SOURCE) {
		ret = source__init(&slot->source, e, err);
		if (ret)
			return ret;
		tell_stack(e, &slot->source.attr);
	} else if (e->kind == SPEC_TRACEPOINT) {
		source__init_tracepoint(&slot->source, e);
	} else {
		return err__set(err, EOPNOTSUPP,
				"%s: only tracepoints and sampling sources travel by perf",
				e->label);
	}
	ret = perf_slot__thin_out(slot, err);
	if (ret)
		return ret;
	if (!t->features.lost)
		slot->source.attr.read_format &= ~(u64)SAMPLE_FORMAT_LOST;
	source__layout(&slot->source.attr, &e->sample);
	perf_slot__locate(slot);
	return 0;
}

int perf_transport__add(struct perf_transport *t, struct event *event, const struct expr *filter,
			struct err *err)
{
	struct perf_slot *slot = calloc(1, sizeof(*slot));
	int ret;

	if (!slot)
		return err__set(err, ENOMEM, "out of memory");
	slot->event = event;
	slot->program = -1;
	slot->leave_out_own = scope__leaves_out_own(event, t->opts.self);
	ret = find_cpus(slot, err);
	if (!ret)
		ret = perf_slot__filter(slot, filter, t->opts.log, err);
	if (!ret)
		ret = set_source(t, slot, err);
	if (!ret && array__push(t->slots, t->nr_slots, t->slots_room, slot))
		ret = err__set(err, ENOMEM, "out of memory");
	if (ret)
		free_slot(slot);
	return ret;
}

static unsigned int count_cpus(const u64 *cpus, size_t bits)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < bits; i++)
		n += cpu_in(cpus, bits, i);
	return n;
}

/* As much as the bpf transport takes. */
static u64 ring_bytes(const struct perf_transport *t, unsigned int nr_cpus)
{
	u64 page = sysconf(_SC_PAGESIZE), ram = (u64)sysconf(_SC_PHYS_PAGES) * page, chains = 0;
	u64 bytes = t->opts.ring_bytes ?: bpf_rings__default_size(nr_cpus, ram, page);
	size_t i;

	for (i = 0; i < t->nr_slots; i++)
		chains |= t->slots[i]->source.attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	while (bytes & (bytes - 1)) /* to a power of two, upwards */
		bytes += bytes & -bytes;
	return chains ? 2 * bytes : bytes;
}

/* Opens @cpus. One that went offline just now has nothing to tell. */
static int open_cpus(struct perf_transport *t, const u64 *cpus, size_t bits, struct err *err)
{
	_cleanup_(perf_targets__free) struct perf_targets ts = {0};
	size_t cpu;
	int ret = perf_targets__find(&ts, t->opts.scope, err);

	for (cpu = 0; cpu < bits && (!ret || ret == -ENODEV); cpu++)
		if (cpu_in(cpus, bits, cpu))
			ret = perf_open__cpu(t, cpu, &ts, err);
	return ret == -ENODEV ? 0 : ret;
}

static int open_all(struct perf_transport *t, struct err *err)
{
	int ret = perf_cpus__find(&t->cpus, &t->nr_cpus, t->opts.scope, err);

	if (ret)
		return ret;
	t->ring_bytes = perf_ring__affordable(ring_bytes(t, count_cpus(t->cpus, t->nr_cpus)),
					      count_cpus(t->cpus, t->nr_cpus), t->opts.log);
	return open_cpus(t, t->cpus, t->nr_cpus, err);
}

static int ids_and_enable(struct perf_transport *t, size_t from, struct err *err)
{
	if (perf_ids__build(t))
		return err__set(err, ENOMEM, "out of memory");
	return perf_open__enable(t, from, err);
}

int perf_transport__attach(struct perf_transport *t, struct err *err)
{
	int ret = 0;
	size_t i;

	if (!t->nr_slots)
		return 0;
	for (i = 0; i < t->nr_slots && !ret; i++)
		ret = perf_scope__prepare(t, t->slots[i], err);
	if (!ret)
		ret = open_all(t, err);
	if (ret)
		return ret;
	ret = ids_and_enable(t, 0, err);
	t->attached = !ret;
	return ret;
}

/* What is open now and was not before is new; what is gone has left its ring, to be drained. */
int perf_transport__rescan(struct perf_transport *t, struct err *err)
{
	size_t fds = t->nr_fds, streams = t->nr_streams, bits = 0, i;
	_cleanup_free_ u64 *cpus = NULL;
	u64 any = 0, is;
	int ret = 0;

	if (!t->attached || perf_cpus__find(&cpus, &bits, t->opts.scope, err))
		return -err->code;
	for (i = 0; i < bits / 64; i++) {
		is = cpus[i];
		cpus[i] &= ~t->cpus[i];
		t->cpus[i] = is;
		any |= cpus[i];
	}
	if (any)
		ret = open_cpus(t, cpus, bits, err);
	if (!ret && t->nr_fds > fds)
		ret = ids_and_enable(t, fds, err);
	return ret ? ret : (int)(t->nr_streams - streams);
}

void perf_transport__detach(struct perf_transport *t)
{
	size_t i;

	for (i = 0; i < t->nr_fds; i++)
		ioctl(t->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	t->detached = true;
}

void perf_transport__close(struct perf_transport *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->nr_streams; i++) {
		perf_ring__unmap(&t->streams[i]->ring);
		close(t->streams[i]->fd);
		free(t->streams[i]);
	}
	for (i = 0; i < t->nr_fds; i++)
		close(t->fds[i].fd);
	for (i = 0; i < t->nr_slots; i++)
		free_slot(t->slots[i]);
	close(t->epoll);
	free(t->cpus);
	free(t->streams);
	free(t->fds);
	free(t->slots);
	free(t->ids);
	free(t);
}

int perf_transport__fd(const struct perf_transport *t)
{
	return t->epoll;
}

size_t perf_transport__nr_streams(const struct perf_transport *t)
{
	return t->nr_streams;
}

struct stream *perf_transport__stream(struct perf_transport *t, size_t i)
{
	return &t->streams[i]->stream;
}

void perf_transport__stats(struct perf_transport *t, const struct event *event,
			   struct event_stats *stats)
{
	bool told = t->features.lost;
	struct perf_slot *slot;
	size_t i;

	for (i = 0; i < t->nr_fds; i++)
		if (t->slots[t->fds[i].slot]->event == event)
			stats->ring_full += perf_fd__lost(t, &t->fds[i]);
	for (i = 0; i < t->nr_slots; i++) {
		slot = t->slots[i];
		if (slot->event != event)
			continue;
		stats->fired += slot->fired;
		stats->own += slot->own;
		stats->rejected += slot->rejected;
		stats->rate_limited += slot->rate_limited;
		stats->out_of_scope += slot->out_of_scope;
		stats->unreadable += slot->unreadable;
		if (!told || !(slot->source.attr.read_format & SAMPLE_FORMAT_LOST))
			stats->ring_full += slot->lost_told;
	}
}
