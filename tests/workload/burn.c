// SPDX-License-Identifier: GPL-2.0-only
/*
 * burn [-w] MS [vdso] - MS milliseconds of CPU time in hot_fn, called by middle, called by main; with
 * "vdso" in clock_gettime(CLOCK_MONOTONIC) instead.
 */
#include <time.h>
#include "workload.h"

static volatile unsigned long sink;

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* On the stack: without, gcc leaves out the frame pointer of a leaf whatever its options. */
__attribute__((noinline)) void hot_fn(void)
{
	volatile int i;

	for (i = 0; i < 300000; i++)
		sink += i;
}

__attribute__((noinline)) void read_clock(void)
{
	struct timespec t;
	int i;

	for (i = 0; i < 20000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sink += t.tv_nsec;
	}
}

__attribute__((noinline)) void middle(void (*leaf)(void), long ms)
{
	while (cpu_ms() < ms)
		leaf();
	sink++;
}

int main(int argc, char **argv)
{
	argv = begin(argv);
	if (!argv[0])
		die("usage: burn [-w] MS [vdso], not %d arguments", argc - 1);
	middle(argv[1] ? read_clock : hot_fn, number(argv[0]));
	printf("cpu_ms=%ld\n", cpu_ms());
	return 0;
}
