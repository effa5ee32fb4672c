// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../scope/scope.h"
#include "perf_counts.h"
#include "perf_parts.h"

struct counted {
	u32 id;
	char *event, *child, *filter; /* owned; child and filter may be NULL */
};

/* All events of one target on one CPU; the first leads. */
struct group {
	pid_t pid;
	int cpu;
	int *fds; /* one for each counted; owned */
};

struct perf_counts {
	const struct scope *scope;
	struct counted *v;
	size_t n, room;
	struct group *groups;
	size_t nr_groups, groups_room;
	u64 *values; /* of one read */
	bool inherit; /* children, too; a group cannot be inherited everywhere */
};

int perf_counts__new(struct perf_counts **ret, const struct scope *scope, struct err *err)
{
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return err__set(err, ENOMEM, "out of memory");
	(*ret)->scope = scope;
	(*ret)->inherit = scope && scope->follow;
	return 0;
}

static void close_group(struct group *g, size_t n)
{
	size_t i;

	for (i = 0; g->fds && i < n; i++)
		if (g->fds[i] >= 0)
			close(g->fds[i]);
	free(g->fds);
}

static void free_counted(struct counted *e)
{
	free(e->event);
	free(e->child);
	free(e->filter);
}

void perf_counts__close(struct perf_counts *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->nr_groups; i++)
		close_group(&p->groups[i], p->n);
	for (i = 0; i < p->n; i++)
		free_counted(&p->v[i]);
	free(p->groups);
	free(p->v);
	free(p->values);
	free(p);
}

int perf_counts__add(struct perf_counts *p, u32 id, const char *event, const char *child,
		     const char *filter, struct err *err)
{
	struct counted e = {.id = id,
			    .event = strdup(event),
			    .child = child ? strdup(child) : NULL,
			    .filter = filter ? strdup(filter) : NULL};

	if (e.event && (!child || e.child) && (!filter || e.filter) &&
	    !array__push(p->v, p->n, p->room, e))
		return 0;
	free_counted(&e);
	return err__set(err, ENOMEM, "out of memory");
}

static int cannot_open(const struct perf_counts *p, const struct counted *e, int code,
		       struct err *err)
{
	struct rlimit lim = {0};

	getrlimit(RLIMIT_NOFILE, &lim);
	if (code == EMFILE)
		return err__set(
			err, code,
			"without BPF each event and value needs a file descriptor on each CPU or "
			"thread: %zu for each; the limit is %llu, raise it (ulimit -n)",
			p->n, (unsigned long long)lim.rlim_cur);
	return err__set(err, code, "%s: perf_event_open: %s", e->child ? e->child : e->event,
			strerror(code));
}

static int open_event(struct perf_counts *p, struct group *g, size_t i, bool cgroup,
		      struct err *err)
{
	const struct counted *e = &p->v[i];
	struct perf_event_attr a = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = e->id,
		.size = sizeof(a),
		.read_format = p->inherit ? 0 : PERF_FORMAT_GROUP,
		.inherit = p->inherit,
		.disabled = i == 0 || p->inherit,
	};
	int leader = i && !p->inherit ? g->fds[0] : -1;

	g->fds[i] = perf_event__open(&a, g->pid, g->cpu, leader, cgroup ? PERF_FLAG_PID_CGROUP : 0);
	if (g->fds[i] < 0)
		return errno == ESRCH || errno == ENODEV ? -errno : cannot_open(p, e, errno, err);
	if (e->filter && ioctl(g->fds[i], PERF_EVENT_IOC_SET_FILTER, e->filter))
		return err__set(err, errno, "%s: the kernel does not take the filter '%s': %s",
				e->event, e->filter, strerror(errno));
	return 0;
}

/* A thread or CPU that is gone by now has nothing to count. */
static int open_group(struct perf_counts *p, const struct perf_target *t, int cpu, struct err *err)
{
	struct group g = {.pid = t->pid, .cpu = cpu, .fds = malloc(p->n * sizeof(int))};
	size_t i;
	int ret = g.fds ? 0 : err__set(err, ENOMEM, "out of memory");

	for (i = 0; i < p->n && g.fds; i++)
		g.fds[i] = -1;
	for (i = 0; i < p->n && !ret; i++)
		ret = open_event(p, &g, i, t->cgroup, err);
	for (i = 0; i < (p->inherit ? p->n : 1) && !ret; i++)
		if (ioctl(g.fds[i], PERF_EVENT_IOC_ENABLE, 0))
			ret = err__set(err, errno, "PERF_EVENT_IOC_ENABLE: %s", strerror(errno));
	if (!ret && array__push(p->groups, p->nr_groups, p->groups_room, g))
		ret = err__set(err, ENOMEM, "out of memory");
	if (ret)
		close_group(&g, p->n);
	return ret == -ESRCH || ret == -ENODEV ? 0 : ret;
}

static bool is_open(const struct perf_counts *p, pid_t pid, int cpu)
{
	size_t i;

	for (i = 0; i < p->nr_groups; i++)
		if (p->groups[i].pid == pid && p->groups[i].cpu == cpu)
			return true;
	return false;
}

/* A thread is counted wherever it runs; all tasks, and cgroups, on each CPU. */
static int open_missing(struct perf_counts *p, struct err *err)
{
	_cleanup_(perf_targets__free) struct perf_targets ts = {0};
	_cleanup_free_ u64 *cpus = NULL;
	size_t bits = 0, i, cpu;
	int ret = perf_cpus__find(&cpus, &bits, p->scope, err);

	if (!ret)
		ret = perf_targets__find(&ts, p->scope, err);
	for (i = 0; i < ts.n && !ret; i++) {
		bool thread = ts.v[i].pid >= 0 && !ts.v[i].cgroup && !(p->scope && p->scope->cpus);

		if (thread && !is_open(p, ts.v[i].pid, -1))
			ret = open_group(p, &ts.v[i], -1, err);
		for (cpu = 0; !thread && cpu < bits && !ret; cpu++)
			if (cpu_in(cpus, bits, cpu) && !is_open(p, ts.v[i].pid, cpu))
				ret = open_group(p, &ts.v[i], cpu, err);
	}
	return ret;
}

int perf_counts__open(struct perf_counts *p, struct err *err)
{
	p->values = malloc((p->n + 1) * sizeof(*p->values));
	if (!p->values || !p->n)
		return err__set(err, p->n ? ENOMEM : EINVAL,
				p->n ? "out of memory" : "no event to count");
	return open_missing(p, err);
}

static u32 process(const struct perf_counts *p)
{
	return p->scope && p->scope->nr_tgids == 1 ? p->scope->tgids[0]
	       : p->scope			   ? p->scope->workload
						   : 0;
}

static int read_each(struct perf_counts *p, const struct group *g, struct counts *c)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < p->n && !ret; i++)
		if (read(g->fds[i], p->values, sizeof(*p->values)) > 0)
			ret = counts__set(c, p->v[i].event, p->v[i].child, process(p),
					  p->values[0]);
	return ret;
}

static int read_group(struct perf_counts *p, const struct group *g, struct counts *c)
{
	ssize_t bytes = read(g->fds[0], p->values, (p->n + 1) * sizeof(*p->values));
	size_t i;
	int ret = 0;

	for (i = 0; bytes > 0 && i < p->values[0] && i < p->n && !ret; i++)
		ret = counts__set(c, p->v[i].event, p->v[i].child, process(p), p->values[i + 1]);
	return ret;
}

static bool has_threads(const struct perf_counts *p)
{
	return p->scope && (p->scope->nr_tgids || p->scope->workload);
}

int perf_counts__read(void *ctx, struct counts *c, struct err *err)
{
	struct perf_counts *p = ctx;
	struct err gone = {0};
	size_t i;
	int ret = 0;

	/* That the last thread has ended is no failure: its counts stay. */
	if (has_threads(p) && open_missing(p, &gone) && gone.code != ESRCH) {
		*err = gone;
		return -err->code;
	}
	for (i = 0; i < p->nr_groups && !ret; i++)
		ret = p->inherit ? read_each(p, &p->groups[i], c) : read_group(p, &p->groups[i], c);
	return ret ? err__set(err, ENOMEM, "out of memory") : 0;
}
