// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/guard.h"
#include "guests.h"

#define CMDLINE_MAX 65536

/* The value up to a comma; a comma in it is written twice. */
static void put_value(struct strbuf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == ',' && *++s != ',')
			return;
		strbuf__putc(out, *s);
	}
}

/* The next of several, separated by single commas; NULL: none. */
static const char *next_suboption(const char *s)
{
	for (; *s; s++)
		if (*s == ',' && *++s != ',')
			return s;
	return NULL;
}

/* "foo", "guest=foo,debug-threads=on", "foo,process=x" */
static void put_name_option(struct strbuf *out, const char *value)
{
	const char *sub;

	for (sub = value; sub; sub = next_suboption(sub))
		if (!strncmp(sub, "guest=", 6)) {
			put_value(out, sub + 6);
			return;
		}
	put_value(out, value);
}

bool guest__name_in(const char *cmdline, size_t len, struct strbuf *out)
{
	const char *end = cmdline + len, *s, *next;

	for (s = cmdline; s < end; s = next) {
		next = s + strnlen(s, end - s) + 1;
		if (strcmp(s, "-name") && strcmp(s, "--name"))
			continue;
		if (next >= end || !*next)
			return false;
		put_name_option(out, next);
		return out->len;
	}
	return false;
}

static ssize_t read_proc(u32 pid, const char *file, char *buf, size_t room)
{
	char path[64];
	_cleanup_close_ int fd = -1;
	ssize_t n, total = 0;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while ((size_t)total + 1 < room && (n = read(fd, buf + total, room - 1 - total)) > 0)
		total += n;
	buf[total] = 0;
	return total;
}

bool guest__name(u32 pid, struct strbuf *out)
{
	_cleanup_free_ char *buf = malloc(CMDLINE_MAX);
	ssize_t n = buf ? read_proc(pid, "cmdline", buf, CMDLINE_MAX) : -1;

	if (n < 0)
		return false;
	if (guest__name_in(buf, n, out))
		return true;
	n = read_proc(pid, "comm", buf, CMDLINE_MAX);
	if (n < 0)
		return false;
	buf[strcspn(buf, "\n")] = 0;
	strbuf__puts(out, buf);
	return true;
}

bool guest__is(u32 pid)
{
	char path[64], target[32];
	struct dirent *e;
	bool found = false;
	ssize_t n;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	d = opendir(path);
	while (d && !found && (e = readdir(d))) {
		n = readlinkat(dirfd(d), e->d_name, target, sizeof(target) - 1);
		if (n > 0) {
			target[n] = 0;
			found = !strcmp(target, "anon_inode:kvm-vm");
		}
	}
	if (d)
		closedir(d);
	return found;
}

static bool is_called(u32 pid, const char *name)
{
	struct strbuf b = {0};
	bool same = guest__name(pid, &b) && b.s && !strcmp(b.s, name);

	strbuf__free(&b);
	return same;
}

size_t guests__find(const char *name, u32 *pids, size_t max)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		u32 pid = isdigit((unsigned char)e->d_name[0]) ? atoi(e->d_name) : 0;

		if (!pid || (name && !is_called(pid, name)) || !guest__is(pid))
			continue;
		if (n < max)
			pids[n] = pid;
		n++;
	}
	if (d)
		closedir(d);
	return n;
}
