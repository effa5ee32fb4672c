// SPDX-License-Identifier: GPL-2.0-only
/*
 * workload.c - the command behind `--`.
 *
 * The path is looked up before anything is attached, so that a command that does not exist fails
 * early, and so that the trace shows one execve, not one for every directory of PATH.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../base/types.h"
#include "workload.h"

#define PATH_DEFAULT "/bin:/usr/bin"

struct workload {
	pid_t pid;
	int pidfd;
	int go; /* writing lets the child exec, closing ends it; -1 once it was let go */
	int failed; /* the child writes the errno of its exec; -1 once that is known */
	char *name;
	bool reaped;
	int status;
};

/*
 * A child forked by another thread between our pipe2() and close() would keep a write end open
 * until its own exec, and release() would wait for that.
 */
static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       !faccessat(AT_FDCWD, path, X_OK, AT_EACCESS);
}

/* @return what to exec, allocated; NULL with errno as execvp() would give */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	int err = ENOENT;
	char *full;

	if (strchr(name, '/'))
		return strdup(name);
	if (!path)
		path = PATH_DEFAULT;
	for (;; path = end + 1) {
		end = strchrnul(path, ':');
		/* an empty element is the current directory */
		if (asprintf(&full, "%.*s%s%s", (int)(end - path), path, end > path ? "/" : "./",
			     name) < 0)
			return NULL;
		if (is_program(full))
			return full;
		if (!access(full, F_OK))
			err = EACCES;
		free(full);
		if (!*end)
			break;
	}
	errno = err;
	return NULL;
}

static void reset_signals(void)
{
	sigset_t none;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Only async-signal-safe calls from here on: other threads may hold locks in this copy. */
static void __attribute__((noreturn))
run_child(int go, int failed, const char *path, char *const *argv, char **sh_argv)
{
	char word;
	int err;

	reset_signals();
	while (read(go, &word, 1) != 1)
		if (errno != EINTR)
			_exit(0); /* end of file: not wanted any more */
	execv(path, argv);
	/* a script without #!, as execvp() does it */
	if (errno == ENOEXEC)
		execv("/bin/sh", sh_argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(127);
	_exit(err == ENOENT ? 127 : 126);
}

static char **shell_argv(char *path, char *const *argv)
{
	size_t n = 0;
	char **ret;

	while (argv[n])
		n++;
	ret = calloc(n + 2, sizeof(*ret));
	if (!ret)
		return NULL;
	ret[0] = "sh";
	ret[1] = path;
	memcpy(ret + 2, argv + 1, n * sizeof(*ret));
	return ret;
}

static int start(struct workload *w, const char *path, char *const *argv, char **sh_argv)
{
	int go[2] = {-1, -1}, failed[2] = {-1, -1}, err = 0;

	pthread_mutex_lock(&fork_lock);
	/* a socket, because writing to a pipe whose reader was killed raises SIGPIPE */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) || pipe2(failed, O_CLOEXEC) ||
	    (w->pid = fork()) < 0)
		err = errno;
	if (!err && !w->pid) {
		close(go[1]);
		run_child(go[0], failed[1], path, argv, sh_argv);
	}
	guard_close(&go[0]);
	guard_close(&failed[1]);
	pthread_mutex_unlock(&fork_lock);
	w->go = go[1];
	w->failed = failed[0];
	return -err;
}

int workload__spawn(struct workload **ret, char *const *argv, struct err *err)
{
	_cleanup_free_ char **sh_argv = NULL;
	_cleanup_free_ char *path = NULL;
	struct workload *w;
	int r;

	path = find_program(argv[0]);
	if (!path)
		return err__set(err, errno, "%s: %s", argv[0],
				errno == ENOENT ? "command not found" : strerror(errno));
	w = calloc(1, sizeof(*w));
	if (!w)
		return err__set(err, ENOMEM, "%s: out of memory", argv[0]);
	w->go = w->failed = w->pidfd = -1;
	w->name = strdup(argv[0]);
	sh_argv = shell_argv(path, argv);
	r = w->name && sh_argv ? start(w, path, argv, sh_argv) : -ENOMEM;
	if (!r) {
		w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
		r = w->pidfd < 0 ? -errno : 0;
	}
	if (r) {
		workload__free(w);
		return err__set(err, -r, "%s: cannot be started: %s", argv[0], strerror(-r));
	}
	*ret = w;
	return 0;
}

pid_t workload__pid(const struct workload *w)
{
	return w->pid;
}

int workload__fd(const struct workload *w)
{
	return w->pidfd;
}

/* @return the errno of its exec, 0 when that worked */
static int exec_errno(struct workload *w)
{
	int err = 0;
	ssize_t n;

	do
		n = read(w->failed, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(w->failed);
	w->failed = -1;
	return n == sizeof(err) ? err : 0;
}

int workload__release(struct workload *w, struct err *err)
{
	int failure;

	if (w->go < 0)
		return 0;

	if (workload__status(w) < 0 && send(w->go, "", 1, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		return err__set(err, errno, "%s: cannot be let go: %s", w->name, strerror(errno));
	close(w->go);
	w->go = -1;
	failure = exec_errno(w);
	if (!failure)
		return 0;
	waitpid(w->pid, &w->status, 0);
	w->reaped = true;
	return err__set(err, failure, "%s: cannot be executed: %s", w->name, strerror(failure));
}

int workload__status(struct workload *w)
{
	pid_t pid;

	if (w->reaped)
		return w->status;
	do
		pid = waitpid(w->pid, &w->status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return -1;
	if (pid < 0)
		w->status = 0; /* ECHILD: reaped by somebody else, who has the status */
	w->reaped = true;
	return w->status;
}

void workload__free(struct workload *w)
{
	if (!w)
		return;
	if (w->go >= 0 && w->pid > 0 && workload__status(w) < 0) {
		/* closing w->go is not enough: a sibling that waits too holds a copy of it */
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	guard_close(&w->go);
	guard_close(&w->failed);
	guard_close(&w->pidfd);
	free(w->name);
	free(w);
}
