// SPDX-License-Identifier: GPL-2.0-only
/* faults [-w] N - touches N fresh pages, lowest first; prints where they begin. */
#include <sys/mman.h>
#include "workload.h"

int main(int argc, char **argv)
{
	long i, n, page = sysconf(_SC_PAGESIZE);
	volatile char *p;

	argv = begin(argv);
	if (!argv[0])
		die("usage: faults [-w] N, not %d arguments", argc - 1);
	n = number(argv[0]);
	p = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	madvise((void *)p, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		p[i * page] = 1;
	printf("pages=%ld\naddr=%#lx\npage=%ld\n", n, (unsigned long)p, page);
	return 0;
}
