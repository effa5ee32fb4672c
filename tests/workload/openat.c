// SPDX-License-Identifier: GPL-2.0-only
/*
 * openat [-w] N PATH [EVERY MARKED] - N times openat(AT_FDCWD, PATH, O_RDONLY), and each EVERYth of
 * them MARKED instead; what opens is closed. Paths may hold \xNN. The pages of the names are touched.
 */
#include <fcntl.h>
#include <sys/syscall.h>
#include "workload.h"

int main(int argc, char **argv)
{
	long i, n, every, marked = 0, opened = 0;
	const char *path, *mark;
	int fd;

	argv = begin(argv);
	if (!argv[0] || !argv[1] || (argv[2] && !argv[3]))
		die("usage: openat [-w] N PATH [EVERY MARKED], not %d arguments", argc - 1);
	n = number(argv[0]);
	path = unescape(argv[1]);
	every = argv[2] ? number(argv[2]) : 0;
	mark = argv[2] ? unescape(argv[3]) : path;
	for (i = 1; i <= n; i++) {
		int is_marked = every && i % every == 0;

		fd = syscall(SYS_openat, AT_FDCWD, is_marked ? mark : path, O_RDONLY, 0);
		marked += is_marked;
		opened += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	printf("calls=%ld\nmarked=%ld\nopened=%ld\n", n, marked, opened);
	return 0;
}
