// SPDX-License-Identifier: GPL-2.0-only
/* test_process_table.c - names of threads by what is told of them; no /proc but for our own name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../user/collect/process_table.h"
#include "../../user/collect/sideband.h"

/* Numbers beyond pid_max: /proc never has them. */
#define TID 0x10000000u

static void fork_of(struct process_table *t, u32 tgid, u32 tid, u32 parent, u64 time)
{
	process_table__follow(t, &(struct sideband_record){
		.kind = SIDEBAND_FORK, .time = time, .tgid = tgid, .tid = tid,
		.fork = {parent, parent}});
}

static void comm_of(struct process_table *t, u32 tid, const char *name, u64 time)
{
	process_table__follow(t, &(struct sideband_record){
		.kind = SIDEBAND_COMM, .time = time, .tgid = tid, .tid = tid, .comm = {name, true}});
}

static void exit_of(struct process_table *t, u32 tid, u64 time)
{
	process_table__follow(t, &(struct sideband_record){
		.kind = SIDEBAND_EXIT, .time = time, .tgid = tid, .tid = tid});
}

static void names(void **state)
{
	struct process_table *t = process_table__new(0);

	comm_of(t, TID, "shell", 100);
	fork_of(t, TID + 1, TID + 1, TID, 200);
	assert_string_equal(process_table__comm(t, TID + 1, 200), "shell");
	comm_of(t, TID + 1, "sleep", 300);
	assert_string_equal(process_table__comm(t, TID + 1, 299), "shell");
	assert_string_equal(process_table__comm(t, TID + 1, 300), "sleep");
	assert_string_equal(process_table__comm(t, TID, UINT64_MAX), "shell");
	exit_of(t, TID + 1, 400);
	assert_string_equal(process_table__comm(t, TID + 1, 500), "sleep");
	assert_null(process_table__comm(t, TID + 2, 0));
	process_table__free(t);
}

static void reused_number(void **state)
{
	struct process_table *t = process_table__new(0);

	comm_of(t, TID, "old", 100);
	exit_of(t, TID, 200);
	comm_of(t, TID + 7, "parent", 250);
	fork_of(t, TID, TID, TID + 7, 300);
	assert_string_equal(process_table__comm(t, TID, 150), "old");
	assert_string_equal(process_table__comm(t, TID, 300), "parent");
	assert_int_equal(process_table__size(t), 2);
	process_table__free(t);
}

static void threads(void **state)
{
	struct process_table *t = process_table__new(0);

	comm_of(t, TID, "main", 1);
	fork_of(t, TID, TID + 1, TID, 2);
	assert_int_equal(process_table__tgid(t, TID + 1), TID);
	assert_int_equal(process_table__tgid(t, TID + 9), 0);
	process_table__free(t);
}

static void bounded(void **state)
{
	struct process_table *t = process_table__new(100);
	char name[32];
	u32 i;

	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		comm_of(t, TID + i, name, i + 1);
	}
	exit_of(t, TID + 50, 200);
	exit_of(t, TID + 3, 201);
	comm_of(t, TID + 100, "new1", 300);	/* in the place of 50, which ended first */
	assert_null(process_table__comm(t, TID + 50, UINT64_MAX));
	assert_string_equal(process_table__comm(t, TID + 3, UINT64_MAX), "t3");
	comm_of(t, TID + 101, "new2", 301);
	assert_null(process_table__comm(t, TID + 3, UINT64_MAX));
	comm_of(t, TID + 102, "new3", 302);	/* nobody has ended: the oldest goes */
	assert_null(process_table__comm(t, TID, UINT64_MAX));
	assert_string_equal(process_table__comm(t, TID + 1, UINT64_MAX), "t1");
	assert_int_equal(process_table__size(t), 100);
	process_table__free(t);
}

/* A simple array as the oracle. */
static void random_lives(void **state)
{
	static char expected[512][COMM_LEN];
	struct process_table *t = process_table__new(0);
	char name[COMM_LEN];
	u32 tid, i;

	srand(3);
	memset(expected, 0, sizeof(expected));
	for (i = 0; i < 300000; i++) {
		tid = rand() % 512;
		switch (rand() % 3) {
		case 0:
			snprintf(name, sizeof(name), "n%u", i);
			comm_of(t, TID + tid, name, i);
			strcpy(expected[tid], name);
			break;
		case 1:
			fork_of(t, TID + tid, TID + tid, TID + (tid + 1) % 512, i);
			memmove(expected[tid], expected[(tid + 1) % 512], COMM_LEN);
			break;
		case 2:
			exit_of(t, TID + tid, i);
			break;
		}
	}
	for (tid = 0; tid < 512; tid++)
		assert_string_equal(process_table__comm(t, TID + tid, UINT64_MAX) ?: "", expected[tid]);
	process_table__free(t);
}

static void from_proc(void **state)
{
	struct process_table *t = process_table__new(0);

	prctl(PR_SET_NAME, "a name b");
	assert_string_equal(process_table__comm(t, getpid(), UINT64_MAX), "a name b");
	assert_int_equal(process_table__tgid(t, getpid()), getpid());
	process_table__free(t);
	t = process_table__new(0);
	process_table__scan(t);
	prctl(PR_SET_NAME, "another");
	assert_string_equal(process_table__comm(t, getpid(), UINT64_MAX), "a name b");
	process_table__free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(reused_number), cmocka_unit_test(threads),
		cmocka_unit_test(bounded), cmocka_unit_test(random_lives), cmocka_unit_test(from_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
