// SPDX-License-Identifier: GPL-2.0-only
/* sleeps [-w] N MICROSECONDS - N sleeps of that length; says how often it left the CPU meanwhile, and waited earlier. */
#include <sys/resource.h>
#include <time.h>
#include "workload.h"

int main(int argc, char **argv)
{
	struct rusage before, after;
	struct timespec t;
	long i, n, us;

	argv = begin(argv);
	if (!argv[0] || !argv[1])
		die("usage: sleeps [-w] N MICROSECONDS, not %d arguments", argc - 1);
	n = number(argv[0]);
	us = number(argv[1]);
	t = (struct timespec){us / 1000000, us % 1000000 * 1000};
	getrusage(RUSAGE_SELF, &before);
	for (i = 0; i < n; i++)
		check(clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL), "clock_nanosleep");
	getrusage(RUSAGE_SELF, &after);
	printf("sleeps=%ld\nearlier=%ld\nvoluntary=%ld\npreempted=%ld\n", n, before.ru_nvcsw,
	       after.ru_nvcsw - before.ru_nvcsw, after.ru_nivcsw - before.ru_nivcsw);
	return 0;
}
