// SPDX-License-Identifier: GPL-2.0-only
/* features_perf.c - perf_event_open(2): what can be sampled and counted. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/guard.h"
#include "features.h"

static int try_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd, err;

	attr->size = sizeof(*attr);
	attr->disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	err = fd < 0 ? errno : 0;
	guard_close(&fd);
	return err;
}

static int paranoid(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int n;

	return f && fscanf(f, "%d", &n) == 1 ? n : -1;
}

static void add_sampling(struct features *f)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
	};
	static const char todo[] = "give it CAP_PERFMON, or sysctl kernel.perf_event_paranoid=-1";
	int all = try_open(&attr, -1, 0), own;

	attr.exclude_kernel = 1;
	own = all ? try_open(&attr, 0, -1) : 0;
	if (!all)
		features__add(f, "sampling", FEATURE_OK, NULL,
			      "of the whole machine, kernel frames too");
	else
		features__add(f, "sampling", own ? FEATURE_MISSING : FEATURE_PART, todo,
			      "of the whole machine: %s; of own processes, user frames: %s; "
			      "perf_event_paranoid is %d",
			      strerror(all), own ? strerror(own) : "yes", paranoid());
}

static void add_hardware(struct features *f)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_kernel = 1,
	};
	int err = try_open(&attr, 0, -1);

	if (!err)
		features__add(f, "hardware counters", FEATURE_OK, NULL, "cycles can be counted");
	else
		features__add(
			f, "hardware counters", FEATURE_PART,
			err == ENOENT || err == EOPNOTSUPP || err == EINVAL
				? "sample with cpu-clock, or let the hypervisor pass the PMU on"
				: "give it CAP_PERFMON",
			"cycles: %s", strerror(err));
}

/* Rings of perf are locked memory: without CAP_IPC_LOCK so much is for free for each user. */
static void add_ring_memory(struct features *f)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/sys/kernel/perf_event_mlock_kb", "re");
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
		.exclude_kernel = 1,
	};
	_cleanup_close_ int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
					      PERF_FLAG_FD_CLOEXEC);
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page + (4u << 20);
	void *ring = fd < 0 ? MAP_FAILED
			    : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int kb = 0;

	if (fd < 0)
		return;
	if (!file || fscanf(file, "%d", &kb) != 1)
		kb = 0;
	if (ring == MAP_FAILED)
		features__add(f, "perf rings", FEATURE_PART,
			      "CAP_IPC_LOCK, ulimit -l, or sysctl kernel.perf_event_mlock_kb; else "
			      "smaller -m",
			      "4 MiB: %s; perf_event_mlock_kb is %d", strerror(errno), kb);
	else
		features__add(f, "perf rings", FEATURE_OK, NULL, "4 MiB can be mapped");
	if (ring != MAP_FAILED)
		munmap(ring, size);
}

void features__perf(struct features *f)
{
	add_sampling(f);
	add_hardware(f);
	add_ring_memory(f);
}
