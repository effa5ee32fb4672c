// SPDX-License-Identifier: GPL-2.0-only
/* perf_targets.c - a scope as perf_event_open() takes it: threads, cgroups, CPUs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../scope/scope.h"
#include "perf_parts.h"

static void guard_closedir(DIR **d)
{
	if (*d)
		closedir(*d);
}

void perf_targets__free(struct perf_targets *ts)
{
	size_t i;

	for (i = 0; i < ts->n; i++)
		if (ts->v[i].cgroup)
			close(ts->v[i].pid);
	free(ts->v);
	memset(ts, 0, sizeof(*ts));
}

static int add(struct perf_targets *ts, pid_t pid, bool cgroup, struct err *err)
{
	struct perf_target t = {pid, cgroup};

	return array__push(ts->v, ts->n, ts->room, t) ? err__set(err, ENOMEM, "out of memory") : 0;
}

static bool has(const struct perf_targets *ts, pid_t pid)
{
	size_t i;

	for (i = 0; i < ts->n; i++)
		if (ts->v[i].pid == pid)
			return true;
	return false;
}

static bool in(const u32 *v, size_t n, u32 id)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i] == id)
			return true;
	return false;
}

/* One pass over the threads of a process. @return how many were new, -errno */
static int add_threads(struct perf_targets *ts, const struct scope *s, u32 tgid, struct err *err)
{
	char path[64];
	_cleanup_(guard_closedir) DIR *d = NULL;
	struct dirent *e;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		pid_t tid = atoi(e->d_name);

		if (!tid || has(ts, tid) || (s->nr_tids && !in(s->tids, s->nr_tids, tid)))
			continue;
		if (add(ts, tid, false, err))
			return -ENOMEM;
		n++;
	}
	return n;
}

static int add_tasks(struct perf_targets *ts, const struct scope *s, struct err *err)
{
	size_t i;
	int ret;

	for (i = 0; i < s->nr_tgids; i++) {
		ret = add_threads(ts, s, s->tgids[i], err);
		if (ret < 0)
			return ret;
	}
	for (i = 0; i < s->nr_tids && !s->nr_tgids; i++)
		if (add(ts, s->tids[i], false, err))
			return -ENOMEM;
	if (s->workload && !has(ts, s->workload) && add(ts, s->workload, false, err))
		return -ENOMEM;
	return 0;
}

/* Is a cgroup of the scope above this one? Its events would come twice. */
static bool covered(const struct scope *s, size_t i)
{
	size_t j, n;

	for (j = 0; j < s->nr_cgroups; j++) {
		n = strlen(s->cgroups[j].path);
		if (j != i && !strncmp(s->cgroups[i].path, s->cgroups[j].path, n) &&
		    (s->cgroups[i].path[n] == '/' || (!s->cgroups[i].path[n] && j < i)))
			return true;
	}
	return false;
}

static int add_cgroups(struct perf_targets *ts, const struct scope *s, struct err *err)
{
	size_t i;
	int fd;

	for (i = 0; i < s->nr_cgroups; i++) {
		if (covered(s, i))
			continue;
		fd = open(s->cgroups[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return err__set(err, errno, "cgroup %s: %s", s->cgroups[i].path,
					strerror(errno));
		if (add(ts, fd, true, err)) {
			close(fd);
			return -ENOMEM;
		}
	}
	return 0;
}

int perf_targets__find(struct perf_targets *ts, const struct scope *s, struct err *err)
{
	int ret = 0;

	if (perf_scope__by_cgroup(s))
		ret = add_cgroups(ts, s, err);
	else if (s && (s->nr_tgids || s->nr_tids || s->workload))
		ret = add_tasks(ts, s, err);
	else
		ret = add(ts, -1, false, err);
	if (!ret && !ts->n)
		ret = err__set(err, ESRCH, "none of the processes in scope is there any more");
	return ret;
}

/* "0-3,5" of sysfs; only what the kernel writes. */
static int read_online(u64 **cpus, size_t *bits)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	unsigned int first, last;
	size_t n = ((size_t)sysconf(_SC_NPROCESSORS_CONF) / 64 + 1) * 64;
	int c = ',';

	while (f && c == ',' && fscanf(f, "%u", &first) == 1) {
		last = first;
		c = fgetc(f);
		if (c == '-') {
			if (fscanf(f, "%u", &last) != 1)
				return -EINVAL;
			c = fgetc(f);
		}
		if (last >= n)
			return -E2BIG;
		for (; first <= last; first++)
			(*cpus)[first / 64] |= 1ull << first % 64;
	}
	*bits = n;
	return f ? 0 : -ENOENT;
}

int perf_cpus__find(u64 **ret, size_t *bits, const struct scope *scope, struct err *err)
{
	size_t room = sysconf(_SC_NPROCESSORS_CONF) / 64 + 2, i;
	_cleanup_free_ u64 *cpus = calloc(room, sizeof(*cpus));
	int code;

	if (!cpus)
		return err__set(err, ENOMEM, "out of memory");
	code = read_online(&cpus, bits);
	if (code)
		return err__set(err, -code, "/sys/devices/system/cpu/online: %s", strerror(-code));
	if (scope && scope->cpus)
		for (i = 0; i < *bits; i++)
			if (!cpu_in(scope->cpus, scope->nr_cpus, i))
				cpus[i / 64] &= ~(1ull << i % 64);
	*ret = cpus;
	cpus = NULL;
	return 0;
}
