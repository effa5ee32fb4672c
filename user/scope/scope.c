// SPDX-License-Identifier: GPL-2.0-only
/* scope.c - options resolved to the numbers that the kernel compares. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/log.h"
#include "kernel.h"
#include "parts.h"

static size_t count_strings(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static int resolve_cgroups(struct scope *s, const struct scope_opts *o, struct err *err)
{
	size_t nr_cg = count_strings(o->cgroups), nr = nr_cg + count_strings(o->containers);
	int r = 0;

	if (o->exact && !nr)
		return err__usage(err, "--exact: goes with --cgroup or --container");
	if (!nr)
		return 0;
	s->cgroups = calloc(nr, sizeof(*s->cgroups));
	if (!s->cgroups)
		return err__set(err, ENOMEM, "--cgroup: out of memory");
	while (!r && s->nr_cgroups < nr) {
		size_t i = s->nr_cgroups;
		struct scope_cgroup *cg = &s->cgroups[i];

		r = i < nr_cg ? cgroup__resolve(o->cgroups[i], cg, err)
			      : container__resolve(o->containers[i - nr_cg], cg, err);
		s->nr_cgroups += !r;
	}
	s->exact = o->exact;
	return r;
}

static int resolve_pidns(struct scope *s, const char *text, struct err *err)
{
	char *end;
	unsigned long pid = strtoul(text, &end, 10);
	int r;

	if (*end || !pid || pid > UINT32_MAX)
		return err__usage(err, "--pidns %s: takes the pid of a process", text);
	r = pidns__of((u32)pid, &s->pidns_dev, &s->pidns_ino, err);
	/* from within a namespace its own depth is not known */
	s->pidns_pid = (u32)pid;
	s->pidns_level = s->own_ns_ino ? -1 : pidns__depth((u32)pid);
	return r ? err__prefix(err, "--pidns %s", text) : 0;
}

static int resolve_tasks(struct scope *s, const struct scope_opts *o, struct err *err)
{
	int r = pidns__own(&s->own_ns_dev, &s->own_ns_ino, err);

	if (!r && o->pids)
		r = pids__processes(o->pids, &s->tgids, &s->nr_tgids, err);
	if (!r && o->tids)
		r = pids__threads(o->tids, s->tgids, s->nr_tgids, &s->tids, &s->nr_tids, err);
	s->follow = o->follow;
	s->no_follow = o->no_follow;
	return r;
}

static int resolve(struct scope *s, const struct scope_opts *o, struct log *log, struct err *err)
{
	int r = resolve_tasks(s, o, err);

	if (!r && o->cpus)
		r = cpus__parse(o->cpus, "-C", &s->cpus, &s->nr_cpus, err);
	if (!r && o->comm)
		r = comm__parse(o->comm, &s->comm, &s->comm_is_glob, log, err);
	if (!r && o->user)
		r = user__parse(o->user, &s->uid, err);
	if (!r && o->pidns)
		r = resolve_pidns(s, o->pidns, err);
	return r ? r : resolve_cgroups(s, o, err);
}

int scope__resolve(struct scope **ret, const struct scope_opts *opts, struct log *log,
		   struct err *err)
{
	static const struct scope_opts everything;
	struct scope *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err__set(err, ENOMEM, "scope: out of memory");
	s->uid = -1;
	r = resolve(s, opts ? opts : &everything, log, err);
	if (r) {
		scope__free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void scope__set_workload(struct scope *s, u32 tgid, struct log *log)
{
	if (s->nr_tgids || s->nr_tids) {
		log__once(log, LOG_NOTICE,
			  "%s and a command: the command's own events are left out, its end ends "
			  "the run",
			  s->nr_tids ? "-t" : "-p");
		return;
	}
	s->workload = tgid;
	s->follow = !s->no_follow;
}

void scope__free(struct scope *s)
{
	size_t i;

	if (!s)
		return;
	scope_kernel__free(s->kernel);
	for (i = 0; i < s->nr_cgroups; i++)
		free(s->cgroups[i].path);
	free(s->cgroups);
	free(s->tgids);
	free(s->tids);
	free(s->cpus);
	free(s->comm);
	free(s);
}
