// SPDX-License-Identifier: GPL-2.0-only
/*
 * probes [-w] N - calls square() N times and passes the USDT probe test:passed as often; says how
 * often the probe's semaphore said that somebody looks.
 */
#include <stdint.h>
#include "workload.h"

static volatile unsigned short semaphore __attribute__((section(".probes"), used));

#ifdef __x86_64__
#define HALF "%k"
#define BYTE "%b"
#else
#define HALF "%w"
#define BYTE "%w"
#endif

/* A note as <sys/sdt.h> would leave it: location, base, semaphore, provider, name, arguments. */
#define PASSED(quad, half, byte, memory)                                                           \
	asm volatile("990:	nop\n"                                                             \
		     ".pushsection .note.stapsdt, \"\", \"note\"\n"                                \
		     "	.balign 4\n"                                                               \
		     "	.4byte 992f - 991f, 994f - 993f, 3\n"                                      \
		     "991:	.asciz \"stapsdt\"\n"                                              \
		     "992:	.balign 4\n"                                                       \
		     "993:	.8byte 990b, _.stapsdt.base, semaphore\n"                          \
		     "	.asciz \"test\"\n"                                                         \
		     "	.asciz \"passed\"\n"                                                       \
		     "	.asciz \"8@%0 -4@" HALF "1 1@" BYTE "2 -8@%3 4@%4\"\n"                      \
		     "994:	.balign 4\n"                                                       \
		     ".popsection\n"                                                               \
		     ".ifndef _.stapsdt.base\n"                                                    \
		     ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"    \
		     ".weak _.stapsdt.base\n"                                                      \
		     ".hidden _.stapsdt.base\n"                                                    \
		     "_.stapsdt.base:	.space 1\n"                                                \
		     ".popsection\n"                                                               \
		     ".endif\n"                                                                    \
		     :                                                                             \
		     : "r"(quad), "r"(half), "r"(byte), "m"(memory), "i"(77))

__attribute__((noinline)) static long square(int a, unsigned char b, const char *name, double x,
					     short c)
{
	asm volatile("" : : "r"(b), "r"(name), "m"(x), "r"(c));
	return (long)a * a;
}

__attribute__((noinline)) static void pass(uint64_t quad, int half, unsigned char byte,
					   volatile int64_t *memory)
{
	PASSED(quad, half, byte, *memory);
}

/* Behind a pointer, so that no clone of it with fewer arguments is made. */
static long (*volatile call)(int, unsigned char, const char *, double, short) = square;

int main(int argc, char **argv)
{
	volatile int64_t memory;
	long i, n, looked = 0;

	argv = begin(argv);
	if (!argv[0])
		die("usage: probes [-w] N, not %d arguments", argc - 1);
	n = number(argv[0]);
	for (i = 0; i < n; i++) {
		call(-i, 250, "a name", 1.5, -7);
		memory = -5000000000 - i;
		looked += semaphore != 0;
		pass(UINT64_MAX - i, -i, i, &memory);
	}
	printf("calls=%ld\nlooked=%ld\n", n, looked);
	return 0;
}
