// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rebuilt records are what the tracepoint's own record is: each event is traced by a classic
 * program and by a raw one at once, and what they saw is compared byte by byte.
 */
#include "transport.h"
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define KEPT 200000

struct kept {
	u32 size, cpu;
	u64 time;
	u8 raw[128];
};

struct log_of {
	struct kept *k;
	int n;
};

/* common_pid is ours in both, the fields behind it are the kernel's. */
static void keep(struct rig *rig, const struct record *rec)
{
	struct log_of *log = rig->ctx;
	struct kept *k = &log->k[log->n];
	const void *raw = record__raw(rec, &k->size);

	if (log->n == KEPT)
		return;
	assert_true(k->size <= sizeof(k->raw));
	memcpy(k->raw, raw, k->size);
	k->cpu = rec->cpu;
	k->time = rec->time;
	log->n++;
}

static struct rig *start(const char *system, const char *name, bool generic, struct log_of *log)
{
	struct bpf_transport_opts opts = {.self = true, .generic = generic};
	struct rig *rig = rig__new();

	log->k = calloc(KEPT, sizeof(*log->k));
	assert_non_null(log->k);
	rig->fn = keep;
	rig->ctx = log;
	rig__event(rig, system, name)->task_context = false;
	rig__start(rig, &opts);
	return rig;
}

static u64 monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void stir(void)
{
	struct timespec ts = {.tv_nsec = 200000};
	int fds[2], i;
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		while (read(fds[0], &c, 1) == 1 && c != 'q')
			syscall(SYS_getppid);
		_exit(0);
	}
	for (i = 0; i < 200; i++) {
		nanosleep(&ts, NULL);
		assert_int_equal(write(fds[1], &c, 1), 1);
		syscall(SYS_lseek, -1, -1l, 0x7fffffff);
	}
	assert_int_equal(write(fds[1], "q", 1), 1);
	waitpid(pid, NULL, 0);
	close(fds[0]);
	close(fds[1]);
	for (i = 0; i < 20; i++)
		if (!fork())
			_exit(0);
	while (wait(NULL) > 0)
		;
}

/* jiffies may tick between the two programs of one event */
static bool same(const struct kept *a, const struct kept *b, const struct field *now)
{
	u8 x[128], y[128];

	if (a->cpu != b->cpu || a->size != b->size)
		return false;
	memcpy(x, a->raw, a->size);
	memcpy(y, b->raw, b->size);
	if (now) {
		memset(x + now->offset, 0, now->room);
		memset(y + now->offset, 0, now->room);
	}
	return !memcmp(x, y, a->size);
}

static void dump(const struct kept *k, const char *what)
{
	u32 i;

	printf("%s cpu %u time %lu:", what, k->cpu, k->time);
	for (i = 0; i < k->size; i++)
		printf("%s%02x", i % 8 ? "" : " ", k->raw[i]);
	printf("\n");
}

/* Every classic record is there among the rebuilt ones of its CPU, in the same order. */
static void compare(const struct log_of *classic, const struct log_of *raw, const struct field *now,
		    u64 from, u64 to, int *compared)
{
	int i, k, at[256] = {0};

	for (i = 0; i < classic->n; i++) {
		const struct kept *c = &classic->k[i];

		assert_true(c->cpu < 256);
		if (c->time < from || c->time > to)
			continue; /* only one of the two was attached */
		for (k = at[c->cpu]; k < raw->n && !same(c, &raw->k[k], now); k++)
			;
		if (k == raw->n && !at[c->cpu])
			continue; /* before the first that both saw: the other was not there yet */
		if (k == raw->n) {
			dump(c, "classic");
			for (k = 0; k < raw->n; k++)
				if (raw->k[k].cpu == c->cpu && raw->k[k].time + 20000 > c->time &&
				    raw->k[k].time < c->time + 20000)
					dump(&raw->k[k], "rebuilt");
			fail_msg("classic record %d of %d (cpu %u) is not among %d rebuilt", i,
				 classic->n, c->cpu, raw->n);
		}
		at[c->cpu] = k + 1;
		++*compared;
	}
}

static void compare_both(const char *system, const char *name, int at_least)
{
	struct log_of classic = {0}, raw = {0};
	struct rig *a = start(system, name, true, &classic);
	struct rig *b = start(system, name, false, &raw);
	const struct field *now = !strcmp(system, "timer") && strncmp(name, "hrtimer", 7)
					  ? event__field(a->events[0], "now")
					  : NULL;
	int compared = 0;
	u64 from, to;

	from = monotonic();
	stir();
	to = monotonic();
	rig__stop(b);
	rig__stop(a);
	assert_int_equal(b->notices, 0); /* one says so where it has to be a classic program */
	compare(&classic, &raw, now, from, to, &compared);
	printf("%s:%s: classic %d, rebuilt %d, equal %d\n", system, name, classic.n, raw.n,
	       compared);
	assert_true(compared >= at_least);
	rig__free(a);
	rig__free(b);
	free(classic.k);
	free(raw.k);
}

static bool exists(const char *system, const char *name)
{
	struct event_format *f = NULL;
	struct catalog *c = NULL;
	struct err err = {0};
	int ret;

	must(catalog__open(&c, NULL, NULL, &err), &err);
	ret = catalog__format(c, system, name, &f, &err);
	event_format__put(f);
	catalog__close(c);
	return !ret;
}

static void compare_event(const char *system, const char *name, int at_least)
{
	if (exists(system, name))
		compare_both(system, name, at_least);
	else
		printf("%s:%s: not on this kernel\n", system, name);
}

static void system_calls(void **state)
{
	compare_event("raw_syscalls", "sys_enter", 200);
	compare_event("raw_syscalls", "sys_exit", 200);
}

static void scheduler(void **state)
{
	compare_event("sched", "sched_switch", 100);
	compare_event("sched", "sched_wakeup", 100);
	compare_event("sched", "sched_waking", 100);
	compare_event("sched", "sched_wakeup_new", 10);
	compare_event("sched", "sched_stat_runtime", 10);
	compare_event("sched", "sched_migrate_task", 0);
	compare_event("sched", "sched_process_fork", 10);
	compare_event("sched", "sched_process_exit", 10);
}

static void interrupts(void **state)
{
	compare_event("irq", "softirq_raise", 1);
	compare_event("irq", "softirq_entry", 1);
	compare_event("irq", "softirq_exit", 1);
	compare_event("irq", "irq_handler_entry", 0);
	compare_event("irq", "irq_handler_exit", 0);
	compare_event("irq_vectors", "local_timer_entry", 0);
	compare_event("irq_vectors", "reschedule_exit", 0);
	compare_event("irq_vectors", "irq_work_entry", 0);
	compare_event("irq_vectors", "call_function_single_entry", 0);
	compare_event("exceptions", "page_fault_user", 10);
	compare_event("exceptions", "page_fault_kernel", 0);
	compare_event("power", "cpu_idle", 0);
}

static void timers(void **state)
{
	compare_event("timer", "hrtimer_start", 100);
	compare_event("timer", "hrtimer_expire_entry", 100);
	compare_event("timer", "hrtimer_expire_exit", 100);
	compare_event("timer", "hrtimer_cancel", 0);
	compare_event("timer", "timer_start", 0);
	compare_event("timer", "timer_expire_entry", 0);
	compare_event("timer", "timer_base_idle", 0);
	compare_event("timer", "tick_stop", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls),
		cmocka_unit_test(scheduler),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(timers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
