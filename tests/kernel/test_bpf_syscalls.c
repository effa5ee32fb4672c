// SPDX-License-Identifier: GPL-2.0-only
/* All syscalls:* events at once: quick to attach and to detach, and the same as one by one. */
#include "transport.h"
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>

/* One by one they take a minute; on a quiet machine all at once a second. */
#define LIMIT_MS 15000

/* A software-emulated guest is many times slower. */
static long limit_ms(void)
{
	const char *patience = getenv("TAMIS_TEST_PATIENCE");

	return patience ? LIMIT_MS * atol(patience) : LIMIT_MS;
}

static int add_one(void *ctx, const char *system, const char *name)
{
	rig__event(ctx, system, name);
	return 0;
}

static void add_all(struct rig *rig)
{
	struct err err = {0};

	must(catalog__open(&rig->catalog, NULL, NULL, &err), &err);
	must(catalog__each(rig->catalog, "syscalls", "sys_*", add_one, rig, &err), &err);
	assert_true(rig->nr > 600);
}

static int index_of(struct rig *rig, const char *name)
{
	int i;

	for (i = 0; i < rig->nr; i++)
		if (!strcmp(rig->events[i]->format->name, name))
			return i;
	fail_msg("no event %s", name);
	return -1;
}

static long ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

struct seen {
	int enter, exit, bad, others;
	s64 number_of_last;
};

/* lseek(-1, -2, 0x7fffffff) fails with EBADF; the number in each record is its event's own */
static void check(struct rig *rig, const struct record *rec)
{
	struct seen *s = rig->ctx;
	const char *name = rec->event->format->name;

	if (!strcmp(name, "sys_enter_lseek")) {
		s->enter++;
		s->bad += (s32)rig__number(rec, "fd") != -1 || rig__number(rec, "offset") != -2 ||
			  (u32)rig__number(rec, "whence") != 0x7fffffff ||
			  rig__number(rec, "__syscall_nr") != SYS_lseek ||
			  rig__number(rec, "common_type") != rec->event->format->id;
	} else if (!strcmp(name, "sys_exit_lseek")) {
		s->exit++;
		s->bad += rig__number(rec, "ret") != -9 ||
			  rig__number(rec, "__syscall_nr") != SYS_lseek;
	} else {
		s->others++;
	}
}

static void calls(int n)
{
	while (n--)
		syscall(SYS_lseek, -1, -2L, 0x7fffffff);
}

/* getppid by the 32-bit interface has number 64, which is another call in the 64-bit one */
static void compat_call(void)
{
#ifdef __x86_64__
	int ret;

	asm volatile("int $0x80" : "=a"(ret) : "a"(64) : "memory", "r8", "r9", "r10", "r11");
	if (ret != getppid())
		printf("no 32-bit calls on this kernel\n");
#endif
}

static void all_at_once(void **state)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();
	struct seen s = {0};
	long t0, t1, t2;

	rig->only_self = true;
	rig->fn = check;
	rig->ctx = &s;
	add_all(rig);
	t0 = ms();
	rig__start(rig, &opts);
	t1 = ms();
	calls(1009);
	compat_call();
	t2 = ms();
	bpf_transport__detach(rig->t, NULL, NULL);
	printf("%d events: attach %ld ms, detach %ld ms\n", rig->nr, t1 - t0, ms() - t2);
	assert_true(t1 - t0 < limit_ms());
	assert_true(ms() - t2 < limit_ms());
	calls(13);
	rig__drain(rig);
	assert_int_equal(s.enter, 1009);
	assert_int_equal(s.exit, 1009);
	assert_int_equal(s.bad, 0);
	assert_int_equal(rig->received[index_of(rig, "sys_enter_semget")], 0);
	assert_true(rig->received[index_of(rig, "sys_enter_getppid")] >= 1);
	rig__free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_at_once)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
