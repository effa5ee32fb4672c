// SPDX-License-Identifier: GPL-2.0-only
/*
 * jit_aid [-w] MS [FILE] - what a JIT looks like from outside: MS milliseconds of CPU time in a
 * function at 0x7e0000000000 that no file describes, called by run_code, called by main. Tests
 * write its perf-PID.map. With FILE, which is made, the code is mapped from there.
 *
 * Each line on stdin afterwards is one more run: "run MS", or "fork MS" in a child, which runs
 * the same function from another place, 0x800 behind; every one answers "done=MS".
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include "workload.h"

#define CODE_AT ((void *)0x7e0000000000)
#define SECOND	0x800

/* Counts its argument down, in a frame of its own. */
#ifdef __aarch64__
static const unsigned int code[] = {0xa9bf7bfd, 0x910003fd, 0xf1000400,
				    0x54ffffe1, 0xa8c17bfd, 0xd65f03c0};
#else
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf9, 0x48,
				     0xff, 0xc9, 0x75, 0xfb, 0x5d, 0xc3};
#endif

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

__attribute__((noinline)) void run_code(size_t at, long ms)
{
	void (*count_down)(unsigned long) = (void (*)(unsigned long))((char *)CODE_AT + at);
	long end = cpu_ms() + ms;

	while (cpu_ms() < end)
		count_down(1000000);
	printf("done=%ld\n", ms);
	fflush(stdout);
}

static void map_code(const char *path)
{
	int fd = path ? check(open(path, O_RDWR | O_CREAT | O_TRUNC, 0700), path) : -1;
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
	char page[4096] = {0};
	void *p;

	memcpy(page, code, sizeof(code));
	memcpy(page + SECOND, code, sizeof(code));
	if (fd >= 0 && write(fd, page, sizeof(page)) != sizeof(page))
		die("%s: cannot write", path);
	p = mmap(CODE_AT, sizeof(page), PROT_READ | PROT_WRITE | PROT_EXEC,
		 flags | MAP_FIXED_NOREPLACE, fd, 0);
	if (p != CODE_AT)
		die("mmap: %s", strerror(errno));
	if (fd < 0)
		memcpy(p, page, sizeof(page));
	__builtin___clear_cache(p, (char *)p + sizeof(page));
}

__attribute__((noinline)) void run_in_child(long ms)
{
	pid_t child = check(fork(), "fork");

	if (!child) {
		printf("child=%d\n", getpid());
		run_code(SECOND, ms);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	char line[64], **args;
	long ms;

	args = begin(argv);
	if (!args[0])
		die("usage: jit_aid [-w] MS [FILE], not %d arguments", argc - 1);
	map_code(args[1]);
	run_code(0, number(args[0]));
	while (args != argv + 1 && fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "run %ld", &ms) == 1)
			run_code(0, ms);
		else if (sscanf(line, "fork %ld", &ms) == 1)
			run_in_child(ms);
	}
	return 0;
}
