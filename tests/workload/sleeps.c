// SPDX-License-Identifier: GPL-2.0-only
/* sleeps [-w] N MICROSECONDS - N sleeps of that length. */
#include <time.h>
#include "workload.h"

int main(int argc, char **argv)
{
	struct timespec t;
	long i, n, us;

	argv = begin(argv);
	if (!argv[0] || !argv[1])
		die("usage: sleeps [-w] N MICROSECONDS, not %d arguments", argc - 1);
	n = number(argv[0]);
	us = number(argv[1]);
	t = (struct timespec){us / 1000000, us % 1000000 * 1000};
	for (i = 0; i < n; i++)
		check(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), "clock_nanosleep");
	printf("sleeps=%ld\n", n);
	return 0;
}
