// SPDX-License-Identifier: GPL-2.0-only
/* The command behind `--`: waits, runs, tells why it cannot. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/base/guard.h"
#include "user/scope/workload.h"

static int wait_status(struct workload *w)
{
	struct pollfd p = {.fd = workload__fd(w), .events = POLLIN};

	assert_int_equal(poll(&p, 1, 10000), 1);
	return workload__status(w);
}

static int run(char *const *argv)
{
	struct err err = {0};
	struct workload *w;
	int status;

	assert_int_equal(workload__spawn(&w, argv, &err), 0);
	assert_int_equal(workload__release(w, &err), 0);
	status = wait_status(w);
	workload__free(w);
	return status;
}

static void exit_status(void **state)
{
	int status = run((char *[]){"sh", "-c", "exit 7", NULL});

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	status = run((char *[]){"/bin/sh", "-c", "kill -TERM $$", NULL});
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void waits_until_released(void **state)
{
	char file[] = "/tmp/test_workload_XXXXXX";
	struct err err = {0};
	struct workload *w;
	int fd = mkstemp(file);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(workload__spawn(&w, (char *[]){"rm", file, NULL}, &err), 0);
	usleep(100000);
	assert_int_equal(access(file, F_OK), 0);
	assert_int_equal(workload__status(w), -1);
	assert_int_equal(workload__release(w, &err), 0);
	assert_int_equal(wait_status(w), 0);
	assert_int_equal(access(file, F_OK), -1);
	workload__free(w);
}

static void not_found(void **state)
{
	struct err err = {0};
	struct workload *w;

	assert_int_equal(workload__spawn(&w, (char *[]){"no-such-command-xyz", NULL}, &err),
			 -ENOENT);
	assert_string_equal(err.text, "no-such-command-xyz: command not found");
	assert_false(err.usage);
}

static int exec_error(const char *path, struct err *err)
{
	struct workload *w;
	int r;

	assert_int_equal(workload__spawn(&w, (char *[]){(char *)path, NULL}, err), 0);
	r = workload__release(w, err);
	assert_true(workload__status(w) >= 0);
	workload__free(w);
	return r;
}

static void exec_fails(void **state)
{
	struct err err = {0};

	assert_int_equal(exec_error("/no/such/program", &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/such/program"));
	err = (struct err){0};
	assert_int_equal(exec_error("/etc", &err), -EACCES);
	assert_non_null(strstr(err.text, "Permission denied"));
}

static void write_script(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void script_without_interpreter_line(void **state)
{
	char dir[] = "/tmp/test_workload_XXXXXX", path[64], *was = strdup(getenv("PATH"));
	int status;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/plain-script", dir);
	write_script(path, "exit $1\n");
	setenv("PATH", dir, 1);
	status = run((char *[]){"plain-script", "9", NULL});
	setenv("PATH", was, 1);
	free(was);
	assert_int_equal(WEXITSTATUS(status), 9);
	unlink(path);
	rmdir(dir);
}

static void signals_are_default(void **state)
{
	sigset_t set, old;
	int status;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	/*
	 * dash itself blocks signals while it waits, so the one who looks is what was started.
	 * Signals 32 and 33 are the C library's own: make leaves them ignored, nobody can reset them.
	 */
	status = run((char *[]){"awk", "/^Sig(Blk|Ign):/ && $2 !~ /^0+(180000000)?$/ {exit 1}",
				"/proc/self/status", NULL});
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(status, 0);
}

static void never_released_is_ended(void **state)
{
	struct workload *a, *b;
	struct err err = {0};
	pid_t pid;

	assert_int_equal(workload__spawn(&a, (char *[]){"true", NULL}, &err), 0);
	assert_int_equal(workload__spawn(&b, (char *[]){"true", NULL}, &err), 0);
	pid = workload__pid(a);
	workload__free(a);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	workload__free(b);
}

static void killed_while_waiting(void **state)
{
	struct err err = {0};
	struct workload *w;

	assert_int_equal(workload__spawn(&w, (char *[]){"true", NULL}, &err), 0);
	kill(workload__pid(w), SIGKILL);
	assert_int_equal(WTERMSIG(wait_status(w)), SIGKILL);
	assert_int_equal(workload__release(w, &err), 0);
	workload__free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_status),
		cmocka_unit_test(waits_until_released),
		cmocka_unit_test(not_found),
		cmocka_unit_test(exec_fails),
		cmocka_unit_test(script_without_interpreter_line),
		cmocka_unit_test(signals_are_default),
		cmocka_unit_test(never_released_is_ended),
		cmocka_unit_test(killed_while_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
