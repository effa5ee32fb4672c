// SPDX-License-Identifier: GPL-2.0-only
/* comm [-w] NAME N - takes the command name NAME (with \xNN), then makes N getppid calls. */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "workload.h"

int main(int argc, char **argv)
{
	long i, n;

	argv = begin(argv);
	if (!argv[0] || !argv[1])
		die("usage: comm [-w] NAME N, not %d arguments", argc - 1);
	n = number(argv[1]);
	check(prctl(PR_SET_NAME, unescape(argv[0])), "prctl");
	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	printf("calls=%ld\n", n);
	return 0;
}
