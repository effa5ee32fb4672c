// SPDX-License-Identifier: GPL-2.0-only
/*
 * stacks [-w] HOT DISTINCT - HOT getppid calls from one stack, then one from each of DISTINCT (at
 * most 256) other stacks: eight calls deep, of one of two functions for each bit of its number.
 */
#include <sys/syscall.h>
#include "workload.h"

#define DEPTH 8

static void descend(unsigned int bits, int depth);

/* The call itself, without a function of the C library that keeps no frame. */
static __attribute__((noinline)) void call_getppid(void)
{
	syscall(SYS_getppid);
	asm volatile("");
}

static __attribute__((noinline)) void hot_fn(void)
{
	call_getppid();
	asm volatile("");
}

static __attribute__((noinline)) void zero(unsigned int bits, int depth)
{
	descend(bits >> 1, depth + 1);
	asm volatile("");
}

static __attribute__((noinline)) void one(unsigned int bits, int depth)
{
	descend(bits >> 1, depth + 1);
	asm volatile("");
}

static __attribute__((noinline)) void descend(unsigned int bits, int depth)
{
	if (depth == DEPTH)
		call_getppid();
	else if (bits & 1)
		one(bits, depth);
	else
		zero(bits, depth);
	asm volatile("");
}

int main(int argc, char **argv)
{
	long hot, distinct, i;

	argv = begin(argv);
	if (!argv[0] || !argv[1])
		die("usage: stacks [-w] HOT DISTINCT, not %d arguments", argc - 1);
	hot = number(argv[0]);
	distinct = number(argv[1]);
	for (i = 0; i < hot; i++)
		hot_fn();
	for (i = 0; i < distinct; i++)
		descend((unsigned int)i, 0);
	printf("hot=%ld\ndistinct=%ld\ncalls=%ld\n", hot, distinct, hot + distinct);
	return 0;
}
