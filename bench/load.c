// SPDX-License-Identifier: GPL-2.0-only
/*
 * load KIND N [...] - the loads of the bench: does N operations, prints what they cost this process.
 *
 *	getpgrp N [RATE]	raw getpgrp calls, flat out or RATE a second
 *	pingpong N		a byte to and fro between two processes on one CPU
 *	openat N PATH MARKED	openat and close, one in a hundred of them MARKED
 *	lseek N K		seeks of a file that is not open to K different offsets
 *	forks N			children that end at once
 *	stacks N		getpgrp calls, each from another stack, 20 levels deep
 *	depth N D		getpgrp calls D levels deep
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

static void seek(long n, long keys)
{
	long i;

	for (i = 0; i < n; i++)
		syscall(SYS_lseek, -1, i % keys, SEEK_SET);
}

static void forks(long n)
{
	pid_t pid;

	while (n--) {
		pid = check(fork(), "fork");
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

static void descend(unsigned long path, int levels);

/* What is behind the call keeps it from becoming a jump. */
#define STEP(name)                                                                                 \
	__attribute__((noinline)) static void name(unsigned long path, int levels)                 \
	{                                                                                          \
		descend(path >> 1, levels - 1);                                                    \
		asm volatile("" ::: "memory");                                                     \
	}
STEP(step_even)
STEP(step_odd)

/* A function for each bit of the path: no two paths have the same stack. */
__attribute__((noinline)) static void descend(unsigned long path, int levels)
{
	if (levels <= 0)
		syscall(SYS_getpgrp, 0);
	else if (path & 1)
		step_odd(path, levels);
	else
		step_even(path, levels);
	asm volatile("" ::: "memory");
}

static void from_stacks(long n)
{
	while (n--)
		descend(n, 20);
}

static void from_depth(long n, long levels)
{
	while (n--)
		descend(0, levels / 2);
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
	else if (!strcmp(kind, "lseek") && argc == 4)
		seek(n, number(argv[3]));
	else if (!strcmp(kind, "forks"))
		forks(n);
	else if (!strcmp(kind, "stacks"))
		from_stacks(n);
	else if (!strcmp(kind, "depth") && argc == 4)
		from_depth(n, number(argv[3]));
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
