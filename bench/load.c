// SPDX-License-Identifier: GPL-2.0-only
/*
 * load KIND N [...] - the loads of the bench: does N operations, prints what they cost this process.
 *
 *	getpgrp N [RATE]	raw getpgrp calls, flat out or RATE a second
 *	pingpong N		a byte to and fro between two processes on one CPU
 *	openat N PATH MARKED	openat and close, one in a hundred of them MARKED
 *	burn SECONDS		20 levels of calls; leaf_a and leaf_b share the time 3 : 1; N is turns done
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "../tests/workload/workload.h"

/* Not on every architecture. */
#ifndef SYS_getpgrp
#define SYS_getpgrp SYS_getpgid
#endif

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* CPU time of this process and of its children that have ended. */
static double cpu_seconds(void)
{
	struct rusage r;

	getrusage(RUSAGE_CHILDREN, &r);
	return seconds(CLOCK_PROCESS_CPUTIME_ID) + r.ru_utime.tv_sec + r.ru_stime.tv_sec +
	       (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/* In bursts of a millisecond, so that the clock is not what is measured. */
static void getpgrp_paced(long n, long rate)
{
	double start = seconds(CLOCK_MONOTONIC);
	long i, burst = rate / 1000 ? rate / 1000 : 1;
	struct timespec nap;

	for (i = 0; i < n; i++) {
		double ahead;

		syscall(SYS_getpgrp, 0);
		if ((i + 1) % burst)
			continue;
		ahead = start + (double)(i + 1) / rate - seconds(CLOCK_MONOTONIC);
		if (ahead <= 0)
			continue;
		nap.tv_sec = ahead;
		nap.tv_nsec = (ahead - nap.tv_sec) * 1e9;
		nanosleep(&nap, NULL);
	}
}

static void getpgrp_flat_out(long n)
{
	while (n--)
		syscall(SYS_getpgrp, 0);
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static void pingpong(long n)
{
	int there[2], back[2];
	long i;
	char c = 0;

	on_cpu(sched_getcpu());
	check(pipe(there), "pipe");
	check(pipe(back), "pipe");
	if (!check(fork(), "fork")) {
		for (i = 0; i < n; i++)
			if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
	for (i = 0; i < n; i++) {
		check(write(there[1], &c, 1), "write");
		check(read(back[0], &c, 1), "read");
	}
	wait(NULL);
}

static void open_files(long n, const char *path, const char *marked)
{
	long i;
	int fd;

	for (i = 1; i <= n; i++) {
		fd = syscall(SYS_openat, AT_FDCWD, i % 100 ? path : marked, O_RDONLY, 0);
		close(check(fd, "openat"));
	}
}

static volatile double stop_at;
static long spun;

/*
 * A chain of multiplications takes its latency, however the loop is aligned. Some compilers leave
 * out the frame of a leaf though they are told to keep it; not where its address is asked for.
 */
#define LEAF(name, turns)                                                                          \
	__attribute__((noinline)) static void name(void)                                           \
	{                                                                                          \
		unsigned long i, x = 3;                                                            \
		asm volatile("" : : "r"(__builtin_frame_address(0)));                              \
		for (i = 0; i < (turns); i++) {                                                    \
			x *= x;                                                                    \
			asm volatile("" : "+r"(x));                                                \
		}                                                                                  \
		spun += (turns);                                                                   \
	}
LEAF(leaf_a, 30000)
LEAF(leaf_b, 10000)

/* 19 calls below burn(), then the leaves: 20 levels that a profile can count. */
__attribute__((noinline)) static void level(int n)
{
	if (n) {
		level(n - 1);
	} else {
		while (seconds(CLOCK_MONOTONIC) < stop_at) {
			leaf_a();
			leaf_b();
		}
	}
	/* keeps the call above from becoming a jump */
	asm volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	const char *kind = argv[1];
	double cpu, wall;
	long n;

	if (argc < 3)
		die("usage: load KIND N [...]");
	n = number(argv[2]);
	wall = seconds(CLOCK_MONOTONIC);
	cpu = cpu_seconds();
	if (!strcmp(kind, "getpgrp") && argc == 3)
		getpgrp_flat_out(n);
	else if (!strcmp(kind, "getpgrp"))
		getpgrp_paced(n, number(argv[3]));
	else if (!strcmp(kind, "pingpong"))
		pingpong(n);
	else if (!strcmp(kind, "openat") && argc == 5)
		open_files(n, argv[3], argv[4]);
	else if (!strcmp(kind, "burn"))
		stop_at = wall + n, level(19);
	else
		die("no load %s", kind);
	cpu = cpu_seconds() - cpu;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	if (spun)
		n = spun;
	printf("{\"kind\": \"%s\", \"pid\": %d, \"n\": %ld, \"cpu\": %.9f, \"wall\": %.9f}\n", kind,
	       getpid(), n, cpu, wall);
	return 0;
}
