// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/guard.h"
#include "process_table.h"
#include "sideband.h"

#define DEFAULT_MAX 65536u
#define NONE	    0xffffffffu

struct thread {
	u32 tid, tgid;
	u64 named; /* since when it has its name; 0: before we looked */
	bool ended;
	char comm[COMM_LEN];
	char was[COMM_LEN]; /* the name before, maybe of another thread; "" if there was none */
	u32 next; /* in its bucket, or in the free list */
	u32 older, newer; /* in the order in which they are forgotten */
};

/* Threads in the order of forgetting: those that ended, oldest first. */
struct queue {
	u32 oldest, newest;
};

struct process_table {
	struct thread *v;
	u32 n, max;
	u32 *buckets, nr_buckets; /* a power of two */
	u32 size;
	struct queue ended, live;
	u32 free;
};

struct process_table *process_table__new(u32 max)
{
	struct process_table *t = calloc(1, sizeof(*t));
	u32 n = 64;

	if (!t)
		return NULL;
	t->max = max ?: DEFAULT_MAX;
	while (n < t->max)
		n *= 2;
	t->buckets = malloc(n * sizeof(*t->buckets));
	t->v = malloc(t->max * sizeof(*t->v)); /* touched as it fills */
	t->nr_buckets = n;
	t->ended = t->live = (struct queue){NONE, NONE};
	t->free = NONE;
	if (!t->buckets || !t->v) {
		process_table__free(t);
		return NULL;
	}
	memset(t->buckets, 0xff, n * sizeof(*t->buckets));
	return t;
}

void process_table__free(struct process_table *t)
{
	if (!t)
		return;
	free(t->buckets);
	free(t->v);
	free(t);
}

u32 process_table__size(const struct process_table *t)
{
	return t->size;
}

static u32 *bucket_of(struct process_table *t, u32 tid)
{
	return &t->buckets[(tid * 0x9e3779b1u >> 7) & (t->nr_buckets - 1)];
}

static struct thread *find(struct process_table *t, u32 tid)
{
	u32 i;

	for (i = *bucket_of(t, tid); i != NONE; i = t->v[i].next)
		if (t->v[i].tid == tid)
			return &t->v[i];
	return NULL;
}

static void enqueue(struct process_table *t, struct queue *q, u32 i)
{
	t->v[i].older = q->newest;
	t->v[i].newer = NONE;
	if (q->newest == NONE)
		q->oldest = i;
	else
		t->v[q->newest].newer = i;
	q->newest = i;
}

static void dequeue(struct process_table *t, struct queue *q, u32 i)
{
	struct thread *th = &t->v[i];

	if (th->older == NONE)
		q->oldest = th->newer;
	else
		t->v[th->older].newer = th->newer;
	if (th->newer == NONE)
		q->newest = th->older;
	else
		t->v[th->newer].older = th->older;
}

static void unhash(struct process_table *t, u32 i)
{
	u32 *at = bucket_of(t, t->v[i].tid);

	while (*at != i)
		at = &t->v[*at].next;
	*at = t->v[i].next;
}

/* Room for one more: a new one, else that of the thread that ended first, else of the oldest. */
static u32 take_room(struct process_table *t)
{
	struct queue *q = t->ended.oldest != NONE ? &t->ended : &t->live;
	u32 i = q->oldest;

	if (t->n < t->max) {
		t->size++;
		return t->n++;
	}
	dequeue(t, q, i);
	unhash(t, i);
	return i;
}

static struct thread *add(struct process_table *t, u32 tid, u32 tgid, u64 named)
{
	u32 i = take_room(t), *bucket = bucket_of(t, tid);

	t->v[i] = (struct thread){.tid = tid, .tgid = tgid, .named = named, .next = *bucket};
	*bucket = i;
	enqueue(t, &t->live, i);
	return &t->v[i];
}

static void copy_comm(char *to, const char *from)
{
	size_t n = strnlen(from, COMM_LEN - 1);

	memmove(to, from, n);
	memset(to + n, 0, COMM_LEN - n);
}

static bool read_comm(u32 tid, char *comm)
{
	char path[64];
	_cleanup_close_ int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/comm", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, comm, COMM_LEN);
	if (n <= 0)
		return false;
	comm[n - 1] = 0; /* the newline */
	return true;
}

/* A thread that is not a process leader has no own entry in /proc's listing, but a path. */
static u32 read_tgid(u32 tid)
{
	char path[64], line[64];
	_cleanup_fclose_ FILE *f = NULL;
	unsigned int tgid;

	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %u", &tgid) == 1)
			return tgid;
	return 0;
}

static void scan_process(struct process_table *t, u32 tgid)
{
	char path[64], comm[COMM_LEN];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		u32 tid = atoi(e->d_name);

		if (tid && !find(t, tid) && read_comm(tid, comm))
			copy_comm(add(t, tid, tgid, 0)->comm, comm);
	}
	if (d)
		closedir(d);
}

void process_table__scan(struct process_table *t)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	if (!find(t, 0))
		copy_comm(add(t, 0, 0, 0)->comm, "swapper");
	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			scan_process(t, atoi(e->d_name));
	if (d)
		closedir(d);
}

static void move(struct process_table *t, struct thread *th, bool ended)
{
	dequeue(t, th->ended ? &t->ended : &t->live, th - t->v);
	enqueue(t, ended ? &t->ended : &t->live, th - t->v);
	th->ended = ended;
}

static void set_name(struct process_table *t, struct thread *th, const char *comm, u64 time)
{
	if (th->ended)
		move(t, th, false);
	copy_comm(th->was, th->comm);
	copy_comm(th->comm, comm);
	th->named = time;
}

/* A new thread has its parent's name; its number may be that of one that ended. */
static void forked(struct process_table *t, const struct sideband_record *rec)
{
	const struct thread *parent = find(t, rec->fork.parent_tid);
	struct thread *th = find(t, rec->tid);
	char comm[COMM_LEN] = "";

	if (parent)
		copy_comm(comm, parent->comm);
	if (!th)
		th = add(t, rec->tid, rec->tgid, rec->time);
	th->tgid = rec->tgid;
	set_name(t, th, comm, rec->time);
}

static void renamed(struct process_table *t, const struct sideband_record *rec)
{
	struct thread *th = find(t, rec->tid) ?: add(t, rec->tid, rec->tgid, 0);

	set_name(t, th, rec->comm.name, rec->time);
}

static void ended(struct process_table *t, const struct sideband_record *rec)
{
	struct thread *th = find(t, rec->tid);

	if (th && !th->ended)
		move(t, th, true);
}

void process_table__follow(void *table, const struct sideband_record *rec)
{
	switch (rec->kind) {
	case SIDEBAND_FORK:
		forked(table, rec);
		break;
	case SIDEBAND_COMM:
		renamed(table, rec);
		break;
	case SIDEBAND_EXIT:
		ended(table, rec);
		break;
	default:
		break;
	}
}

static struct thread *look_up(struct process_table *t, u32 tid)
{
	struct thread *th = find(t, tid);
	char comm[COMM_LEN];

	if (!th && tid && read_comm(tid, comm)) {
		th = add(t, tid, read_tgid(tid), 0);
		copy_comm(th->comm, comm);
	}
	return th;
}

const char *process_table__comm(struct process_table *t, u32 tid, u64 time)
{
	const struct thread *th = look_up(t, tid);

	if (!th)
		return NULL;
	if (time < th->named && th->was[0])
		return th->was;
	return th->comm[0] ? th->comm : NULL;
}

u32 process_table__tgid(struct process_table *t, u32 tid)
{
	const struct thread *th = look_up(t, tid);

	return th ? th->tgid : 0;
}
