// SPDX-License-Identifier: GPL-2.0-only
/* perf_open.c - the perf events of one CPU: a dummy with the ring, then one for each event and
 * target. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/log.h"
#include "../scope/scope.h"
#include "perf_parts.h"

#define WAKEUP_BYTES (64u << 10)

/* What is opened together: a group has one leader on each CPU and for each target. */
struct opening {
	struct perf_transport *t;
	struct perf_stream *stream;
	const struct perf_target *target;
	int leader;
	struct err *err;
};

static void set_inherit(const struct perf_transport *t, struct perf_event_attr *a,
			const struct perf_target *target)
{
	const struct scope *s = t->opts.scope;

	a->inherit = 0;
	if (target->cgroup || target->pid < 0 || !s)
		return;
	/* Threads of a scoped process, but not of a scoped thread, are in scope too. */
	a->inherit = s->follow || !s->nr_tids;
	a->inherit_thread = a->inherit && !s->follow && t->features.inherit_thread;
}

static u64 wakeup_bytes(const struct perf_transport *t)
{
	if (t->opts.low_latency)
		return 1;
	return t->ring_bytes / 4 < WAKEUP_BYTES ? t->ring_bytes / 4 : WAKEUP_BYTES;
}

/* Ours alone, so that it is neither hung up when a thread of the scope ends nor shared. */
static int open_dummy(struct perf_transport *t, unsigned int cpu)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(a),
		.disabled = 1,
		.watermark = 1,
		.wakeup_watermark = wakeup_bytes(t),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd = perf_event__open(&a, -1, cpu, -1, 0);

	if (fd >= 0 || (errno != EACCES && errno != EPERM))
		return fd;
	a.exclude_kernel = 1;
	a.exclude_hv = 1;
	return perf_event__open(&a, 0, cpu, -1, 0);
}

static void free_stream(struct perf_stream *s)
{
	perf_ring__unmap(&s->ring);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

static int watch(struct perf_transport *t, struct perf_stream *s, struct err *err)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};

	return epoll_ctl(t->epoll, EPOLL_CTL_ADD, s->fd, &ev)
		       ? err__set(err, errno, "cannot watch a perf ring: %s", strerror(errno))
		       : 0;
}

static int no_ring(unsigned int cpu, int code, struct err *err)
{
	const struct perf_event_attr own = {.type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1};
	char name[32];

	snprintf(name, sizeof(name), "the ring of CPU %u", cpu);
	if (code == EACCES || code == EPERM)
		return source__no_permission(name, &own, code, err);
	return err__set(err, code, "%s: perf_event_open: %s", name, strerror(code));
}

static int add_stream(struct perf_transport *t, unsigned int cpu, struct perf_stream **ret,
		      struct err *err)
{
	struct perf_stream *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err__set(err, ENOMEM, "out of memory");
	*s = (struct perf_stream){.stream.ops = &perf_stream_ops, .t = t, .cpu = cpu};
	s->fd = open_dummy(t, cpu);
	if (s->fd < 0) {
		r = -errno;
		free(s);
		return r == -ENODEV ? r : no_ring(cpu, -r, err);
	}
	r = perf_ring__map(&s->ring, s->fd, &t->ring_bytes, t->opts.log, err);
	if (!r)
		r = watch(t, s, err);
	if (!r && array__push(t->streams, t->nr_streams, t->streams_room, s))
		r = err__set(err, ENOMEM, "out of memory");
	if (r) {
		free_stream(s);
		return r;
	}
	*ret = s;
	return 0;
}

static int too_many_files(const struct perf_transport *t, struct err *err)
{
	struct rlimit lim = {0};

	getrlimit(RLIMIT_NOFILE, &lim);
	return err__set(
		err, EMFILE,
		"perf events need a file descriptor for each event, CPU and thread in scope: more "
		"than %zu here; the limit is %llu, raise it (ulimit -n)",
		t->nr_fds, (unsigned long long)lim.rlim_cur);
}

/* It is implicit in cgroup2, but comes only when an init program enables the first of the others.
 */
static int no_controller(const struct perf_slot *slot, struct err *err)
{
	return err__set(err, ENOENT,
			"%s: perf_event_open: the cgroup has no perf_event controller; it comes "
			"with the first line in cgroup.subtree_control of the root (echo +cpu)",
			slot->event->label);
}

static int open_error(const struct opening *o, const struct perf_slot *slot,
		      const struct perf_event_attr *a)
{
	int code = errno;

	if (code == EMFILE)
		return too_many_files(o->t, o->err);
	if (code == ENOENT && o->target->cgroup && a->type == PERF_TYPE_SOFTWARE)
		return no_controller(slot, o->err);
	return source__open_error(slot->event, a, code, o->err);
}

static int set_up(const struct opening *o, const struct perf_slot *slot, struct perf_fd *f)
{
	const char *what = "PERF_EVENT_IOC_ID";

	if (ioctl(f->fd, PERF_EVENT_IOC_ID, &f->id))
		goto failed;
	what = "PERF_EVENT_IOC_SET_OUTPUT";
	if (ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT, o->stream->fd))
		goto failed;
	what = "PERF_EVENT_IOC_SET_FILTER";
	if (slot->kernel_filter && ioctl(f->fd, PERF_EVENT_IOC_SET_FILTER, slot->kernel_filter))
		goto failed;
	what = "PERF_EVENT_IOC_SET_BPF";
	if (slot->program >= 0 && ioctl(f->fd, PERF_EVENT_IOC_SET_BPF, slot->program))
		goto failed;
	return 0;
failed:
	return err__set(o->err, errno, "%s: %s: %s", slot->event->label, what, strerror(errno));
}

/* Opens, and remembers it even if what follows fails, so that close finds it. */
static int open_one(struct opening *o, struct perf_slot *slot, u16 index,
		    const struct perf_event_attr *attr, bool samples)
{
	struct perf_event_attr a = *attr;
	unsigned long flags = o->target->cgroup ? PERF_FLAG_PID_CGROUP : 0;
	bool grouped = slot->source.group;
	struct perf_fd f = {.slot = index, .cpu = o->stream->cpu};

	set_inherit(o->t, &a, o->target);
	a.wakeup_watermark = wakeup_bytes(o->t);
	f.fd = perf_event__open(&a, o->target->pid, o->stream->cpu, grouped ? o->leader : -1,
				flags);
	if (f.fd < 0) {
		/* A thread or CPU that is gone by now has no events to miss. */
		if (errno == ESRCH || errno == ENODEV)
			return 0;
		return open_error(o, slot, &a);
	}
	if (grouped && o->leader < 0) {
		f.leads = true;
		o->leader = f.fd;
	}
	if (array__push(o->t->fds, o->t->nr_fds, o->t->fds_room, f)) {
		close(f.fd);
		return err__set(o->err, ENOMEM, "out of memory");
	}
	return samples ? set_up(o, slot, &o->t->fds[o->t->nr_fds - 1]) : 0;
}

static int open_slot(struct opening *o, u16 index)
{
	struct perf_slot *slot = o->t->slots[index];
	size_t i;
	int ret;

	if (!cpu_in(slot->cpus, slot->nr_cpus, o->stream->cpu))
		return 0;
	ret = open_one(o, slot, index, &slot->source.attr, true);
	for (i = 0; i < slot->source.nr_members && !ret; i++) {
		ret = open_one(o, slot, index, &slot->source.members[i], false);
	}
	return ret;
}

/* LOST records do not say whose samples were lost; where only one event writes it is clear. */
static void find_only(struct perf_transport *t, struct perf_stream *s, size_t from)
{
	size_t i;

	for (i = from; i < t->nr_fds; i++) {
		if (s->only && s->only != t->slots[t->fds[i].slot]) {
			s->only = NULL;
			return;
		}
		s->only = t->slots[t->fds[i].slot];
	}
}

int perf_open__cpu(struct perf_transport *t, unsigned int cpu, const struct perf_targets *ts,
		   struct err *err)
{
	struct opening o = {.t = t, .err = err};
	size_t from = t->nr_fds, i, slot;
	int ret = add_stream(t, cpu, &o.stream, err);

	for (i = 0; i < ts->n && !ret; i++) {
		o.target = &ts->v[i];
		o.leader = -1;
		for (slot = 0; slot < t->nr_slots && !ret; slot++)
			ret = open_slot(&o, slot);
	}
	if (!ret)
		find_only(t, o.stream, from);
	return ret;
}

static int enable(const struct perf_transport *t, const struct perf_fd *f, struct err *err)
{
	if (!ioctl(f->fd, PERF_EVENT_IOC_ENABLE, 0))
		return 0;
	return err__set(err, errno, "%s: PERF_EVENT_IOC_ENABLE: %s",
			t->slots[f->slot]->event->label, strerror(errno));
}

/* A group counts from the moment its leader is on: then all members are. */
int perf_open__enable(struct perf_transport *t, size_t from, struct err *err)
{
	size_t i;
	int ret = 0, leads;

	for (leads = 0; leads < 2; leads++)
		for (i = from; i < t->nr_fds && !ret; i++)
			if (t->fds[i].leads == leads)
				ret = enable(t, &t->fds[i], err);
	return ret;
}
