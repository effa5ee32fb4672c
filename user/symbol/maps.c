// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "maps.h"

#define OLD_MAX 256

struct maps *maps__new(void)
{
	struct maps *m = calloc(1, sizeof(*m));

	if (m)
		m->refs = 1;
	return m;
}

static void release(struct file_cache *c, struct mapping *m)
{
	mapped_file__put(c, m->file);
	elf_file__put(m->elf);
}

void maps__put(struct file_cache *c, struct maps *m)
{
	size_t i;

	if (!m || --m->refs)
		return;
	for (i = 0; i < m->n; i++)
		release(c, &m->v[i]);
	for (i = 0; i < m->nr_old; i++)
		release(c, &m->old[i]);
	free(m->v);
	free(m->old);
	free(m);
}

static struct mapping copy_of(const struct mapping *m)
{
	if (m->file)
		mapped_file__ref(m->file);
	if (m->elf)
		elf_file__ref(m->elf);
	return *m;
}

struct maps *maps__since(const struct maps *m, u64 time)
{
	struct maps *copy = maps__new();
	size_t i;

	for (i = 0; copy && i < m->n; i++) {
		struct mapping one;

		if (m->v[i].since < time)
			continue;
		one = copy_of(&m->v[i]);
		if (array__push(copy->v, copy->n, copy->room, one))
			break;
	}
	for (i = 0; copy && !time && i < m->nr_old; i++) {
		struct mapping one = copy_of(&m->old[i]);

		if (array__push(copy->old, copy->nr_old, copy->old_room, one))
			break;
	}
	return copy;
}

static size_t first_behind(const struct maps *m, u64 addr)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->v[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int insert_at(struct maps *m, size_t i, const struct mapping *new)
{
	if (array__push(m->v, m->n, m->room, *new))
		return -ENOMEM;
	memmove(&m->v[i + 1], &m->v[i], (m->n - 1 - i) * sizeof(*m->v));
	m->v[i] = *new;
	return 0;
}

static void remember(struct file_cache *c, struct maps *m, const struct mapping *old, u64 until)
{
	struct mapping copy;

	if (old->kind == MAPPING_ANON)
		return;
	if (m->nr_old == OLD_MAX) {
		release(c, &m->old[0]);
		memmove(m->old, m->old + 1, --m->nr_old * sizeof(*m->old));
	}
	copy = copy_of(old);
	copy.until = until;
	if (array__push(m->old, m->nr_old, m->old_room, copy))
		release(c, &copy);
}

/* Cuts [start, end) out of the mapping at @i. @return how far to go on in the array; -ENOMEM */
static ssize_t cut(struct file_cache *c, struct maps *m, size_t i, u64 start, u64 end)
{
	struct mapping *old = &m->v[i], tail;

	if (old->start < start && old->end > end) {
		tail = copy_of(old);
		tail.offset += end - tail.start;
		tail.start = end;
		old->end = start;
		if (insert_at(m, i + 1, &tail)) {
			release(c, &tail);
			return -ENOMEM;
		}
		return i + 1;
	}
	if (old->start < start) {
		old->end = start;
		return i + 1;
	}
	if (old->end > end) {
		old->offset += end - old->start;
		old->start = end;
		return i;
	}
	release(c, old);
	memmove(old, old + 1, (--m->n - i) * sizeof(*old));
	return i;
}

static bool same_thing(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->kind == b->kind &&
	       a->file == b->file && a->offset == b->offset;
}

static int make_own(struct file_cache *c, struct maps **maps)
{
	struct maps *copy;

	if ((*maps)->refs == 1)
		return 0;
	copy = maps__since(*maps, 0);
	if (!copy)
		return -ENOMEM;
	maps__put(c, *maps);
	*maps = copy;
	return 0;
}

int maps__add(struct file_cache *c, struct maps **maps, const struct mapping *new)
{
	struct mapping add = *new;
	struct maps *m;
	ssize_t i;

	i = first_behind(*maps, add.start);
	if ((size_t)i < (*maps)->n && same_thing(&(*maps)->v[i], &add)) {
		release(c, &add);
		return 0;
	}
	if (make_own(c, maps)) {
		release(c, &add);
		return -ENOMEM;
	}
	m = *maps;
	while (i >= 0 && (size_t)i < m->n && m->v[i].start < add.end) {
		remember(c, m, &m->v[i], add.since);
		i = cut(c, m, i, add.start, add.end);
	}
	if (i < 0 || insert_at(m, i, &add)) {
		release(c, &add);
		return -ENOMEM;
	}
	return 0;
}

static struct mapping *find_old(struct maps *m, u64 addr, u64 time)
{
	size_t i;

	for (i = m->nr_old; i--;) {
		struct mapping *o = &m->old[i];

		if (addr >= o->start && addr < o->end && time >= o->since && time < o->until)
			return o;
	}
	return NULL;
}

struct mapping *maps__find(struct maps *m, u64 addr, u64 time)
{
	size_t i = first_behind(m, addr);
	struct mapping *now = NULL, *then = NULL;

	if (i < m->n && m->v[i].start <= addr)
		now = &m->v[i];
	if (!now || time < now->since)
		then = find_old(m, addr, time);
	return then ? then : now;
}
