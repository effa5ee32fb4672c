// SPDX-License-Identifier: GPL-2.0-only
/*
 * names [-w] FILE N - openat() of the name at the beginning of each of the first N pages of FILE.
 * No page is touched before the kernel reads the name.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "workload.h"

int main(int argc, char **argv)
{
	const long page = sysconf(_SC_PAGESIZE);
	long i, n, opened = 0;
	char *names;
	int fd;

	argv = begin(argv);
	if (!argv[0] || !argv[1])
		die("usage: names [-w] FILE N, not %d arguments", argc - 1);
	n = number(argv[1]);
	fd = check(open(argv[0], O_RDONLY), argv[0]);
	check(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "posix_fadvise");
	names = mmap(NULL, n * page, PROT_READ, MAP_PRIVATE, fd, 0);
	check(names == MAP_FAILED ? -1 : 0, "mmap");
	check(madvise(names, n * page, MADV_RANDOM), "madvise");
	for (i = 0; i < n; i++)
		opened += syscall(SYS_openat, AT_FDCWD, names + i * page, O_RDONLY, 0) >= 0;
	printf("calls=%ld\nopened=%ld\n", n, opened);
	return 0;
}
