// SPDX-License-Identifier: GPL-2.0-only
/* stat_count.c - how the tracepoints of kvmstat and stat are counted: by BPF, else by perf events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "../collect/perf_counts.h"
#include "../scope/scope.h"
#include "../scope/workload.h"
#include "../session.h"
#include "../stat_tables.h"
#include "stat_run.h"

static int count_by_bpf(struct stat_run *r, struct stat_tables *t, struct err *err)
{
	struct session_opts opts = r->o->given.session;
	int ret;

	opts.events = stat_tables__specs(t);
	ret = session__open(&r->session, &opts, err);
	if (ret)
		return ret;
	stat_tables__use(t, r->session);
	r->providers[r->nr_providers++] = (struct count_provider){stat_tables__read, t};
	return 0;
}

int stat_run__spawn(struct stat_run *r, struct err *err)
{
	if (!r->o->given.session.workload || r->session || r->workload)
		return 0;
	return workload__spawn(&r->workload, r->o->given.session.workload, err);
}

/* What perf events can be told; the rest would silently count too much. */
static int check_scope(const struct scope *s, struct err *err)
{
	if (s->comm || s->uid >= 0 || s->pidns_ino || s->exact || (s->nr_cgroups && s->nr_tgids))
		return err__set(
			err, EOPNOTSUPP,
			"--comm, --uid, --pidns, --exact, and --cgroup with --pid need BPF");
	return 0;
}

static int resolve_scope(struct stat_run *r, u32 tgid, struct err *err)
{
	struct scope_opts opts = r->o->given.scope;
	char pid[16];
	int ret;

	snprintf(pid, sizeof(pid), "%u", tgid);
	if (tgid)
		opts.pids = pid;
	ret = scope__resolve(&r->scope, &opts, r->o->given.session.log, err);
	if (!ret)
		ret = stat_run__spawn(r, err);
	if (!ret && r->workload) {
		scope__set_workload(r->scope, (u32)workload__pid(r->workload),
				    r->o->given.session.log);
	}
	return ret ? ret : check_scope(r->scope, err);
}

static void raise_open_files(void)
{
	struct rlimit lim;

	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur < lim.rlim_max) {
		lim.rlim_cur = lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
}

static int count_by_perf(struct stat_run *r, struct stat_tables *t, u32 tgid, struct err *err)
{
	int ret = resolve_scope(r, tgid, err);

	raise_open_files();
	if (!ret)
		ret = perf_counts__new(&r->perf, r->scope, err);
	if (!ret)
		ret = stat_tables__fill_perf(t, r->perf, err);
	if (!ret)
		ret = perf_counts__open(r->perf, err);
	if (!ret)
		r->providers[r->nr_providers++] = (struct count_provider){perf_counts__read,
									  r->perf};
	return ret;
}

int stat_run__count(struct stat_run *r, struct stat_tables *t, u32 tgid, struct err *err)
{
	struct err why = {0};
	int ret;

	if (r->o->given.session.transport == TRANSPORT_PERF)
		return count_by_perf(r, t, tgid, err);
	ret = count_by_bpf(r, t, &why);
	if (!ret)
		return 0;
	if (why.usage || r->o->given.session.transport == TRANSPORT_BPF) {
		*err = why;
		return ret;
	}
	log__say(r->o->given.session.log, LOG_NOTICE,
		 "BPF cannot be used (%s); counting by perf events",
		 why.text);
	return count_by_perf(r, t, tgid, err);
}

void stat_run__close(struct stat_run *r)
{
	session__close(r->session);
	perf_counts__close(r->perf);
	workload__free(r->workload);
	scope__free(r->scope);
}
