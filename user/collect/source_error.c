// SPDX-License-Identifier: GPL-2.0-only
/* source_error.c - what the kernel means when it does not open a perf event. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "../base/guard.h"
#include "source.h"

static bool is_hardware(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE ||
	       a->type == PERF_TYPE_RAW;
}

static int paranoid(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level;

	return f && fscanf(f, "%d", &level) == 1 ? level : -2;
}

/* More than upstream knows: the kernels of Debian, Ubuntu and Android then ask for everything. */
static int refused_to_all(const char *name, int level, int code, struct err *err)
{
	return err__set(
		err, code,
		"%s: perf_event_open: %s: kernel.perf_event_paranoid is %d, with which "
		"this kernel wants CAP_SYS_ADMIN; run as root, or lower the sysctl to 2 and "
		"give CAP_PERFMON",
		name, strerror(code), level);
}

int source__no_permission(const char *name, const struct perf_event_attr *a, int code,
			  struct err *err)
{
	int level = paranoid();

	if (level > 2)
		return refused_to_all(name, level, code, err);
	if (level == -2)
		return err__set(err, code, "%s: perf_event_open: %s: CAP_PERFMON is missing", name,
				strerror(code));
	return err__set(
		err, code,
		"%s: perf_event_open: %s: CAP_PERFMON is missing and "
		"kernel.perf_event_paranoid is %d%s; run as root, give CAP_PERFMON, or lower "
		"the sysctl to %d%s",
		name, strerror(code), level,
		a->type == PERF_TYPE_TRACEPOINT ? " (-1 is needed for raw tracepoint data)" : "",
		a->type == PERF_TYPE_TRACEPOINT ? -1 : 0,
		a->type == PERF_TYPE_TRACEPOINT || a->exclude_kernel
			? ""
			: "; own processes can be sampled with --exclude-kernel");
}

static int no_counter(const char *name, const struct perf_event_attr *a, int code, struct err *err)
{
	if (a->type == PERF_TYPE_TRACEPOINT)
		return err__set(err, code, "%s: perf_event_open: %s: the tracepoint is gone", name,
				strerror(code));
	if (is_hardware(a))
		return err__set(
			err, code,
			"%s: perf_event_open: %s: this machine offers no such hardware counter, as "
			"most virtual machines do not; cpu-clock samples without one",
			name, strerror(code));
	return err__set(err, code, "%s: perf_event_open: %s: this kernel has no such event", name,
			strerror(code));
}

static int not_like_that(const char *name, const struct perf_event_attr *a, int code,
			 struct err *err)
{
	const char *why = "this kernel does not take one of the options";

	if (a->sample_type & (PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX))
		why = "branch stacks and AUX data need a hardware counter that records them";
	else if (a->precise_ip)
		why = "this counter cannot sample that precisely; try a lower --precise";
	else if (a->inherit && a->sample_type & PERF_SAMPLE_READ)
		why = "this kernel cannot read counters of a task with its children; use -C, or "
		      "all tasks";
	else if (a->exclude_user || a->exclude_kernel || a->exclude_hv || a->exclude_idle)
		why = "maybe this counter cannot leave out a part of the time (--exclude-...)";
	return err__set(err, code, "%s: perf_event_open: %s: %s", name, strerror(code), why);
}

int source__open_error(const struct event *event, const struct perf_event_attr *a, int code,
		       struct err *err)
{
	const char *name = event->label ?: event->spec->name;

	switch (code) {
	case EACCES:
	case EPERM:
		return source__no_permission(name, a, code, err);
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return no_counter(name, a, code, err);
	case EOPNOTSUPP:
		/* branch stacks, precise and excludes on a PMU that lacks them */
		if (!is_hardware(a) || a->precise_ip || a->sample_type & PERF_SAMPLE_BRANCH_STACK)
			return not_like_that(name, a, code, err);
		return no_counter(name, a, code, err);
	case EINVAL:
	case E2BIG:
		return not_like_that(name, a, code, err);
	case EMFILE:
		return err__set(err, code,
				"%s: perf_event_open: out of file descriptors; raise ulimit -n",
				name);
	case ENOSPC:
		return err__set(err, code, "%s: perf_event_open: all counters of a CPU are in use",
				name);
	case EBUSY:
		return err__set(err, code, "%s: perf_event_open: another user holds the counters",
				name);
	default:
		return err__set(err, code, "%s: perf_event_open: %s", name, strerror(code));
	}
}
