// SPDX-License-Identifier: GPL-2.0-only
/*
 * forks [-w] CHILDREN N [PROGRAM ARG...] - CHILDREN children one after the other; each makes N
 * getppid calls, then runs PROGRAM if there is one. The parent makes no getppid call.
 */
#include <sys/syscall.h>
#include <sys/wait.h>
#include "workload.h"

static void child(long n, char **program)
{
	long i;

	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	if (program[0])
		check(execvp(program[0], program), program[0]);
	_exit(0);
}

int main(int argc, char **argv)
{
	long i, children, n;
	int status;
	pid_t pid;

	argv = begin(argv);
	if (!argv[0] || !argv[1])
		die("usage: forks [-w] CHILDREN N [PROGRAM ARG...], not %d arguments", argc - 1);
	children = number(argv[0]);
	n = number(argv[1]);
	fflush(stdout);
	for (i = 0; i < children; i++) {
		pid = check(fork(), "fork");
		if (!pid)
			child(n, argv + 2);
		check(waitpid(pid, &status, 0), "waitpid");
		if (status)
			die("child %d ended with status %#x", pid, status);
	}
	printf("children=%ld\ncalls=%ld\n", children, children * n);
	return 0;
}
