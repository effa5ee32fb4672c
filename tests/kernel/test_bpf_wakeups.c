// SPDX-License-Identifier: GPL-2.0-only
/* The reader is woken when it sleeps, at the mark, or by each record: as asked for, and not else.
 */
#include "transport.h"
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

static void burst(int n)
{
	while (n--)
		syscall(SYS_getppid);
}

/* As a session does it: the transport's descriptor in an epoll of its own, edge-triggered. */
static int watch(struct rig *rig)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
	int fd = epoll_create1(EPOLL_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(epoll_ctl(fd, EPOLL_CTL_ADD, bpf_transport__fd(rig->t), &ev), 0);
	return fd;
}

static bool woken(int fd, int ms)
{
	struct epoll_event ev;

	return epoll_wait(fd, &ev, 1, ms) == 1;
}

/* Records of this thread land in one ring. */
static void stay_here(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void go_anywhere(void)
{
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}

static struct rig *start(struct bpf_transport_opts opts, u32 maxlen)
{
	struct rig *rig = rig__new();
	struct event *e = rig__event(rig, "syscalls", "sys_enter_getppid");

	if (maxlen) /* the stack makes the record one that is built in scratch */
		rig->specs[0].stack = STACK_KERNEL;
	e->task_context = true;
	opts.self = true;
	rig->only_self = true;
	rig__start(rig, &opts);
	return rig;
}

static void sleeper_is_woken(struct rig *rig)
{
	int fd = watch(rig), i;

	for (i = 0; i < 3; i++) {
		while (!bpf_transport__sleeping(rig->t, true))
			rig__drain(rig);
		while (woken(fd, 0))
			;
		assert_false(woken(fd, 50));
		burst(1);
		assert_true(woken(fd, 2000));
		bpf_transport__sleeping(rig->t, false);
		assert_true(rig__drain(rig) >= 1);
	}
	close(fd);
	rig__stop(rig);
	rig__free(rig);
}

static void sleeper(void **state)
{
	sleeper_is_woken(start((struct bpf_transport_opts){0}, 0));
}

static void sleeper_of_dynamic(void **state)
{
	sleeper_is_woken(start((struct bpf_transport_opts){0}, 1));
}

/* 64 KiB are 1170 records of 56 bytes (48, and the ring's own 8); noticed at most as much later. */
static void at_the_mark(void **state)
{
	struct rig *rig = start((struct bpf_transport_opts){0}, *state ? 1 : 0);
	int fd, i, wakeups = 0;

	stay_here();
	fd = watch(rig);
	rig__drain(rig);
	while (woken(fd, 0))
		;
	burst(*state ? 500 : 1000);
	assert_false(woken(fd, 50));
	burst(1400);
	assert_true(woken(fd, 2000));
	for (i = 0; i < 100; i++) {
		burst(100);
		wakeups += woken(fd, 2);
	}
	/* at least 560 KB more: a wakeup for 64 of them, not one for each record */
	assert_in_range(wakeups, 7, 60);
	close(fd);
	rig__stop(rig);
	rig__free(rig);
	go_anywhere();
}

static void each_record(void **state)
{
	struct rig *rig = start((struct bpf_transport_opts){.low_latency = true}, 0);
	int fd = watch(rig), i;

	for (i = 0; i < 5; i++) {
		rig__drain(rig);
		while (woken(fd, 0))
			;
		burst(1);
		assert_true(woken(fd, 2000));
	}
	close(fd);
	rig__stop(rig);
	rig__free(rig);
}

/* Never may the reader sleep while a record waits that nobody announces. */
static void *produce(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) {
		burst(1);
		if (rand() % 16 == 0)
			sched_yield();
	}
	return NULL;
}

static void no_lost_wakeup(void **state)
{
	struct rig *rig = start((struct bpf_transport_opts){0}, *state ? 1 : 0);
	int fd = watch(rig), i, slept = 0;
	bool stop = false;
	pthread_t thread;

	go_anywhere();
	assert_int_equal(pthread_create(&thread, NULL, produce, &stop), 0);
	for (i = 0; i < 20000; i++) {
		rig__drain(rig);
		if (!bpf_transport__sleeping(rig->t, true))
			continue;
		assert_true(woken(fd, 5000));
		slept++;
		bpf_transport__sleeping(rig->t, false);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_true(slept > 10);
	close(fd);
	rig__stop(rig);
	rig__free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleeper),
		cmocka_unit_test(sleeper_of_dynamic),
		cmocka_unit_test(at_the_mark),
		cmocka_unit_test_prestate(at_the_mark, (void *)1),
		cmocka_unit_test(each_record),
		cmocka_unit_test(no_lost_wakeup),
		cmocka_unit_test_prestate(no_lost_wakeup, (void *)1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
