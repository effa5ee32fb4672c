// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that fire in an interrupt while another program runs: a raw program sees them all, a
 * classic one is skipped, and then the kernel's count of skipped runs makes up the difference.
 * The oracle is perf's own count of the tracepoint.
 */
#include "transport.h"
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

#define CPUS 64

static void *flood(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
		syscall(SYS_getppid);
	return NULL;
}

static void open_counters(u32 id, int *fds, int n)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
	};
	int cpu;

	for (cpu = 0; cpu < n; cpu++) {
		fds[cpu] = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		assert_true(fds[cpu] >= 0);
	}
}

static void switch_counters(int *fds, int n, unsigned long how)
{
	int cpu;

	for (cpu = 0; cpu < n; cpu++)
		assert_int_equal(ioctl(fds[cpu], how, 0), 0);
}

static u64 read_counters(int *fds, int n)
{
	u64 sum = 0, one;
	int cpu;

	for (cpu = 0; cpu < n; cpu++) {
		assert_int_equal(read(fds[cpu], &one, sizeof(one)), sizeof(one));
		sum += one;
		close(fds[cpu]);
	}
	return sum;
}

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void collect(struct rig *rig, struct rig *other, u64 ns)
{
	u64 end = now() + ns;

	while (now() < end) {
		rig__drain(rig);
		if (other)
			rig__drain(other);
	}
}

static struct rig *start(bool generic, bool with_calls)
{
	struct bpf_transport_opts opts = {.self = true, .generic = generic, .ring_bytes = 32 << 20};
	struct rig *rig = rig__new();

	rig__event(rig, "timer", "hrtimer_expire_entry")->task_context = false;
	if (with_calls) {
		rig__event(rig, "syscalls", "sys_enter_getppid");
		rig__event(rig, "syscalls", "sys_exit_getppid");
	}
	rig__start(rig, &opts);
	return rig;
}

/* Floods all CPUs with system calls that @rig traces, and drains it. */
static void flood_and_collect(struct rig *rig, struct rig *other)
{
	int n = sysconf(_SC_NPROCESSORS_ONLN), i;
	pthread_t threads[CPUS];
	bool stop = false;

	assert_true(n <= CPUS);
	for (i = 0; i < n; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, flood, &stop), 0);
	collect(rig, other, 2000000000);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Counters are switched one after the other, so a few events at the ends are in doubt. */
static void assert_near(u64 a, u64 b)
{
	assert_in_range(a, b - 40, b + 40);
}

static u64 all_of(struct rig *rig)
{
	rig__drain(rig);
	return rig->received[0] + rig->lost[0];
}

static void rebuilt(void **state)
{
	struct rig *rig = start(false, true);
	int fds[CPUS], n = sysconf(_SC_NPROCESSORS_ONLN);
	u64 before, seen, counted;

	open_counters(rig->events[0]->format->id, fds, n);
	switch_counters(fds, n, PERF_EVENT_IOC_ENABLE);
	before = all_of(rig);
	flood_and_collect(rig, NULL);
	switch_counters(fds, n, PERF_EVENT_IOC_DISABLE);
	seen = all_of(rig) - before;
	counted = read_counters(fds, n);
	rig__stop(rig);
	printf("rebuilt: perf counted %lu, seen %lu\n", counted, seen);
	assert_true(counted > 100);
	assert_int_equal(rig__stats(rig, 0).missed, 0);
	assert_near(seen, counted);
	rig__free(rig);
}

/*
 * Where a classic program is skipped, the kernel hides the event from perf as well, so that a
 * raw program on the same event is the oracle here.
 */
static void classic(void **state)
{
	struct rig *rig = start(true, true), *oracle = start(false, false);
	u64 before, produced, seen, missed;

	missed = rig__stats(rig, 0).missed;
	before = all_of(rig);
	produced = all_of(oracle);
	flood_and_collect(rig, oracle);
	seen = all_of(rig) - before;
	missed = rig__stats(rig, 0).missed - missed;
	produced = all_of(oracle) - produced;
	rig__stop(rig);
	rig__stop(oracle);
	rig__free(rig);
	rig__free(oracle);
	printf("classic: produced %lu, seen %lu, missed %lu\n", produced, seen, missed);
	assert_true(produced > 100);
	if (!missed && seen + 40 < produced) {
		printf("skipped: this kernel does not count skipped runs\n");
		skip();
	}
	assert_near(seen + missed, produced);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rebuilt), cmocka_unit_test(classic)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
