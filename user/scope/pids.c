// SPDX-License-Identifier: GPL-2.0-only
/* pids.c - processes and threads: lists of them, what /proc tells of them, their namespaces. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "parts.h"

#define INITIAL_PIDNS 0xeffffffcu /* the kernel's PROC_PID_INIT_INO: part of its ABI */
#define PID_LIMIT     (1ul << 22)

static int parse_list(const char *text, const char *opt, u32 **ids, size_t *n, struct err *err)
{
	size_t room = 0;
	const char *s;
	char *end;

	for (s = text;; s = end + 1) {
		unsigned long id = isdigit((unsigned char)*s) ? strtoul(s, &end, 10) : 0;

		if (!id || id > PID_LIMIT || (*end && *end != ','))
			return err__caret(err, text, s - text, strcspn(s, ","),
					  "%s: a list of numbers is like 1,23", opt);
		if (array__push(*ids, *n, room, (u32)id))
			return err__set(err, ENOMEM, "%s: out of memory", opt);
		if (!*end)
			return 0;
	}
}

/* @return the text behind the name, which may itself hold blanks and parentheses */
static const char *read_stat(u32 tid, char *buf, size_t size)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], *end;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	n = fread(buf, 1, size - 1, f);
	buf[n] = 0;
	end = strrchr(buf, ')');
	return end && end[1] ? end + 2 : NULL;
}

/* The number behind "Tgid:" and the like. */
static bool read_status(u32 tid, const char *key, char *value, size_t size)
{
	_cleanup_fclose_ FILE *f = NULL;
	size_t len = strlen(key);
	char line[1024];

	snprintf(line, sizeof(line), "/proc/%u/status", tid);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, len)) {
			snprintf(value, size, "%s", line + len);
			return true;
		}
	return false;
}

bool task_stat__read(u32 tid, struct task_stat *st)
{
	char buf[2048], tgid[32];
	const char *fields = read_stat(tid, buf, sizeof(buf));
	long threads;
	char state;

	*st = (struct task_stat){.tgid = tid};
	if (!fields)
		/* mounted with hidepid=, or not at all */
		return !kill((pid_t)tid, 0) || errno == EPERM;
	if (sscanf(fields,
		   "%c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d "
		   "%" SCNu64,
		   &state, &threads, &st->start) != 3)
		return true;
	/* a leader that ended before its threads is a zombie too */
	st->dead = state == 'X' || (state == 'Z' && threads <= 1);
	if (read_status(tid, "Tgid:", tgid, sizeof(tgid)))
		st->tgid = (u32)strtoul(tgid, NULL, 10);
	return true;
}

u32 task__inner_pid(u32 pid)
{
	char line[512], *last;

	if (!read_status(pid, "NSpid:", line, sizeof(line)))
		return pid;
	line[strcspn(line, "\n")] = 0;
	last = strrchr(line, '\t');
	return last ? (u32)strtoul(last + 1, NULL, 10) : pid;
}

int pidns__depth(u32 pid)
{
	char line[512], *s;
	int n = -1;

	if (!read_status(pid, "NSpid:", line, sizeof(line)))
		return -1;
	/* a tab in front of each of the numbers */
	for (s = line; *s; s++)
		n += *s == '\t';
	return n;
}

static int stat_ns(const char *path, u64 *dev, u64 *ino)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	/* the kernel's dev_t, not the wider one of stat(2) */
	*dev = (u64)major(st.st_dev) << 20 | minor(st.st_dev);
	*ino = st.st_ino;
	return 0;
}

static bool is_in(u32 pid, u64 ino)
{
	char path[64];
	u64 dev, its;

	snprintf(path, sizeof(path), "/proc/%u/ns/pid", pid);
	return !stat_ns(path, &dev, &its) && its == ino;
}

bool pidns__alive(u32 pid, u64 ino)
{
	struct dirent *e;
	bool alive = is_in(pid, ino);
	DIR *proc = alive ? NULL : opendir("/proc");

	while (proc && !alive && (e = readdir(proc)))
		alive = isdigit((unsigned char)e->d_name[0]) &&
			is_in((u32)strtoul(e->d_name, NULL, 10), ino);
	if (proc)
		closedir(proc);
	return alive;
}

int pids__processes(const char *text, u32 **pids, size_t *n, struct err *err)
{
	struct task_stat st;
	size_t i;
	int r = parse_list(text, "-p", pids, n, err);

	for (i = 0; !r && i < *n; i++) {
		u32 pid = (*pids)[i];

		if (!task_stat__read(pid, &st))
			return err__set(err, ESRCH, "-p %u: no such process", pid);
		if (st.dead)
			return err__set(err, ESRCH, "-p %u: the process has ended", pid);
		if (st.tgid != pid)
			return err__usage(err,
					  "-p %u: is a thread of process %u; use -t %u or -p %u",
					  pid, st.tgid, pid, st.tgid);
	}
	return r;
}

static bool among(u32 id, const u32 *ids, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

int pids__threads(const char *text, const u32 *tgids, size_t nr_tgids, u32 **tids, size_t *n,
		  struct err *err)
{
	struct task_stat st;
	size_t i;
	int r = parse_list(text, "-t", tids, n, err);

	for (i = 0; !r && i < *n; i++) {
		u32 tid = (*tids)[i];

		if (!task_stat__read(tid, &st) || st.dead)
			return err__set(err, ESRCH, "-t %u: no such thread", tid);
		if (nr_tgids && !among(st.tgid, tgids, nr_tgids))
			return err__usage(err,
					  "-t %u: is a thread of process %u, which -p does not "
					  "name: nothing could match both",
					  tid, st.tgid);
	}
	return r;
}

int pidns__own(u64 *dev, u64 *ino, struct err *err)
{
	int r = stat_ns("/proc/self/ns/pid", dev, ino);

	if (r)
		return err__set(err, -r, "/proc/self/ns/pid: %s; is /proc mounted?", strerror(-r));
	if (*ino == INITIAL_PIDNS)
		*dev = *ino = 0;
	return 0;
}

int pidns__of(u32 pid, u64 *dev, u64 *ino, struct err *err)
{
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/%u/ns/pid", pid);
	r = stat_ns(path, dev, ino);
	if (r == -ENOENT)
		return err__set(err, ESRCH, "process %u: no such process", pid);
	if (r)
		return err__set(err, -r, "%s: %s; reading it needs CAP_SYS_PTRACE", path,
				strerror(-r));
	return 0;
}
