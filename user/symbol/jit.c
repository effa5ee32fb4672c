// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "../base/log.h"
#include "jit.h"
#include "jit_files.h"
#include "strpool.h"

#define NAME_ROOM 32

/* A parent's file as it was at the fork. */
struct fork_point {
	u64 dev, ino, size; /* size 0: there was none */
};

struct jit {
	int refs;
	u32 pid;
	u32 nspid;   /* 0: not known */
	u32 uid;
	u64 started;
	bool sighted, refused;
	struct ns_root *root;
	struct stale_map stale, stale_host;
	struct jit_file *file;
	bool from_host;
	u64 round;
	const char *name; /* "perf-PID.map" of the pool */
	struct jit *parent;
	struct fork_point fork;
	struct jit_file *inherited; /* the parent's file up to the fork */
	struct jit_file *snapshot;  /* what children got last: the next one may share it */
};

struct jits {
	struct ns_roots *roots;
	struct jit_files *files;
	struct strpool *pool;
	struct log *log;
	u64 refused;
};

struct jits *jits__new(const char *dir, struct strpool *pool, struct log *log)
{
	struct jits *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->pool = pool;
	s->log = log;
	s->roots = ns_roots__new(dir ? dir : "/tmp");
	s->files = jit_files__new();
	if (s->roots && s->files)
		return s;
	jits__free(s);
	return NULL;
}

void jits__free(struct jits *s)
{
	if (!s)
		return;
	jit_files__free(s->files);
	ns_roots__free(s->roots);
	free(s);
}

void jits__stats(const struct jits *s, struct jits_stats *stats)
{
	jit_files__stats(s->files, stats);
	stats->refused = s->refused;
}

struct jit *jit__new(u32 pid, u64 started)
{
	struct jit *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->refs = 1;
	j->pid = pid;
	j->started = started;
	return j;
}

void jit__put(struct jits *s, struct jit *j)
{
	while (j && !--j->refs) {
		struct jit *parent = j->parent;

		ns_root__put(s->roots, j->root);
		jit_file__put(s->files, j->file);
		jit_file__put(s->files, j->inherited);
		jit_file__put(s->files, j->snapshot);
		free(j);
		j = parent;
	}
}

static const char *map_name(const struct jit *j, bool host, char *buf)
{
	snprintf(buf, NAME_ROOM, "perf-%u.map", host ? j->pid : j->nspid);
	return buf;
}

static struct map_owner owner_of(const struct jit *j)
{
	return (struct map_owner){.pid = j->pid, .uid = j->uid, .started = j->started};
}

/* "NSpid:" lists the pid in every namespace, innermost last; "Uid:" real, effective, ... */
static bool read_status(struct jit *j)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	char path[32];
	size_t room = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%u/status", j->pid);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0) {
		if (!strncmp(line, "NSpid:", 6)) {
			j->nspid = strtoul(strrchr(line, '\t') + 1, NULL, 10);
			return true;
		}
		if (!strncmp(line, "Pid:", 4))
			j->nspid = strtoul(line + 4, NULL, 10);
		if (sscanf(line, "Uid: %*u %u", &j->uid) == 1)
			found = true;
	}
	return found; /* without pid namespaces there is no NSpid */
}

void jit__sight(struct jits *s, struct jit *j)
{
	struct ns_root *root, *own = ns_roots__own(s->roots);
	char name[NAME_ROOM];
	struct map_owner owner;

	if (j->sighted || !read_status(j))
		return;
	owner = owner_of(j);
	root = ns_roots__of(s->roots, j->pid);
	if (!root)
		return;
	ns_root__put(s->roots, j->root);
	j->root = root;
	j->sighted = true;
	if (root->maps >= 0)
		stale_map__look(&j->stale, root->maps, map_name(j, false, name), &owner);
	if (own && own->maps >= 0 && (own != root || j->nspid != j->pid))
		stale_map__look(&j->stale_host, own->maps, map_name(j, true, name), &owner);
}

struct ns_root *jit__root(const struct jit *j)
{
	return j->root;
}

static void note_size(struct jit *parent, struct fork_point *at)
{
	char name[NAME_ROOM];

	*at = (struct fork_point){0};
	if (parent->root && parent->root->maps >= 0 && parent->nspid)
		at->size = map_file__size(parent->root->maps, map_name(parent, false, name),
					  &at->dev, &at->ino);
	if (at->size || !parent->file || !parent->from_host)
		return;
	*at = (struct fork_point){parent->file->f->dev, parent->file->f->ino,
				  parent->file->f->done};
}

struct jit *jit__after(struct jit *before, u32 pid, u64 started)
{
	struct jit *j = jit__new(pid, started);

	if (!j)
		return NULL;
	j->uid = before->uid;
	if (before->root)
		j->root = ns_root__ref(before->root);
	if (before->pid == pid)
		j->nspid = before->nspid;
	else if (before->nspid == before->pid)
		j->nspid = pid;
	return j;
}

struct jit *jit__fork(struct jit *parent, u32 pid, u64 started)
{
	struct jit *j = jit__after(parent, pid, started);

	if (!j)
		return NULL;
	j->parent = parent;
	parent->refs++;
	note_size(parent, &j->fork);
	return j;
}

/* When exactly it was forked is not known: the parent's file as it is now is the nearest. */
void jit__adopt(struct jits *s, struct jit *j, struct jit *parent)
{
	if (j->parent)
		return;
	jit__sight(s, parent);
	j->parent = parent;
	parent->refs++;
	note_size(parent, &j->fork);
}

static void refuse(struct jits *s, struct jit *j, const char *name, const char *why)
{
	if (!j->refused)
		s->refused++;
	j->refused = true;
	log__once(s->log, LOG_NOTICE, "perf map file %s of process %u is not read: %s", name,
		  j->pid, why);
}

/* @return the file; NULL. *there: one exists, readable or not */
static struct map_file *open_map(struct jits *s, struct jit *j, int dir, bool host, bool *there)
{
	const struct stale_map *stale = host ? &j->stale_host : &j->stale;
	const struct map_owner owner = owner_of(j);
	struct map_file *f = NULL;
	char name[NAME_ROOM], why[96] = "";
	int ret = map_file__open(&f, dir, map_name(j, host, name), &owner, stale, why);

	*there = ret != -ENOENT;
	if (ret && *why)
		refuse(s, j, name, why);
	return ret ? NULL : f;
}

static void use_file(struct jits *s, struct jit *j, struct map_file *f, bool host)
{
	char name[NAME_ROOM];

	jit_file__put(s->files, j->file);
	j->file = jit_files__add(s->files, f);
	j->from_host = host;
	j->name = strpool__intern(s->pool, map_name(j, host, name));
}

/*
 * The process's own file wins wherever it is there, even if it cannot be used: only without one
 * is the host's looked at.
 */
static void choose_file(struct jits *s, struct jit *j)
{
	struct ns_root *own = ns_roots__own(s->roots);
	struct map_file *f = NULL;
	char name[NAME_ROOM];
	bool there = false;

	if (j->root && j->root->maps >= 0 && j->nspid) {
		if (j->file && !j->from_host &&
		    !map_file__replaced(j->file->f, j->root->maps, map_name(j, false, name)))
			return;
		f = open_map(s, j, j->root->maps, false, &there);
	}
	if (f || there || (j->file && !j->from_host)) {
		if (f)
			use_file(s, j, f, false);
		return;
	}
	if (!own || own->maps < 0 || (own == j->root && j->nspid == j->pid))
		return;
	if (j->file && !map_file__replaced(j->file->f, own->maps, map_name(j, true, name)))
		return;
	f = open_map(s, j, own->maps, true, &there);
	if (f)
		use_file(s, j, f, true);
}

void jit__expect(struct jits *s, struct jit *j)
{
	if (!j->file)
		choose_file(s, j);
}

static const char *find_own(struct jits *s, struct jit *j, u64 addr, u64 round, u64 *start)
{
	bool fresh = j->round != round;

	if (fresh) {
		j->round = round;
		choose_file(s, j);
	}
	return j->file ? jit_file__find(s->files, j->file, addr, fresh, start) : NULL;
}

static struct jit_file *inherit(struct jits *s, struct jit *j)
{
	struct jit *p = j->parent;
	struct map_file *f;

	if (p->snapshot && p->snapshot->f->dev == j->fork.dev &&
	    p->snapshot->f->ino == j->fork.ino && p->snapshot->f->limit == j->fork.size)
		return jit_file__ref(p->snapshot);
	if (!p->file)
		choose_file(s, p);
	if (!p->file || p->file->f->dev != j->fork.dev || p->file->f->ino != j->fork.ino)
		return NULL;
	f = map_file__snapshot(p->file->f, j->fork.size);
	if (!f)
		return NULL;
	jit_file__put(s->files, p->snapshot);
	p->snapshot = jit_files__add(s->files, f);
	return p->snapshot ? jit_file__ref(p->snapshot) : NULL;
}

static const char *find_inherited(struct jits *s, struct jit *j, u64 addr, u64 *start,
				  const char **file)
{
	for (; j->parent; j = j->parent) {
		const char *name;

		if (!j->fork.size)
			continue;
		if (!j->inherited)
			j->inherited = inherit(s, j);
		if (!j->inherited)
			continue;
		name = jit_file__find(s->files, j->inherited, addr, true, start);
		*file = j->parent->name;
		if (name)
			return name;
	}
	return NULL;
}

const char *jit__find(struct jits *s, struct jit *j, u64 addr, u64 round, u64 *start,
		      const char **file)
{
	const char *name = find_own(s, j, addr, round, start);

	*file = j->name;
	if (!name)
		name = find_inherited(s, j, addr, start, file);
	return name ? strpool__intern(s->pool, name) : NULL;
}
