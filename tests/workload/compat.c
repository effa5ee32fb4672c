// SPDX-License-Identifier: GPL-2.0-only
/* compat [-w] NUMBER N - N system calls NUMBER through the 32-bit entry (int 0x80), with arguments 0. */
#include "workload.h"

int main(int argc, char **argv)
{
	long nr, n, i;

	argv = begin(argv);
	if (!argv[0] || !argv[1])
		die("usage: compat [-w] NUMBER N, not %d arguments", argc - 1);
	nr = number(argv[0]);
	n = number(argv[1]);
#ifdef __x86_64__
	for (i = 0; i < n; i++) {
		long ret = nr;

		asm volatile("int $0x80"
			     : "+a"(ret)
			     : "b"(0), "c"(0), "d"(0), "S"(0), "D"(0)
			     : "memory", "r8", "r9", "r10", "r11");
	}
	printf("calls=%ld\n", n);
	return 0;
#else
	(void)i;
	(void)nr;
	die("no 32-bit entry on this architecture (%ld calls wanted)", n);
#endif
}
