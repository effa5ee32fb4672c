// SPDX-License-Identifier: GPL-2.0-only
/* What arrives on the bpf transport is what happened: counts, fields, texts, call chains. */
#include "transport.h"
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "bpf/record.h"

#define CALLS 100003

/* The call stands in this function, so that its frame is the innermost of user space. */
__attribute__((noinline)) static void burst(int n)
{
	long ret;

	while (n--) {
#ifdef __x86_64__
		asm volatile("syscall" : "=a"(ret) : "a"(SYS_getppid) : "rcx", "r11", "memory");
#else
		ret = syscall(SYS_getppid);
#endif
		assert_true(ret >= 0);
	}
}

struct mine {
	u64 count, bad;
	u64 last;
	u64 child_count;
	u32 child;
};

static void check_getppid(struct rig *rig, const struct record *rec)
{
	struct mine *m = rig->ctx;
	u32 size;

	m->child_count += rec->tgid == m->child;
	if (rec->tgid != (u32)getpid())
		return;
	m->count++;
	if (rec->time < m->last || rec->tid != (u32)gettid() || !record__raw(rec, &size) ||
	    size != rec->event->format->size || rig__number(rec, "common_pid") != gettid() ||
	    rig__number(rec, "common_type") != rec->event->format->id ||
	    rig__number(rec, "__syscall_nr") != SYS_getppid)
		m->bad++;
}

static void exact_count(void **state)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();
	struct mine m = {0};

	rig->fn = check_getppid;
	rig->ctx = &m;
	rig__event(rig, "syscalls", "sys_enter_getppid");
	rig->only_self = true;
	rig__start(rig, &opts);
	burst(CALLS);
	rig__stop(rig);
	assert_int_equal(m.count, CALLS);
	assert_int_equal(m.bad, 0);
	assert_int_equal(rig->lost[0], 0);
	assert_int_equal(rig__stats(rig, 0).delivered, rig->received[0]);
	rig__free(rig);
}

/* A ring of one page, and nobody reads: what is not there is counted, by records and in the end. */
static void received_and_lost(void **state)
{
	struct bpf_transport_opts opts = {.self = true, .ring_bytes = 4096};
	struct rig *rig = rig__new();
	struct mine m = {0};
	int i;

	rig->fn = check_getppid;
	rig->ctx = &m;
	rig__event(rig, "syscalls", "sys_enter_getppid");
	rig->only_self = true;
	rig__start(rig, &opts);
	for (i = 0; i < 10; i++) {
		burst(CALLS / 10);
		rig__drain(rig);
	}
	burst(CALLS % 10);
	burst(1000); /* lost after the last record that is read */
	rig__stop(rig);
	assert_true(rig->received[0] > 100 && rig->lost[0] > CALLS / 2);
	assert_int_equal(rig->lost[0], rig__stats(rig, 0).ring_full);
	assert_int_equal(rig->received[0] + rig->lost[0], CALLS + 1000);
	rig__free(rig);
}

/* What tamis does itself is left out and counted; what another process does is there. */
static void own_events(void **state)
{
	struct bpf_transport_opts opts = {.self = false};
	struct rig *rig = rig__new();
	struct mine m = {0};
	pid_t pid;

	rig->fn = check_getppid;
	rig->ctx = &m;
	rig__event(rig, "syscalls", "sys_enter_getppid");
	rig__start(rig, &opts);
	burst(1009);
	pid = fork();
	if (!pid) {
		burst(503);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	m.child = pid;
	rig__stop(rig);
	assert_int_equal(m.count, 0);
	assert_int_equal(m.child_count, 503);
	assert_int_equal(rig__stats(rig, 0).own, 1009);
	rig__free(rig);
}

/* --- fired, out of scope, rejected: only while that is asked for --- */

static void explained(void **state)
{
	struct bpf_transport_opts opts = {.self = true, .explain = true};
	struct rig *rig = rig__new();
	struct event *e = rig__event(rig, "syscalls", "sys_enter_getppid");
	struct event_stats s;
	struct err err = {0};
	struct code *c;

	rig__open(rig, &opts);
	c = &bpf_transport__holes(rig->t, e)->filter;
	code__mov_imm(c, R0, 0);
	code__load(c, R1, R_REC, 8, 4);
	code__reject(c, BPF_JEQ, R1, SYS_getppid);
	code__accept(c);
	must(bpf_transport__load(rig->t, &err), &err);
	must(bpf_transport__attach(rig->t, &err), &err);
	burst(211);
	bpf_transport__explain(rig->t, false);
	s = rig__stats(rig, 0);
	assert_true(s.fired >= 211);
	assert_int_equal(s.rejected, s.fired);
	burst(300);
	rig__stop(rig);
	assert_int_equal(rig__stats(rig, 0).fired, s.fired);
	assert_int_equal(rig->received[0], 0);
	rig__free(rig);
}

/* --- sample= and rate= --- */

static void one_in_seven(void **state)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();

	rig__event(rig, "syscalls", "sys_enter_getppid");
	rig->specs[0].sample = 7;
	rig->only_self = true;
	rig__start(rig, &opts);
	burst(7007);
	rig__stop(rig);
	/* each CPU counts by itself, and we may have been moved */
	assert_in_range(rig->received[0], 1001 - 2, 1001 + 2);
	rig__free(rig);
}

static void limited_rate(void **state)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();
	u64 all;

	rig__event(rig, "syscalls", "sys_enter_getppid");
	rig->specs[0].rate = 10;
	rig->only_self = true;
	rig__start(rig, &opts);
	burst(5003);
	rig__stop(rig);
	assert_in_range(rig->received[0], 10, 10 * 2 * sysconf(_SC_NPROCESSORS_CONF) * 2);
	all = rig->received[0] + rig__stats(rig, 0).rate_limited;
	assert_int_equal(all, 5003);
	rig__free(rig);
}

/* --- two of one event, and others beside us --- */

static int perf_counter(u32 id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void two_and_perf(void **state)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();
	struct event *e = rig__event(rig, "syscalls", "sys_enter_getppid");
	struct err err = {0};
	struct code *c;
	u64 counted = 0;
	int fd;

	rig__event(rig, "syscalls", "sys_enter_getppid");
	rig__open(rig, &opts);
	c = &bpf_transport__holes(rig->t, e)->filter;
	code__mov_imm(c, R0, 0);
	rig__only_self(rig, 1);
	must(bpf_transport__load(rig->t, &err), &err);
	must(bpf_transport__attach(rig->t, &err), &err);
	fd = perf_counter(e->format->id);
	assert_true(fd >= 0);
	burst(10007);
	assert_int_equal(read(fd, &counted, sizeof(counted)), sizeof(counted));
	close(fd);
	rig__stop(rig);
	assert_int_equal(counted, 10007);
	assert_int_equal(rig->received[0], 0);
	assert_int_equal(rig->received[1], 10007);
	rig__free(rig);
}

/* --- dynamic fields --- */

struct exec {
	char *path;
	pid_t pid;
	int seen;
};

static void check_exec(struct rig *rig, const struct record *rec)
{
	struct exec *x = rig->ctx;
	char *path;

	if (rig__number(rec, "pid") != x->pid)
		return;
	path = rig__text(rec, "filename");
	assert_string_equal(path, x->path);
	assert_int_equal(rig__number(rec, "old_pid"), x->pid);
	assert_false(rec->flags & (RECORD_TRUNCATED | RECORD_UNREADABLE));
	free(path);
	x->seen++;
}

static void exec_of(const char *path)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();
	struct exec x = {.path = (char *)path};

	rig->fn = check_exec;
	rig->ctx = &x;
	rig__event(rig, "sched", "sched_process_exec");
	rig__start(rig, &opts);
	x.pid = fork();
	if (!x.pid) {
		execl(path, "true", NULL);
		_exit(127);
	}
	waitpid(x.pid, NULL, 0);
	rig__stop(rig);
	assert_int_equal(x.seen, 1);
	rig__free(rig);
}

static void dynamic_text(void **state)
{
	char path[256] = "/tmp/";

	exec_of("/bin/true");
	memset(path + 5, 'x', 195);
	assert_int_equal(symlink("/bin/true", path), 0);
	exec_of(path);
	unlink(path);
}

/* --- texts of user memory --- */

struct opened {
	char *path;
	u32 kept;
	int seen, unreadable;
};

static void check_open(struct rig *rig, const struct record *rec)
{
	struct opened *o = rig->ctx;
	char *name;

	if (rec->tgid != (u32)getpid())
		return;
	name = rig__text(rec, "name");
	o->seen++;
	if (!name) {
		o->unreadable++;
		assert_true(rec->flags & RECORD_UNREADABLE);
		return;
	}
	assert_int_equal(strlen(name), o->kept);
	assert_memory_equal(name, o->path, o->kept);
	assert_int_equal(!!(rec->flags & RECORD_TRUNCATED), strlen(o->path) > o->kept);
	assert_int_equal((s32)rig__number(rec, "dfd"), AT_FDCWD);
	free(name);
}

static struct opened open_of(char *path, u32 maxlen, u32 kept)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();
	struct opened o = {.path = path, .kept = kept};
	struct event *e = rig__event(rig, "syscalls", "sys_enter_openat");

	rig__ustring(e, "filename", "name", 0);
	rig->specs[0].maxlen = maxlen;
	rig->fn = check_open;
	rig->ctx = &o;
	rig__start(rig, &opts);
	syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	rig__stop(rig);
	rig__free(rig);
	return o;
}

static void user_text(void **state)
{
	char path[4096];

	memset(path, 'p', sizeof(path));
	path[4000] = 0;
	assert_int_equal(open_of(path, 0, 256).seen, 1);
	assert_int_equal(open_of(path, 3900, 3900).seen, 1);
	path[400] = 0;
	assert_int_equal(open_of(path, 0, 256).seen, 1);
	assert_int_equal(open_of(path, 400, 400).seen, 1);
	assert_int_equal(open_of(path, 399, 399).seen, 1);
	assert_int_equal(open_of(path, 1000, 400).seen, 1);
	assert_int_equal(open_of("", 0, 0).seen, 1);
	assert_int_equal(open_of("/", 0, 1).seen, 1);
	assert_int_equal(open_of((char *)8, 0, 1).unreadable, 1);
}

/* 4000 characters do not fit a record with everything else: cut to what fits, and flagged. */
static void text_too_long(void **state)
{
	char path[4096];
	struct opened o;

	memset(path, 'p', sizeof(path));
	path[4095] = 0;
	o = open_of(path, 4096, 4096 - 32 - 8 - 48);
	assert_int_equal(o.seen, 1);
}

/* --- extras --- */

static void check_extras(struct rig *rig, const struct record *rec)
{
	const char *comm = record__extra(rec, EXTRA_COMM);
	const u32 *uid = record__extra(rec, EXTRA_UID);
	struct stat st;

	if (rec->tgid != (u32)getpid())
		return;
	assert_string_equal(comm, "ab");
	assert_int_equal(*uid, getuid());
	assert_non_null(record__extra(rec, EXTRA_CGROUP));
	if (!stat("/sys/fs/cgroup/unified/cgroup.procs", &st) && rig->ctx)
		assert_int_equal(*(u64 *)record__extra(rec, EXTRA_CGROUP), *(u64 *)rig->ctx);
	assert_null(record__extra(rec, EXTRA_PPID));
	rig->marked++;
}

static void extras(void **state)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();
	struct event *e = rig__event(rig, "syscalls", "sys_enter_getppid");

	e->with = 1 << EXTRA_COMM | 1 << EXTRA_UID | 1 << EXTRA_CGROUP;
	prctl(PR_SET_NAME, "a name of 15 ch");
	prctl(PR_SET_NAME, "ab");
	rig->fn = check_extras;
	rig__start(rig, &opts);
	burst(7);
	rig__stop(rig);
	assert_int_equal(rig->marked, 7);
	rig__free(rig);
}

/* The first process of a pid namespace: 1 there, something else here. */
static void check_task_extras(struct rig *rig, const struct record *rec)
{
	if (*(const u32 *)record__extra(rec, EXTRA_PPID) != (u32)getpid())
		return;
	assert_int_equal(*(const u32 *)record__extra(rec, EXTRA_NSPID), 1);
	if (rec->tid == rec->tgid)
		assert_int_equal(*(const u32 *)record__extra(rec, EXTRA_NSTID), 1);
	else
		assert_int_equal(*(const u32 *)record__extra(rec, EXTRA_NSTID), 2);
	rig->marked++;
}

static void *one_burst(void *unused)
{
	burst(3);
	return NULL;
}

static void task_extras(void **state)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();
	struct event *e = rig__event(rig, "syscalls", "sys_enter_getppid");
	pthread_t thread;
	pid_t pid;

	e->with = 1 << EXTRA_PPID | 1 << EXTRA_NSPID | 1 << EXTRA_NSTID;
	rig->fn = check_task_extras;
	rig__start(rig, &opts);
	pid = fork();
	if (!pid) {
		/* it stays here itself; the first of the new namespace is a child of ours too */
		if (unshare(CLONE_NEWPID))
			_exit(1);
		if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0) {
			burst(5);
			pthread_create(&thread, NULL, one_burst, NULL);
			pthread_join(thread, NULL);
		}
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	rig__stop(rig);
	assert_int_equal(rig->marked, 8);
	rig__free(rig);
}

/* --- call chains --- */

struct chains {
	int seen, with_burst;
	u32 most;
};

static void check_chain(struct rig *rig, const struct record *rec)
{
	struct chains *ch = rig->ctx;
	const u64 *ips;
	u32 n = record__callchain(rec, &ips), i, user = 0;

	if (rec->tgid != (u32)getpid())
		return;
	ch->seen++;
	assert_true(n >= 3);
	assert_int_equal(ips[0], (u64)PERF_CONTEXT_KERNEL);
	assert_true(ips[1] > 1ull << 63);
	for (i = 0; i < n; i++)
		if (ips[i] == (u64)PERF_CONTEXT_USER)
			user = i;
	assert_true(user > 0);
	for (i = user + 1; i < n; i++)
		if (ips[i] >= (u64)burst && ips[i] < (u64)burst + 64)
			ch->with_burst++;
	if (n > ch->most)
		ch->most = n;
	assert_int_equal(rig__number(rec, "__syscall_nr"), SYS_getppid);
}

static struct chains chains_of(u32 max_stack)
{
	struct bpf_transport_opts opts = {.self = true};
	struct rig *rig = rig__new();
	struct chains ch = {0};

	rig__event(rig, "syscalls", "sys_enter_getppid");
	rig->specs[0].stack = STACK_KERNEL | STACK_USER;
	rig->specs[0].max_stack = max_stack;
	rig->fn = check_chain;
	rig->ctx = &ch;
	rig__start(rig, &opts);
	burst(11);
	rig__stop(rig);
	rig__free(rig);
	return ch;
}

static void call_chains(void **state)
{
	struct chains ch = chains_of(0);

	assert_int_equal(ch.seen, 11);
	assert_int_equal(ch.with_burst, 11);
	ch = chains_of(2);
	assert_int_equal(ch.seen, 11);
	/* the kernel's side of syscalls:* is empty on older kernels, which begin at the user's
	 * registers */
	assert_in_range(ch.most, 2 + 0 + 1, 2 + 2 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_count),	cmocka_unit_test(received_and_lost),
		cmocka_unit_test(own_events),	cmocka_unit_test(explained),
		cmocka_unit_test(one_in_seven), cmocka_unit_test(limited_rate),
		cmocka_unit_test(two_and_perf), cmocka_unit_test(dynamic_text),
		cmocka_unit_test(user_text),	cmocka_unit_test(text_too_long),
		cmocka_unit_test(extras),	cmocka_unit_test(task_extras),
		cmocka_unit_test(call_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
