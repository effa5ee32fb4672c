// SPDX-License-Identifier: GPL-2.0-only
/* The code of a scope, asked by the kernel about this very task (BPF_PROG_TEST_RUN). */
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/base/guard.h"
#include "user/base/log.h"
#include "user/event/catalog.h"
#include "user/event/event.h"
#include "user/scope/follow.h"
#include "user/scope/kernel.h"
#include "user/scope/scope_code.h"
#include "bpf/record.h"
#include "bpf/template.h"

static struct event event = {.task_context = true};

static void say(void *ctx, enum log_level level, const char *line)
{
	snprintf(ctx, 256, "%s", line);
}

/* The hole, with a struct work on the stack at r7, whose result goes to map 0. */
static int load(const struct code *hole, int map)
{
	struct code c = {0};
	size_t base, i;
	int fd;

	code__mov(&c, R_WORK, 10);
	code__alu_imm(&c, BPF_ADD, R_WORK, -(int)sizeof(struct work));
	code__mov_imm(&c, R0, 1);
	base = c.n;
	for (i = 0; i < hole->n; i++)
		code__insn(&c, hole->insn[i].code, hole->insn[i].dst_reg, hole->insn[i].src_reg,
			   hole->insn[i].off, hole->insn[i].imm);
	for (i = 0; i < hole->nr_rejects; i++)
		c.insn[base + hole->rejects[i]].off = (s16)(hole->n - hole->rejects[i] - 1);
	code__map_value(&c, R1, map, 0);
	code__store(&c, R1, 0, R0, 8);
	code__mov_imm(&c, R0, 0);
	code__insn(&c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	assert_int_equal(c.err, 0);
	static char log[65536];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = log, .log_size = sizeof(log),
		    .log_level = 1);
	fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "test_scope", "GPL", c.insn, c.n, &opts);
	if (fd < 0)
		fail_msg("%s\n%s", strerror(errno), log);
	code__free(&c);
	return fd;
}

struct asked {
	int prog, map;
	struct scope *scope;
};

static struct asked ask_for(const struct scope_opts *opts, u32 workload, bool self)
{
	struct catalog *catalog;
	struct asked a = {.map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_scope", 4, 8, 1, NULL)};
	struct err err = {0};
	struct code hole = {0};

	if (scope__resolve(&a.scope, opts, NULL, &err))
		fail_msg("%s", err.text);
	if (workload)
		scope__set_workload(a.scope, workload, NULL);
	assert_int_equal(catalog__open(&catalog, NULL, NULL, &err), 0);
	if (scope__arm(a.scope, catalog, &err) || scope__code(a.scope, &event, self, &hole, &err))
		fail_msg("%s", err.text);
	catalog__close(catalog);
	assert_true(hole.n <= SCOPE_ROOM);
	a.prog = load(&hole, a.map);
	code__free(&hole);
	return a;
}

static u64 answer(const struct asked *a)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	u32 zero = 0;
	u64 result = 77;

	if (bpf_prog_test_run_opts(a->prog, &opts) || bpf_map_lookup_elem(a->map, &zero, &result))
		return 99;
	return result;
}

static void done(struct asked *a)
{
	scope__free(a->scope);
	close(a->prog);
	close(a->map);
}

static u64 ask(const struct scope_opts *opts)
{
	struct asked a = ask_for(opts, 0, true);
	u64 result = answer(&a);

	done(&a);
	return result;
}

/* The answer as a child sees it, which does @change first. */
static u64 in_child(const struct asked *a, void (*change)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (change)
			change();
		_exit((int)answer(a));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static const char *number(long n)
{
	static char text[4][32];
	static int i;

	i = (i + 1) % 4;
	snprintf(text[i], sizeof(text[i]), "%ld", n);
	return text[i];
}

static void everything(void **state)
{
	struct err err = {0};
	struct code c = {0};

	assert_int_equal(scope__code(NULL, &event, true, &c, &err), 0);
	assert_int_equal(c.n, 0);
	assert_int_equal(ask(&(struct scope_opts){.user = number(getuid())}), SCOPE_IN);
}

static void own_events(void **state)
{
	struct asked a = ask_for(&(struct scope_opts){0}, 0, false);

	assert_int_equal(answer(&a), SCOPE_OWN);
	assert_int_equal(in_child(&a, NULL), SCOPE_IN);
	done(&a);
	/* out of scope is not own */
	a = ask_for(&(struct scope_opts){.user = "65533"}, 0, false);
	assert_int_equal(answer(&a), SCOPE_OUT);
	done(&a);
	event.task_context = false;
	a = ask_for(&(struct scope_opts){.user = number(getuid())}, 0, false);
	assert_int_equal(answer(&a), SCOPE_IN);
	event.task_context = true;
	done(&a);
}

static void processes(void **state)
{
	struct asked a = ask_for(&(struct scope_opts){.pids = number(getpid())}, 0, true);

	assert_int_equal(answer(&a), SCOPE_IN);
	assert_int_equal(in_child(&a, NULL), SCOPE_OUT);
	done(&a);
	assert_int_equal(ask(&(struct scope_opts){.pids = number(getppid())}), SCOPE_OUT);
	assert_int_equal(ask(&(struct scope_opts){.tids = number(getpid())}), SCOPE_IN);
}

static void many_processes(void **state)
{
	char list[1024] = "";
	pid_t pid[20];
	int i;

	for (i = 0; i < 20; i++) {
		pid[i] = fork();
		if (!pid[i]) {
			pause();
			_exit(0);
		}
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%d", i ? "," : "",
			 pid[i]);
	}
	assert_int_equal(ask(&(struct scope_opts){.pids = list}), SCOPE_OUT);
	snprintf(list + strlen(list), sizeof(list) - strlen(list), ",%d", getpid());
	assert_int_equal(ask(&(struct scope_opts){.pids = list}), SCOPE_IN);
	for (i = 0; i < 20; i++)
		kill(pid[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

static void *ask_thread(void *a)
{
	return (void *)answer(a);
}

static u64 in_thread(struct asked *a)
{
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, ask_thread, a), 0);
	pthread_join(thread, &result);
	return (u64)result;
}

static void threads(void **state)
{
	struct asked a = ask_for(&(struct scope_opts){.pids = number(getpid())}, 0, true);

	assert_int_equal(in_thread(&a), SCOPE_IN);
	done(&a);
	a = ask_for(&(struct scope_opts){.tids = number(getpid())}, 0, true);
	assert_int_equal(in_thread(&a), SCOPE_OUT);
	done(&a);
}

static void followed(void **state)
{
	struct scope_opts opts = {.pids = number(getpid()), .follow = true};
	struct asked a = ask_for(&opts, 0, true);

	assert_int_equal(answer(&a), SCOPE_IN);
	assert_int_equal(in_child(&a, NULL), SCOPE_IN);
	assert_int_equal(in_thread(&a), SCOPE_IN);
	scope__disarm(a.scope);
	assert_int_equal(in_child(&a, NULL), SCOPE_OUT);
	done(&a);
	opts = (struct scope_opts){.tids = number(getpid()), .follow = true};
	a = ask_for(&opts, 0, true);
	assert_int_equal(answer(&a), SCOPE_IN);
	assert_int_equal(in_child(&a, NULL), SCOPE_IN);
	assert_int_equal(in_thread(&a), SCOPE_IN);
	done(&a);
	/* a workload is followed, its parent is not in it */
	a = ask_for(&(struct scope_opts){0}, getppid(), true);
	assert_int_equal(answer(&a), SCOPE_OUT);
	done(&a);
	a = ask_for(&(struct scope_opts){0}, getpid(), true);
	assert_int_equal(in_child(&a, NULL), SCOPE_IN);
	done(&a);
}

static void reuse_ns_last_pid(pid_t next)
{
	FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w");

	if (!f)
		skip();
	fprintf(f, "%d", next - 1);
	if (fclose(f))
		skip();
}

static int entries(const struct asked *a)
{
	int fd = follow__set_fd(a->scope->kernel->follow), n = 0;
	u32 key, *at = NULL;

	for (; !bpf_map_get_next_key(fd, at, &key); at = &key)
		n++;
	return n;
}

/* Tasks that have ended leave the set. */
static void followed_set_stays_small(void **state)
{
	struct asked a = ask_for(&(struct scope_opts){.pids = number(getpid()), .follow = true}, 0,
				 true);
	int i, tries;

	for (i = 0; i < 1000; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	/* the kernel skips programs now and then; what stays is swept when it is more than 64 */
	for (tries = 0; tries < 50 && entries(&a) > 64 + 20; tries++) {
		usleep(100000);
		scope__tick(a.scope);
	}
	print_message("%d left of 1000\n", entries(&a));
	assert_true(entries(&a) <= 64 + 20);
	done(&a);
}

/* A process that was there before the scope, so that its children are strangers to it. */
struct stranger {
	pid_t pid, parent;
	int ask, told; /* pipes */
	struct asked *asked; /* shared memory */
};

static int fetch_fd(pid_t from, int fd)
{
	int pidfd = (int)syscall(SYS_pidfd_open, from, 0);
	int got = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	close(pidfd);
	return got;
}

static void be_stranger(struct stranger *s, int ask, int told)
{
	u64 result[2];
	char c;

	while (read(ask, &c, 1) == 1) {
		struct asked here = {
			.prog = fetch_fd(s->parent, s->asked->prog),
			.map = fetch_fd(s->parent, s->asked->map),
		};
		int status;
		pid_t pid = fork();

		if (!pid)
			_exit((int)answer(&here));
		waitpid(pid, &status, 0);
		close(here.prog);
		close(here.map);
		result[0] = (u64)pid;
		result[1] = (u64)WEXITSTATUS(status);
		if (write(told, result, sizeof(result)) != sizeof(result))
			break;
	}
	_exit(0);
}

static void make_stranger(struct stranger *s)
{
	int ask[2], told[2];

	s->asked = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	s->parent = getpid();
	assert_int_equal(pipe(ask), 0);
	assert_int_equal(pipe(told), 0);
	s->pid = fork();
	if (!s->pid) {
		close(ask[1]);
		be_stranger(s, ask[0], told[1]);
	}
	close(ask[0]);
	close(told[1]);
	s->ask = ask[1];
	s->told = told[0];
}

/* A number goes from a followed child to a stranger's and back, faster than tasks are freed. */
static void followed_number_is_reused(void **state)
{
	struct stranger s;
	int tries, status, reused = 0;
	u64 told[2];
	pid_t pid;

	make_stranger(&s);
	*s.asked = ask_for(&(struct scope_opts){.pids = number(getpid()), .follow = true}, 0, true);
	for (tries = 0; tries < 100; tries++) {
		reuse_ns_last_pid(30000);
		pid = fork();
		if (!pid)
			_exit((int)answer(s.asked));
		waitpid(pid, &status, 0);
		assert_int_equal(WEXITSTATUS(status), SCOPE_IN);
		reuse_ns_last_pid(30000);
		assert_int_equal(write(s.ask, "", 1), 1);
		assert_int_equal(read(s.told, told, sizeof(told)), (int)sizeof(told));
		assert_int_equal(told[1], SCOPE_OUT);
		reused += told[0] == (u64)pid;
	}
	print_message("reused %d of %d\n", reused, tries);
	assert_true(reused > 50);
	close(s.ask);
	close(s.told);
	waitpid(s.pid, NULL, 0);
	done(s.asked);
}

static void gone(void **state)
{
	char said[256] = "";
	struct log log = {.write = say, .ctx = said};
	pid_t pid = fork();
	struct asked a;

	if (!pid) {
		pause();
		_exit(0);
	}
	a = ask_for(&(struct scope_opts){.pids = number(pid)}, 0, true);
	assert_true(scope__alive(a.scope, &log));
	kill(pid, SIGKILL);
	usleep(120000);
	/* a zombie has ended too */
	assert_false(scope__alive(a.scope, &log));
	assert_non_null(strstr(said, number(pid)));
	waitpid(pid, NULL, 0);
	done(&a);
}

static void go_to_cpu0(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void go_to_cpu1(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void cpus(void **state)
{
	struct asked a;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	a = ask_for(&(struct scope_opts){.cpus = "1"}, 0, true);

	assert_int_equal(in_child(&a, go_to_cpu1), SCOPE_IN);
	assert_int_equal(in_child(&a, go_to_cpu0), SCOPE_OUT);
	done(&a);
	a = ask_for(&(struct scope_opts){.cpus = "0-1"}, 0, true);
	assert_int_equal(in_child(&a, go_to_cpu1), SCOPE_IN);
	done(&a);
	struct event_spec spec = {.cpus = "0"};

	event.spec = &spec;
	a = ask_for(&(struct scope_opts){0}, 0, true);
	assert_int_equal(in_child(&a, go_to_cpu0), SCOPE_IN);
	assert_int_equal(in_child(&a, go_to_cpu1), SCOPE_NEVER);
	event.spec = NULL;
	done(&a);
}

static void comm(void **state)
{
	prctl(PR_SET_NAME, "a longer name");
	assert_int_equal(ask(&(struct scope_opts){.comm = "a longer name"}), SCOPE_IN);
	assert_int_equal(ask(&(struct scope_opts){.comm = "a longer nam"}), SCOPE_OUT);
	assert_int_equal(ask(&(struct scope_opts){.comm = "a longer nam*"}), SCOPE_IN);
	assert_int_equal(ask(&(struct scope_opts){.comm = "b*"}), SCOPE_OUT);
	assert_int_equal(ask(&(struct scope_opts){.comm = "*"}), SCOPE_IN);
	prctl(PR_SET_NAME, "short");
	assert_int_equal(ask(&(struct scope_opts){.comm = "short"}), SCOPE_IN);
	assert_int_equal(ask(&(struct scope_opts){.comm = "shor"}), SCOPE_OUT);
	assert_int_equal(ask(&(struct scope_opts){.comm = "shorter"}), SCOPE_OUT);
	prctl(PR_SET_NAME, "averyveryverylongname");
	assert_int_equal(ask(&(struct scope_opts){.comm = "averyveryverylongname"}), SCOPE_IN);
}

static void become_nobody(void)
{
	if (syscall(SYS_setresuid, 65533, 0, 0))
		_exit(97);
}

static void user(void **state)
{
	struct asked a = ask_for(&(struct scope_opts){.user = "65533"}, 0, true);

	assert_int_equal(answer(&a), SCOPE_OUT);
	assert_int_equal(in_child(&a, become_nobody), SCOPE_IN);
	done(&a);
}

static void pidns(void **state)
{
	struct asked a = ask_for(&(struct scope_opts){.pidns = number(getpid())}, 0, true);
	int status;
	pid_t pid;

	assert_int_equal(answer(&a), SCOPE_IN);
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWPID))
			_exit(96);
		_exit((int)in_child(&a, NULL));
	}
	waitpid(pid, &status, 0);
	/* a namespace below is in the one around it */
	assert_int_equal(WEXITSTATUS(status), SCOPE_IN);
	done(&a);
}

/* Makes a namespace with a process to name it by, then asks from it and from one further down. */
static void be_in_namespace(struct asked *asked, pid_t parent, int told, int ask)
{
	struct asked here;
	pid_t inner, pid;
	int status;
	char c;

	if (unshare(CLONE_NEWPID))
		_exit(96);
	inner = fork();
	if (!inner) {
		pause();
		_exit(0);
	}
	if (write(told, &inner, sizeof(inner)) != sizeof(inner) || read(ask, &c, 1) != 1)
		_exit(95);
	here.prog = fetch_fd(parent, asked->prog);
	here.map = fetch_fd(parent, asked->map);
	pid = fork();
	if (!pid) {
		status = (int)answer(&here);
		if (unshare(CLONE_NEWPID))
			_exit(94);
		_exit(status << 2 | (int)in_child(&here, NULL));
	}
	waitpid(pid, &status, 0);
	kill(inner, SIGKILL);
	waitpid(inner, NULL, 0);
	_exit(WEXITSTATUS(status));
}

static void pidns_and_below(void **state)
{
	struct asked *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			       0);
	int told[2], ask[2], status;
	pid_t pid, inner, self = getpid();

	assert_int_equal(pipe(told), 0);
	assert_int_equal(pipe(ask), 0);
	pid = fork();
	if (!pid)
		be_in_namespace(a, self, told[1], ask[0]);
	assert_int_equal(read(told[0], &inner, sizeof(inner)), sizeof(inner));
	*a = ask_for(&(struct scope_opts){.pidns = number(inner)}, 0, true);
	assert_int_equal(answer(a), SCOPE_OUT);
	assert_true(scope__alive(a->scope, NULL));
	assert_int_equal(write(ask[1], "", 1), 1);
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), SCOPE_IN << 2 | SCOPE_IN);
	/* its first process was killed, and with it the namespace */
	usleep(150000);
	assert_false(scope__alive(a->scope, NULL));
	done(a);
}

/* -p inside a pid namespace means the numbers of that namespace. */
static void inside_a_pid_namespace(void **state)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (unshare(CLONE_NEWPID | CLONE_NEWNS))
			_exit(96);
		pid = fork();
		if (!pid) {
			struct asked a;
			int bad;

			if (mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
			    mount("proc", "/proc", "proc", 0, NULL))
				_exit(95);
			assert_int_equal(getpid(), 1);
			a = ask_for(&(struct scope_opts){.pids = "1"}, 0, true);
			bad = answer(&a) != SCOPE_IN || in_child(&a, NULL) != SCOPE_OUT;
			done(&a);
			a = ask_for(&(struct scope_opts){.pids = "1", .follow = true}, 0, true);
			bad |= (answer(&a) != SCOPE_IN || in_child(&a, NULL) != SCOPE_IN) << 1;
			done(&a);
			a = ask_for(&(struct scope_opts){0}, 0, false);
			bad |= (answer(&a) != SCOPE_OWN || in_child(&a, NULL) != SCOPE_IN) << 2;
			done(&a);
			_exit(bad);
		}
		waitpid(pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void move_to(const char *dir)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%d", getpid()) < 0 || fclose(f))
		_exit(94);
}

static char cgroup_dir[256];

static void enter_cgroup(void)
{
	move_to(cgroup_dir);
}

static void one_hierarchy(const char *mount)
{
	char parent[128], child[192];
	const char *const parents[] = {parent, NULL}, *const children[] = {child, NULL};
	struct asked a;

	snprintf(parent, sizeof(parent), "%s/tamis-test-%d", mount, getpid());
	snprintf(child, sizeof(child), "%s/child", parent);
	if (mkdir(parent, 0755))
		skip();
	/* the child cgroup comes after the scope */
	a = ask_for(&(struct scope_opts){.cgroups = parents}, 0, true);
	assert_int_equal(mkdir(child, 0755), 0);
	assert_int_equal(answer(&a), SCOPE_OUT);
	strcpy(cgroup_dir, parent);
	assert_int_equal(in_child(&a, enter_cgroup), SCOPE_IN);
	strcpy(cgroup_dir, child);
	assert_int_equal(in_child(&a, enter_cgroup), SCOPE_IN);
	done(&a);
	a = ask_for(&(struct scope_opts){.cgroups = parents, .exact = true}, 0, true);
	assert_int_equal(in_child(&a, enter_cgroup), SCOPE_OUT);
	strcpy(cgroup_dir, parent);
	assert_int_equal(in_child(&a, enter_cgroup), SCOPE_IN);
	done(&a);
	a = ask_for(&(struct scope_opts){.cgroups = children}, 0, true);
	assert_int_equal(in_child(&a, enter_cgroup), SCOPE_OUT);
	strcpy(cgroup_dir, child);
	assert_int_equal(in_child(&a, enter_cgroup), SCOPE_IN);
	assert_int_equal(rmdir(child), 0);
	usleep(120000);
	assert_false(scope__alive(a.scope, NULL));
	done(&a);
	assert_int_equal(rmdir(parent), 0);
}

static const char *first_dir(const char *const *dirs)
{
	for (; *dirs; dirs++)
		if (!access(*dirs, W_OK))
			return *dirs;
	return NULL;
}

static const char *cgroup2_dir(void)
{
	return !access("/sys/fs/cgroup/cgroup.procs", F_OK) ? "/sys/fs/cgroup"
							    : "/sys/fs/cgroup/unified";
}

static void cgroup2(void **state)
{
	if (access(cgroup2_dir(), W_OK))
		skip();
	one_hierarchy(cgroup2_dir());
}

static void cgroup1(void **state)
{
	const char *dir = first_dir((const char *const[]){
		"/sys/fs/cgroup/pids", "/sys/fs/cgroup/freezer", "/sys/fs/cgroup/memory", NULL});

	if (!dir)
		skip();
	one_hierarchy(dir);
}

static void many_cgroups(void **state)
{
	static char dir[12][128];
	const char *list[13] = {0};
	struct asked a;
	int i;

	for (i = 0; i < 12; i++) {
		snprintf(dir[i], sizeof(dir[i]), "%s/tamis-test-%d-%d", cgroup2_dir(), getpid(), i);
		if (mkdir(dir[i], 0755))
			skip();
		list[i] = dir[i];
	}
	a = ask_for(&(struct scope_opts){.cgroups = list + 1}, 0, true);
	for (i = 0; i < 12; i++) {
		strcpy(cgroup_dir, dir[i]);
		assert_int_equal(in_child(&a, enter_cgroup), i ? SCOPE_IN : SCOPE_OUT);
	}
	done(&a);
	for (i = 0; i < 12; i++)
		assert_int_equal(rmdir(dir[i]), 0);
}

/* From within a cgroup namespace the same cgroup has another path, and its depth is not seen. */
static void inside_a_cgroup_namespace(void **state)
{
	char parent[128], child[192];
	struct asked a;
	int status;
	pid_t pid;

	snprintf(parent, sizeof(parent), "%s/tamis-test-%d", cgroup2_dir(), getpid());
	snprintf(child, sizeof(child), "%s/inner", parent);
	if (mkdir(parent, 0755) || mkdir(child, 0755))
		skip();
	pid = fork();
	if (!pid) {
		const char *const list[] = {"inner", NULL};

		move_to(parent);
		if (unshare(CLONE_NEWCGROUP | CLONE_NEWNS) ||
		    mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    umount2("/sys/fs/cgroup", MNT_DETACH) ||
		    mount("cgroup", "/sys/fs/cgroup", "cgroup2", 0, NULL))
			_exit(93);
		a = ask_for(&(struct scope_opts){.cgroups = list}, 0, true);
		strcpy(cgroup_dir, "/sys/fs/cgroup/inner");
		_exit(a.scope->cgroups[0].level != 2 || answer(&a) != SCOPE_OUT ||
		      in_child(&a, enter_cgroup) != SCOPE_IN);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(rmdir(child), 0);
	assert_int_equal(rmdir(parent), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything),
		cmocka_unit_test(own_events),
		cmocka_unit_test(processes),
		cmocka_unit_test(many_processes),
		cmocka_unit_test(threads),
		cmocka_unit_test(followed),
		cmocka_unit_test(followed_set_stays_small),
		cmocka_unit_test(followed_number_is_reused),
		cmocka_unit_test(gone),
		cmocka_unit_test(cpus),
		cmocka_unit_test(comm),
		cmocka_unit_test(user),
		cmocka_unit_test(pidns),
		cmocka_unit_test(pidns_and_below),
		cmocka_unit_test(inside_a_pid_namespace),
		cmocka_unit_test(cgroup2),
		cmocka_unit_test(cgroup1),
		cmocka_unit_test(many_cgroups),
		cmocka_unit_test(inside_a_cgroup_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
