// SPDX-License-Identifier: GPL-2.0-only
/* Options of a scope: what they resolve to, and what is refused. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/base/log.h"
#include "user/scope/cgroup_mounts.h"
#include "user/scope/parts.h"
#include "user/scope/scope.h"

static char said[512];

static void say(void *ctx, enum log_level level, const char *line)
{
	snprintf(said, sizeof(said), "%s", line);
}

static struct scope *resolve(const struct scope_opts *opts)
{
	struct log log = {.write = say};
	struct err err = {0};
	struct scope *s;

	said[0] = 0;
	if (scope__resolve(&s, opts, &log, &err))
		fail_msg("%s", err.text);
	return s;
}

static void refused(const struct scope_opts *opts, bool usage, const char *with)
{
	struct err err = {0};
	struct scope *s;

	assert_true(scope__resolve(&s, opts, NULL, &err) < 0);
	assert_int_equal(err.usage, usage);
	if (!strstr(err.text, with))
		fail_msg("\"%s\" is not in \"%s\"", with, err.text);
}

static void nothing(void **state)
{
	struct scope *s = resolve(&(struct scope_opts){0});

	assert_int_equal(s->nr_tgids + s->nr_tids + s->nr_cgroups, 0);
	assert_int_equal(s->uid, -1);
	assert_null(s->cpus);
	assert_null(s->comm);
	scope__free(s);
	scope__free(NULL);
}

static void cpus(void **state)
{
	struct scope *s = resolve(&(struct scope_opts){.cpus = "0"});

	assert_int_equal(s->cpus[0], 1);
	scope__free(s);
	refused(&(struct scope_opts){.cpus = "60000"}, true, "CPU 60000 is not online");
	refused(&(struct scope_opts){.cpus = "1-0"}, true, "^^^");
	refused(&(struct scope_opts){.cpus = "0,x"}, true, "  0,x\n    ^");
	refused(&(struct scope_opts){.cpus = ""}, true, "-C");
	refused(&(struct scope_opts){.cpus = "0,"}, true, "-C");
	refused(&(struct scope_opts){.cpus = "-1"}, true, "-C");
	refused(&(struct scope_opts){.cpus = "99999999999999999999"}, true, "-C");
}

static pid_t ended(bool reap)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | (reap ? 0 : WNOWAIT));
	return pid;
}

static void processes(void **state)
{
	char list[64];
	struct scope *s;
	pid_t pid;

	snprintf(list, sizeof(list), "%d,%d", getpid(), getppid());
	s = resolve(&(struct scope_opts){.pids = list});
	assert_int_equal(s->nr_tgids, 2);
	assert_int_equal(s->tgids[0], getpid());
	scope__free(s);
	snprintf(list, sizeof(list), "%d", ended(true));
	refused(&(struct scope_opts){.pids = list}, false, "no such process");
	pid = ended(false);
	snprintf(list, sizeof(list), "%d", pid);
	refused(&(struct scope_opts){.pids = list}, false, "has ended");
	waitpid(pid, NULL, 0);
	refused(&(struct scope_opts){.pids = "1,zz"}, true, "^^");
	refused(&(struct scope_opts){.pids = "0"}, true, "^");
	refused(&(struct scope_opts){.pids = "-3"}, true, "^");
	refused(&(struct scope_opts){.pids = ""}, true, "-p");
}

static void *wait_for(void *lock)
{
	*(pid_t *)lock = (pid_t)syscall(SYS_gettid);
	pause();
	return NULL;
}

static void threads(void **state)
{
	volatile pid_t tid = 0;
	pthread_t thread;
	char list[32], pid[32];
	struct scope *s;

	assert_int_equal(pthread_create(&thread, NULL, wait_for, (void *)&tid), 0);
	while (!tid)
		usleep(100);
	snprintf(list, sizeof(list), "%d", tid);
	snprintf(pid, sizeof(pid), "%d", getpid());
	s = resolve(&(struct scope_opts){.tids = list, .pids = pid});
	assert_int_equal(s->tids[0], tid);
	scope__free(s);
	refused(&(struct scope_opts){.pids = list}, true, "is a thread of process");
	refused(&(struct scope_opts){.tids = list, .pids = "1"}, true, "nothing could match");
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

static void names(void **state)
{
	struct scope *s = resolve(&(struct scope_opts){.comm = "averyveryverylongname"});

	assert_string_equal(s->comm, "averyveryverylo");
	assert_false(s->comm_is_glob);
	assert_non_null(strstr(said, "averyveryverylo\""));
	scope__free(s);
	s = resolve(&(struct scope_opts){.comm = "a*"});
	assert_true(s->comm_is_glob);
	assert_string_equal(said, "");
	scope__free(s);
	s = resolve(&(struct scope_opts){.comm = "a\\*b"});
	assert_false(s->comm_is_glob);
	assert_string_equal(s->comm, "a*b");
	scope__free(s);
	/* what comes behind the kept bytes cannot be told apart */
	s = resolve(&(struct scope_opts){.comm = "averyveryverylo*"});
	assert_false(s->comm_is_glob);
	assert_string_equal(s->comm, "averyveryverylo");
	scope__free(s);
	refused(&(struct scope_opts){.comm = ""}, true, "--comm");
	refused(&(struct scope_opts){.comm = "*averyveryverylongname"}, true, "can never match");
}

static void users(void **state)
{
	struct scope *s = resolve(&(struct scope_opts){.user = "root"});

	assert_int_equal(s->uid, 0);
	scope__free(s);
	s = resolve(&(struct scope_opts){.user = "12345"});
	assert_int_equal(s->uid, 12345);
	scope__free(s);
	refused(&(struct scope_opts){.user = "no-such-user"}, true, "unknown user");
	refused(&(struct scope_opts){.user = "4294967295"}, true, "less than");
	refused(&(struct scope_opts){.user = ""}, true, "unknown user");
}

static void cgroups(void **state)
{
	const char *const missing[] = {"no/such/cgroup", NULL}, *const file[] = {"/etc", NULL};

	refused(&(struct scope_opts){.cgroups = missing}, false, "no/such/cgroup");
	refused(&(struct scope_opts){.cgroups = file}, false, "/etc");
	refused(&(struct scope_opts){.exact = true}, true, "--exact");
}

static void pidns(void **state)
{
	refused(&(struct scope_opts){.pidns = "x"}, true, "--pidns");
	refused(&(struct scope_opts){.pidns = "4194303"}, false, "4194303");
}

static void mounts(void **state)
{
	char file[] = "/tmp/test_scope_XXXXXX";
	struct cgroup_mounts m;
	int fd = mkstemp(file);
	static const char text[] =
		"24 1 0:22 / / rw - ext4 /dev/sda rw\n"
		"30 24 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755\n"
		"31 30 0:27 / /sys/fs/cgroup/unified rw shared:10 master:3 - cgroup2 cgroup2 rw,nsdelegate\n"
		"32 30 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
		"33 30 0:29 /docker/x /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
		"34 30 0:30 / /mnt/with\\040blank rw - cgroup cgroup rw,memory\n"
		"garbage\n";

	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	assert_int_equal(cgroup_mounts__read(&m, file), 0);
	unlink(file);
	assert_int_equal(m.n, 4);
	assert_string_equal(cgroup_mounts__v2(&m)->dir, "/sys/fs/cgroup/unified");
	assert_string_equal(cgroup_mounts__of(&m, "/mnt/with blank/a")->opts, "rw,memory");
	assert_null(cgroup_mounts__of(&m, "/sys/fs/cgroup/unified2"));
	assert_true(cgroup_mount__has(cgroup_mounts__of(&m, "/sys/fs/cgroup/cpu,cpuacct"), "cpuacct"));
	assert_false(cgroup_mount__has(cgroup_mounts__of(&m, "/sys/fs/cgroup/cpu,cpuacct"), "cpua"));
	assert_string_equal(cgroup_mounts__of(&m, "/sys/fs/cgroup/cpu,cpuacct/z")->root, "/docker/x");
	cgroup_mounts__free(&m);
	assert_int_equal(path__depth("/"), 0);
	assert_int_equal(path__depth(""), 0);
	assert_int_equal(path__depth("/a/b"), 2);
	assert_int_equal(path__depth("/a/b/"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing), cmocka_unit_test(cpus), cmocka_unit_test(processes),
		cmocka_unit_test(threads), cmocka_unit_test(names), cmocka_unit_test(users),
		cmocka_unit_test(cgroups), cmocka_unit_test(pidns), cmocka_unit_test(mounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
