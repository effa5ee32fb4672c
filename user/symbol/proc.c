// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "../base/clock.h"
#include "../base/guard.h"
#include "file_cache.h"
#include "proc.h"

#define NSEC 1000000000ull

/* Never too late, however long this thread is off its CPU in between. */
u64 proc__realtime(u64 monotonic)
{
	u64 real = clock__ns(CLOCK_REALTIME);

	return real - clock__ns(CLOCK_MONOTONIC) + monotonic;
}

u64 proc__ticks_realtime(u64 ticks)
{
	u64 boot = ticks * (NSEC / sysconf(_SC_CLK_TCK)), real = clock__ns(CLOCK_REALTIME);

	return real - clock__ns(CLOCK_BOOTTIME) + boot;
}

/* Field @nr of /proc/PID/stat; the second is a name in parentheses that may hold anything. */
static u64 stat_field(const char *stat, int nr)
{
	const char *p = strrchr(stat, ')');
	int field;

	for (field = 2; p && field < nr; field++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p, NULL, 10) : 0;
}

static bool read_stat(u32 pid, char *buf, size_t size)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[32];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	n = f ? fread(buf, 1, size - 1, f) : 0;
	buf[n] = 0;
	return n;
}

u64 proc__start_ticks(u32 pid)
{
	char stat[1024];

	return read_stat(pid, stat, sizeof(stat)) ? stat_field(stat, 22) : 0;
}

u32 proc__forked_from(u32 pid)
{
	char mine[1024], parents[1024];
	u32 parent;

	if (!read_stat(pid, mine, sizeof(mine)) || !stat_field(mine, 28))
		return 0;
	parent = stat_field(mine, 4);
	if (!parent || !read_stat(parent, parents, sizeof(parents)))
		return 0;
	return stat_field(mine, 28) == stat_field(parents, 28) ? parent : 0;
}

/* "55a0c8e00000-55a0c8e25000 r-xp 00002000 fe:00 1234   /usr/bin/x" */
static bool parse_line(char *line, struct symbol_mmap *m)
{
	unsigned long long start, end, offset, ino;
	int path = 0;
	char prot[5];

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, prot, &offset, &m->maj,
		   &m->min, &ino, &path) < 7)
		return false;
	m->start = start;
	m->len = end - start;
	m->pgoff = offset;
	m->ino = ino;
	m->ino_generation = NO_GENERATION;
	m->exec = prot[2] == 'x';
	m->path = path ? line + path : "";
	return true;
}

int proc__maps(u32 pid, void (*fn)(void *ctx, const struct symbol_mmap *m), void *ctx)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	char path[32];
	size_t room = 0;
	bool any = false;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0) {
		struct symbol_mmap m = {.tgid = pid};

		line[strcspn(line, "\n")] = 0;
		any = true;
		if (parse_line(line, &m) && m.exec)
			fn(ctx, &m);
	}
	return any ? 0 : -ENOENT;
}

void proc__each(void (*fn)(void *ctx, u32 pid), void *ctx)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (isdigit(d->d_name[0]))
			fn(ctx, strtoul(d->d_name, NULL, 10));
	if (dir)
		closedir(dir);
}

bool proc__holds_open(u32 pid, u64 dev, u64 ino)
{
	char path[32];
	struct dirent *d;
	struct stat st;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	dir = opendir(path);
	while (dir && !found && (d = readdir(dir)))
		found = !fstatat(dirfd(dir), d->d_name, &st, 0) && st.st_ino == ino &&
			((u64)major(st.st_dev) << 32 | minor(st.st_dev)) == dev;
	if (dir)
		closedir(dir);
	return found;
}
