// SPDX-License-Identifier: GPL-2.0-only
/* test_sideband.c - fork, rename, exec, mmap and exit of children, as the live kernel tells them. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../user/collect/process_table.h"
#include "../../user/collect/sideband.h"

#define SEEN_MAX 65536	/* the machine may be busy */

struct seen {
	struct process_table *table;
	struct {
		enum sideband_kind kind;
		u32 tgid, tid, parent;
		bool exec;
		char text[128];
	} v[SEEN_MAX];
	size_t n;
	u64 last, backwards, build_ids, inodes;
};

static void note(void *ctx, const struct sideband_record *r)
{
	struct seen *s = ctx;

	s->backwards += r->time < s->last;
	s->last = r->time;
	process_table__follow(s->table, r);
	if (s->n == SEEN_MAX)
		return;
	s->v[s->n].kind = r->kind;
	s->v[s->n].tgid = r->tgid;
	s->v[s->n].tid = r->tid;
	s->v[s->n].parent = r->kind == SIDEBAND_FORK ? r->fork.parent_tgid : 0;
	if (r->kind == SIDEBAND_COMM) {
		s->v[s->n].exec = r->comm.exec;
		snprintf(s->v[s->n].text, sizeof(s->v[s->n].text), "%s", r->comm.name);
	}
	if (r->kind == SIDEBAND_MMAP) {
		snprintf(s->v[s->n].text, sizeof(s->v[s->n].text), "%s", r->mmap.path);
		s->build_ids += r->mmap.build_id_size >= 8;
		s->inodes += r->mmap.ino != 0;
		assert_int_equal(r->mmap.start % 4096, 0);
		assert_true(r->mmap.len > 0);
	}
	s->n++;
}

static size_t find(const struct seen *s, size_t from, enum sideband_kind kind, u32 tid, const char *text)
{
	for (; from < s->n; from++)
		if (s->v[from].kind == kind && s->v[from].tid == tid &&
		    (!text || !strcmp(s->v[from].text, text)))
			return from;
	return SEEN_MAX;
}

static pid_t run_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "renamed child");
		execl("/bin/sleep", "sleep", "0.02", NULL);
		_exit(127);
	}
	return pid;
}

static struct sideband *open_or_skip(void)
{
	struct sideband_opts opts = {.maps = true};
	struct sideband *sb;
	struct err err = {0};
	int ret = sideband__open(&sb, &opts, &err);

	if (ret == -EACCES || ret == -EPERM) {
		print_message("needs root: %s\n", err.text);
		skip();
	}
	if (ret)
		fail_msg("%s", err.text);
	return sb;
}

static void life_of_a_process(void **state)
{
	static struct seen s;
	struct sideband *sb = open_or_skip();
	size_t fork_at, name_at, exec_at, map_at, exit_at;
	int status;
	pid_t pid;

	s.table = process_table__new(0);
	prctl(PR_SET_NAME, "the parent");
	process_table__scan(s.table);
	pid = run_child();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	sideband__read(sb, UINT64_MAX, note, &s);
	assert_int_equal(sideband__lost(sb), 0);
	fork_at = find(&s, 0, SIDEBAND_FORK, pid, NULL);
	assert_true(fork_at < SEEN_MAX);
	assert_int_equal(s.v[fork_at].parent, getpid());
	name_at = find(&s, fork_at, SIDEBAND_COMM, pid, "renamed child");
	assert_true(name_at < SEEN_MAX);
	assert_false(s.v[name_at].exec);
	exec_at = find(&s, name_at, SIDEBAND_COMM, pid, "sleep");
	assert_true(exec_at < SEEN_MAX);
	assert_true(s.v[exec_at].exec);
	map_at = find(&s, exec_at, SIDEBAND_MMAP, pid, "/usr/bin/sleep");
	if (map_at == SEEN_MAX)
		map_at = find(&s, exec_at, SIDEBAND_MMAP, pid, "/bin/sleep");
	assert_true(map_at < SEEN_MAX);
	assert_true(find(&s, exec_at, SIDEBAND_MMAP, pid, "[vdso]") < SEEN_MAX);
	exit_at = find(&s, map_at, SIDEBAND_EXIT, pid, NULL);
	assert_true(exit_at < SEEN_MAX);
	assert_true(s.build_ids + s.inodes > 0);
	/* A task may be preempted between the time of its record and its place in the ring. */
	assert_true(s.backwards <= s.n / 100);
	assert_string_equal(process_table__comm(s.table, pid, UINT64_MAX), "sleep");
	assert_string_equal(process_table__comm(s.table, getpid(), UINT64_MAX), "the parent");
	process_table__free(s.table);
	sideband__close(sb);
}

/* Every one of many short processes is told, with its name, over rings that wrap several times. */
static void many(void **state)
{
	static struct seen s;
	struct sideband_opts opts = {.maps = false, .ring_bytes = 65536};
	struct sideband *sb;
	struct err err = {0};
	size_t i;

	if (sideband__open(&sb, &opts, &err))
		skip();
	s.table = process_table__new(0);
	s.n = SEEN_MAX;
	for (i = 0; i < 2003; i++) {
		char name[16];
		pid_t pid;

		snprintf(name, sizeof(name), "short %zu", i);
		pid = fork();
		if (!pid) {
			prctl(PR_SET_NAME, name);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		sideband__read(sb, UINT64_MAX, note, &s);
		/* Now, for its number may soon be another's. */
		assert_string_equal(process_table__comm(s.table, pid, UINT64_MAX), name);
	}
	assert_int_equal(sideband__lost(sb), 0);
	process_table__free(s.table);
	sideband__close(sb);
}

static u64 last_until;

static void not_later(void *ctx, const struct sideband_record *r)
{
	assert_true(r->time <= last_until);
	++*(size_t *)ctx;
}

static void up_to_a_time(void **state)
{
	struct sideband *sb = open_or_skip();
	struct timespec ts;
	size_t early = 0, late = 0;
	pid_t pid = run_child();

	waitpid(pid, NULL, 0);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	last_until = ts.tv_sec * 1000000000ull + ts.tv_nsec;
	pid = run_child();
	waitpid(pid, NULL, 0);
	sideband__read(sb, last_until, not_later, &early);
	assert_true(early >= 4);
	last_until = UINT64_MAX;
	sideband__read(sb, last_until, not_later, &late);
	assert_true(late >= 4);
	sideband__close(sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_of_a_process),
		cmocka_unit_test(many),
		cmocka_unit_test(up_to_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
