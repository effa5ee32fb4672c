// SPDX-License-Identifier: GPL-2.0-only
/*
 * pingpong [-w] N [CPU] - two processes hand a byte to and fro N times over pipes, both on one CPU,
 * so that each hand-over is a switch. The child's command name is "pong".
 */
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "workload.h"

static void pass(int from, int to, long n, int first)
{
	char c = 'x';

	while (n--) {
		if (first)
			check(write(to, &c, 1), "write");
		if (check(read(from, &c, 1), "read") != 1)
			die("the other end is gone");
		if (!first)
			check(write(to, &c, 1), "write");
	}
}

int main(int argc, char **argv)
{
	int there[2], back[2], status;
	cpu_set_t cpus;
	pid_t pid;
	long n;

	argv = begin(argv);
	if (!argv[0])
		die("usage: pingpong [-w] N [CPU], not %d arguments", argc - 1);
	n = number(argv[0]);
	CPU_ZERO(&cpus);
	CPU_SET(argv[1] ? number(argv[1]) : 0, &cpus);
	check(sched_setaffinity(0, sizeof(cpus), &cpus), "sched_setaffinity");
	check(pipe(there), "pipe");
	check(pipe(back), "pipe");
	pid = check(fork(), "fork");
	if (!pid) {
		check(prctl(PR_SET_NAME, "pong"), "prctl");
		pass(there[0], back[1], n, 0);
		_exit(0);
	}
	pass(back[0], there[1], n, 1);
	check(waitpid(pid, &status, 0), "waitpid");
	printf("rounds=%ld\npong=%d\n", n, pid);
	return status ? 3 : 0;
}
