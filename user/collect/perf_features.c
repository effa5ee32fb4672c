// SPDX-License-Identifier: GPL-2.0-only
#include <sys/syscall.h>
#include <unistd.h>
#include "perf_parts.h"

int perf_event__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		     unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC);
}

/* On ourselves and on no CPU in particular: that needs no privilege. */
static bool takes(struct perf_event_attr *attr)
{
	int fd;

	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	fd = perf_event__open(attr, 0, -1, -1, 0);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

void perf_features__probe(struct perf_features *f)
{
	struct perf_event_attr lost = {.read_format = SAMPLE_FORMAT_LOST};
	struct perf_event_attr thread = {.inherit = 1, .inherit_thread = 1};

	f->lost = takes(&lost);
	f->inherit_thread = takes(&thread);
}
