// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading and clearing tables while they are written to: each update is in exactly one snapshot.
 * The oracle is the number of calls that the test's own threads made.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "user/base/log.h"
#include "user/collect/table.h"
#include "user/scope/scope.h"
#include "user/session.h"

#define THREADS 2

struct load {
	pthread_t thread;
	u64 calls;
	bool *stop;
};

static void *call(void *arg)
{
	struct load *l = arg;

	while (!__atomic_load_n(l->stop, __ATOMIC_RELAXED)) {
		syscall(SYS_getppid);
		l->calls++;
	}
	return NULL;
}

static int ignore(void *ctx, const struct record *recs, int n)
{
	(void)ctx;
	(void)recs;
	(void)n;
	return 0;
}

static void say(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	if (level >= LOG_WARNING)
		print_message("%s\n", line);
}

struct sums {
	u64 count[2];
};

/* Adds what a table's rows of our system call hold. */
static void take(struct session *s, size_t event, bool clear, struct sums *sums)
{
	struct table *t = session__table(s, event);
	struct snapshot snap;
	struct err err = {0};

	if (table__snapshot(t, clear, &snap, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < snap.nr; i++) {
		const struct row *r = &snap.rows[i];

		sums->count[event] += r->count;
		if (table__has(t, AGG_SUM))
			assert_int_equal(r->sum[AGG_SUM], SYS_getppid * r->count);
	}
	snapshot__free(&snap);
}

static struct session *start(const char *spec, struct log *log, struct scope_opts *scope)
{
	const char *events[] = {spec, NULL};
	struct session_opts opts = {.events = events, .log = log, .scope = scope, .self = true};
	struct session *s = NULL;
	struct err err = {0};

	if (session__open(&s, &opts, &err) || session__attach(s, &err))
		fail_msg("%s", err.text);
	return s;
}

/* Two tables; the second is cleared every third time only, so that the sides get out of step. */
static void clear_under_load(const char *format)
{
	char spec[512];
	struct session_sink sink = {.records = ignore};
	struct log log = {.level = LOG_NOTICE, .write = say};
	char pid[16];
	struct scope_opts scope = {.pids = pid};
	struct load loads[THREADS];
	struct sums sums = {0};
	struct err err = {0};
	struct session *s;
	bool stop = false;
	u64 calls = 0;

	snprintf(pid, sizeof(pid), "%d", getpid());
	snprintf(spec, sizeof(spec), format, SYS_getppid, SYS_getppid);
	s = start(spec, &log, &scope);
	for (int i = 0; i < THREADS; i++) {
		loads[i] = (struct load){.stop = &stop};
		pthread_create(&loads[i].thread, NULL, call, &loads[i]);
	}
	for (int round = 0; round < 40; round++) {
		session__poll(s, 5, &sink, &err);
		take(s, 0, true, &sums);
		take(s, 1, round % 3 == 0, &sums);
		if (round % 3 == 0)	/* else it was not taken out, and will be seen again */
			calls += sums.count[1];
		sums.count[1] = 0;
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(loads[i].thread, NULL);
	take(s, 0, true, &sums);
	take(s, 1, true, &sums);
	sums.count[1] += calls;
	calls = 0;
	for (int i = 0; i < THREADS; i++)
		calls += loads[i].calls;
	assert_int_equal(sums.count[0], calls);
	assert_int_equal(sums.count[1], calls);
	assert_int_equal(table__lost(session__table(s, 0)), 0);
	assert_true(calls > 10000);
	print_message("%llu calls\n", (unsigned long long)calls);
	session__close(s);
}

static void hashes(void **state)
{
	(void)state;
	clear_under_load("raw_syscalls:sys_enter/id == %ld/sum=id/by=_tid,_comm/alias=a/,"
			 "raw_syscalls:sys_enter/id == %ld/sum=id/by=_tid/alias=b/");
}

static void arrays(void **state)
{
	(void)state;
	clear_under_load("raw_syscalls:sys_enter/id == %ld/sum=id/by=id/alias=a/,"
			 "raw_syscalls:sys_enter/id == %ld/sum=id/by=_cpu/min=id/alias=b/");
}

static void classic_and_single_row(void **state)
{
	(void)state;
	clear_under_load("syscalls:sys_enter_getppid/__syscall_nr == %ld/count/alias=a/,"
			 "syscalls:sys_enter_getppid/__syscall_nr == %ld/count/by=_tid/alias=b/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes),
		cmocka_unit_test(arrays),
		cmocka_unit_test(classic_and_single_row),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
