// SPDX-License-Identifier: GPL-2.0-only
/*
 * syscalls [-w] NAME|NUMBER N [ARG...] - N times the system call with these arguments (numbers).
 * Nothing else in the process makes a call of that number while it runs, where the name is one
 * of those below. A failing call is counted, not an error.
 */
#include <sys/syscall.h>
#include "workload.h"

static const struct {
	const char *name;
	long nr;
} calls[] = {
	{"getppid", SYS_getppid}, {"getpgid", SYS_getpgid}, {"getuid", SYS_getuid},
	{"geteuid", SYS_geteuid}, {"read", SYS_read},       {"close", SYS_close},
	{"lseek", SYS_lseek},     {"sched_yield", SYS_sched_yield}, {"umask", SYS_umask},
#ifdef SYS_getpgrp
	{"getpgrp", SYS_getpgrp},
#endif
};

static long call_number(const char *s)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(s, calls[i].name))
			return calls[i].nr;
	return number(s);
}

int main(int argc, char **argv)
{
	long nr, n, i, failed = 0, a[6] = {0};

	argv = begin(argv);
	if (!argv[0] || !argv[1])
		die("usage: syscalls [-w] NAME|NUMBER N [ARG...], not %d arguments", argc - 1);
	nr = call_number(argv[0]);
	n = number(argv[1]);
	for (i = 0; i < 6 && argv[2 + i]; i++)
		a[i] = number(argv[2 + i]);
	for (i = 0; i < n; i++)
		if (syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]) == -1)
			failed++;
	printf("nr=%ld\ncalls=%ld\nfailed=%ld\n", nr, n, failed);
	return 0;
}
