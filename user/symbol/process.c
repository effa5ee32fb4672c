// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include "../base/clock.h"
#include "proc.h"
#include "process.h"
#include "unwinder.h"

#define BUCKETS	 4096
#define DEAD_MAX 4096	/* processes that are gone and still known */
#define CHECK_NS 100000000ull
#define UNWINDERS_MAX 16 /* unwind tables are large */

struct processes {
	struct processes_env env;
	struct process *buckets[BUCKETS]; /* chained by older; of one pid, newest first */
	struct process dead; /* head of a ring: newer_dead is the oldest of them */
	size_t nr, nr_dead;
	struct process *unwinders[UNWINDERS_MAX]; /* processes that have one */
	u64 uses;
	bool told;  /* records come */
	u64 doubt;  /* counts the times that some were lost */
};

struct processes *processes__new(const struct processes_env *env)
{
	struct processes *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->env = *env;
	s->dead.newer_dead = s->dead.older_dead = &s->dead;
	return s;
}

static void unlink_dead(struct processes *s, struct process *p)
{
	if (!p->newer_dead)
		return;
	p->newer_dead->older_dead = p->older_dead;
	p->older_dead->newer_dead = p->newer_dead;
	p->newer_dead = NULL;
	s->nr_dead--;
}

static struct process **bucket(struct processes *s, u32 tgid)
{
	return &s->buckets[tgid % BUCKETS];
}

static void drop_unwinder(struct processes *s, struct process *p)
{
	size_t i;

	unwinder__free(p->unwinder);
	p->unwinder = NULL;
	for (i = 0; i < UNWINDERS_MAX; i++)
		if (s->unwinders[i] == p)
			s->unwinders[i] = NULL;
}

/* @return a free place, made so if need be */
static size_t unwinder_place(struct processes *s)
{
	size_t i, oldest = 0;

	for (i = 0; i < UNWINDERS_MAX; i++) {
		if (!s->unwinders[i])
			return i;
		if (s->unwinders[i]->unwound < s->unwinders[oldest]->unwound)
			oldest = i;
	}
	drop_unwinder(s, s->unwinders[oldest]);
	return oldest;
}

struct unwinder *processes__unwinder(struct processes *s, struct process *p)
{
	size_t i;

	if (p->unwinder && p->unwinder_old != p->maps->nr_old)
		drop_unwinder(s, p);
	p->unwound = ++s->uses;
	if (p->unwinder)
		return p->unwinder;
	i = unwinder_place(s);
	p->unwinder = unwinder__new();
	p->unwinder_old = p->maps->nr_old;
	if (p->unwinder)
		s->unwinders[i] = p;
	return p->unwinder;
}

static void drop(struct processes *s, struct process *p)
{
	struct process **at = bucket(s, p->tgid);

	while (*at != p)
		at = &(*at)->older;
	*at = p->older;
	unlink_dead(s, p);
	drop_unwinder(s, p);
	maps__put(s->env.files, p->maps);
	jit__put(s->env.jits, p->jit);
	free(p);
	s->nr--;
}

void processes__free(struct processes *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < BUCKETS; i++)
		while (s->buckets[i])
			drop(s, s->buckets[i]);
	free(s);
}

const struct processes_env *processes__env(const struct processes *s)
{
	return &s->env;
}

size_t processes__nr(const struct processes *s)
{
	return s->nr;
}

static void end_life(struct processes *s, struct process *p, u64 time)
{
	if (p->until)
		return;
	p->until = time ? time : 1;
	p->older_dead = s->dead.older_dead;
	p->newer_dead = &s->dead;
	p->older_dead->newer_dead = p->newer_dead->older_dead = p;
	if (++s->nr_dead > DEAD_MAX)
		drop(s, s->dead.newer_dead);
}

static struct process *newest(struct processes *s, u32 tgid)
{
	struct process *p = *bucket(s, tgid);

	while (p && p->tgid != tgid)
		p = p->older;
	return p;
}

/* Takes over @maps and @jit. */
static struct process *add(struct processes *s, u32 tgid, u64 since, struct maps *maps,
			   struct jit *jit)
{
	struct process *p = calloc(1, sizeof(*p)), **at = bucket(s, tgid);

	if (!p || !maps || !jit) {
		maps__put(s->env.files, maps);
		jit__put(s->env.jits, jit);
		free(p);
		return NULL;
	}
	p->tgid = tgid;
	p->since = since;
	p->maps = maps;
	p->jit = jit;
	p->doubt = s->doubt;
	p->checked = s->told ? 0 : clock__ns(CLOCK_MONOTONIC);
	p->older = *at;
	*at = p;
	s->nr++;
	return p;
}

bool process__alive(const struct process *p)
{
	u64 ticks = p->ended ? 0 : proc__start_ticks(p->tgid);

	return ticks && (!p->ticks || p->ticks == ticks);
}

struct reading {
	struct processes *s;
	struct process *p;
};

static void read_mapping(void *ctx, const struct symbol_mmap *m)
{
	struct reading *r = ctx;

	process__map(r->s, r->p, m);
}

bool processes__read(struct processes *s, struct process *p)
{
	struct reading r = {s, p};

	if (!process__alive(p))
		return false;
	p->ticks = proc__start_ticks(p->tgid);
	if (proc__maps(p->tgid, read_mapping, &r))
		return false;
	p->read = true;
	return true;
}

static struct process *read_new(struct processes *s, u32 tgid)
{
	u64 ticks = proc__start_ticks(tgid);
	struct process *p;

	if (!ticks)
		return NULL;
	p = add(s, tgid, 0, maps__new(), jit__new(tgid, proc__ticks_realtime(ticks)));
	if (!p)
		return NULL;
	p->ticks = ticks;
	processes__read(s, p);
	return p;
}

static struct process *read_after(struct processes *s, struct process *before)
{
	struct process *p = read_new(s, before->tgid);

	if (p)
		p->since = before->until;
	return p;
}

/* A zombie has no mappings any more: what was known of it stays. */
static void read_again(struct processes *s, struct process *p)
{
	struct maps *known = p->maps;

	p->maps = maps__new();
	if (p->maps && processes__read(s, p) && p->maps->n) {
		drop_unwinder(s, p);
		maps__put(s->env.files, known);
		return;
	}
	maps__put(s->env.files, p->maps);
	p->maps = known;
}

/*
 * Records were lost, or there are none: it may have become another program, or its pid another
 * process's. @return what it is now
 */
static struct process *check(struct processes *s, struct process *p)
{
	u64 ticks = proc__start_ticks(p->tgid);

	p->doubt = s->doubt;
	p->checked = clock__ns(CLOCK_MONOTONIC);
	if (!ticks)
		return p; /* gone: what was known is the best there is */
	if (p->ticks && p->ticks != ticks) {
		end_life(s, p, p->checked);
		p->ended = true;
		return read_after(s, p);
	}
	read_again(s, p);
	return p;
}

static bool is_doubtful(const struct processes *s, const struct process *p)
{
	if (p->ended)
		return false;
	return p->doubt != s->doubt || (!s->told && clock__ns(CLOCK_MONOTONIC) - p->checked > CHECK_NS);
}

void processes__doubt(struct processes *s)
{
	s->doubt++;
}

/* Its first thread has ended, but not the process. */
static bool lives_on(const struct process *p)
{
	return p->ticks && proc__start_ticks(p->tgid) == p->ticks;
}

/*
 * A pid whose last life is known to have ended, asked for at a later time: somebody new, of whom
 * no record told.
 */
struct process *processes__at(struct processes *s, u32 tgid, u64 time)
{
	struct process *p = newest(s, tgid), *next = NULL;

	if (!p)
		p = read_new(s, tgid);
	else if (p->ended && (!time || time > p->until) && !lives_on(p))
		next = read_after(s, p);
	else if (is_doubtful(s, p))
		next = check(s, p);
	p = next ? next : p;
	while (p && time && (p->tgid != tgid || p->since > time))
		p = p->older;
	return p;
}

struct process *processes__newest(struct processes *s, u32 tgid, u64 time)
{
	struct process *p = newest(s, tgid);

	if (p && !p->ended)
		return p;
	p = read_new(s, tgid);
	if (!p)
		p = add(s, tgid, time, maps__new(), jit__new(tgid, proc__realtime(time)));
	return p;
}

/* The child's mappings may have been told before its fork, by another CPU's ring. */
struct process *processes__fork(struct processes *s, u32 parent, u32 tgid, u64 time)
{
	struct process *from = processes__newest(s, parent, time), *p = newest(s, tgid);
	u64 started = proc__realtime(time);

	s->told = true;
	if (!from || (p && !p->ended && p->since >= time))
		return p;
	if (p) {
		end_life(s, p, time);
		p->ended = true;
	}
	jit__sight(s->env.jits, from->jit);
	from->maps->refs++;
	p = add(s, tgid, time, from->maps, jit__fork(from->jit, tgid, started));
	if (p)
		p->read = from->read;
	return p;
}

struct process *processes__exec(struct processes *s, u32 tgid, u64 time)
{
	struct process *last = newest(s, tgid), *old = last && !last->ended ? last : NULL, *p;
	struct maps *maps = old ? maps__since(old->maps, time) : maps__new();
	u64 ticks = old && old->ticks ? old->ticks : proc__start_ticks(tgid);
	u64 started = ticks ? proc__ticks_realtime(ticks) : proc__realtime(time);

	s->told = true;
	p = add(s, tgid, time, maps,
		old ? jit__after(old->jit, tgid, started) : jit__new(tgid, started));
	if (!p)
		return NULL;
	p->ticks = ticks;
	p->read = true;
	if (old)
		end_life(s, old, time);
	return p;
}

void processes__exit(struct processes *s, u32 tgid, u64 time)
{
	struct process *p = newest(s, tgid);

	s->told = true;
	if (!p || p->since > time)
		return;
	end_life(s, p, time);
	p->ended = true;
}

/* Where its root is, is looked at now: a program that it becomes may be gone before it is seen. */
static void scan_one(void *ctx, u32 pid)
{
	struct processes *s = ctx;
	struct process *p = newest(s, pid) ? NULL : read_new(s, pid);

	if (p)
		jit__sight(s->env.jits, p->jit);
}

static void find_parent(void *ctx, u32 pid)
{
	struct processes *s = ctx;
	struct process *p = newest(s, pid), *parent;
	u32 from = p && !p->ended ? proc__forked_from(pid) : 0;

	parent = from ? newest(s, from) : NULL;
	if (parent && !parent->ended)
		jit__adopt(s->env.jits, p->jit, parent->jit);
}

void processes__scan(struct processes *s)
{
	proc__each(scan_one, s);
	proc__each(find_parent, s);
}
