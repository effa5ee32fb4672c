// SPDX-License-Identifier: GPL-2.0-only
/*
 * signals.c - a handler has no argument, so what it sets is global to this file.
 */
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "../base/clock.h"
#include "signals.h"

static volatile u64 stopped_at;
static volatile sig_atomic_t reopen, stat_wanted;
static int wake_fd = -1;
static void (*volatile stop_hook)(void);

static void wake(void)
{
	u64 one = 1;
	int saved = errno;
	ssize_t n = write(wake_fd, &one, sizeof(one));

	(void)n;		/* a full counter wakes as well */
	errno = saved;
}

static void on_stop(int sig)
{
	if (stopped_at)
		_exit(128 + sig);
	stopped_at = clock__ns(CLOCK_MONOTONIC);
	wake();
	if (stop_hook)
		stop_hook();
}

static void on_reopen(int sig)
{
	(void)sig;
	reopen = 1;
	wake();
}

static void on_stat(int sig)
{
	(void)sig;
	stat_wanted = 1;
	wake();
}

/* No SA_RESTART: what blocks is to return and look at the flag. */
static int install(int sig, void (*fn)(int))
{
	struct sigaction sa = {.sa_handler = fn};

	sigemptyset(&sa.sa_mask);
	return sigaction(sig, &sa, NULL) ? -errno : 0;
}

int signals__install(void)
{
	if (wake_fd < 0)
		wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wake_fd < 0)
		return -errno;
	/* a closed pipe is an error of write(2), which ends the run quietly */
	if (install(SIGINT, on_stop) || install(SIGTERM, on_stop) || install(SIGUSR1, on_reopen) ||
	    install(SIGUSR2, on_stat) || install(SIGPIPE, SIG_IGN))
		return -errno;
	return wake_fd;
}

void signals__clear(void)
{
	u64 n;
	ssize_t got = read(wake_fd, &n, sizeof(n));

	(void)got;
}

const volatile u64 *signals__stopped_at(void)
{
	return &stopped_at;
}

void signals__on_stop(void (*fn)(void))
{
	stop_hook = fn;
}

void signals__stop(void)
{
	stopped_at = clock__ns(CLOCK_MONOTONIC);
	wake();
}

bool signals__take_reopen(void)
{
	bool was = reopen;

	reopen = 0;
	return was;
}

bool signals__take_stat(void)
{
	bool was = stat_wanted;

	stat_wanted = 0;
	return was;
}
