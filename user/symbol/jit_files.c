// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <unistd.h>
#include "../base/clock.h"
#include "../base/array.h"
#include "jit.h"
#include "jit_files.h"

#define FILES_MAX 256
#define BYTES_MAX (512u << 20)
#define NEWS_NS	  100000000ull	/* how long an address may be covered by lines that are outdated */

struct jit_files {
	struct jit_file **v;
	size_t n, room;
	u64 clock;
	size_t bytes;
	u64 lines, bad_lines;
};

struct jit_files *jit_files__new(void)
{
	return calloc(1, sizeof(struct jit_files));
}

void jit_files__free(struct jit_files *s)
{
	if (!s)
		return;
	free(s->v);
	free(s);
}

struct jit_file *jit_file__ref(struct jit_file *f)
{
	f->refs++;
	return f;
}

static void count(struct jit_files *s, struct jit_file *f)
{
	const struct perf_map *m = &f->f->map;
	size_t bytes = perf_map__bytes(m);

	s->bytes += bytes - f->bytes;
	f->bytes = bytes;
	if (m->lines > f->lines)
		s->lines += m->lines - f->lines;
	if (m->bad_lines > f->bad_lines)
		s->bad_lines += m->bad_lines - f->bad_lines;
	f->lines = m->lines;
	f->bad_lines = m->bad_lines;
}

void jit_file__put(struct jit_files *s, struct jit_file *f)
{
	size_t i;

	if (!f || --f->refs)
		return;
	for (i = 0; i < s->n; i++)
		if (s->v[i] == f)
			s->v[i] = s->v[--s->n];
	s->bytes -= f->bytes;
	map_file__put(f->f);
	free(f);
}

static struct jit_file *oldest(const struct jit_files *s, const struct jit_file *not, bool open)
{
	struct jit_file *best = NULL;
	size_t i;

	for (i = 0; i < s->n; i++) {
		struct jit_file *f = s->v[i];

		if (f == not || (open ? f->f->fd < 0 : !f->lines))
			continue;
		if (!best || f->used < best->used)
			best = f;
	}
	return best;
}

static void bound_fds(struct jit_files *s)
{
	struct jit_file *f;

	if (s->n < FILES_MAX)
		return;
	f = oldest(s, NULL, true);
	if (!f)
		return;
	close(f->f->fd);
	f->f->fd = -1;
}

/* What was read can be read again through the descriptor. */
static void bound_bytes(struct jit_files *s, const struct jit_file *in_use)
{
	struct jit_file *f;

	while (s->bytes > BYTES_MAX && (f = oldest(s, in_use, false))) {
		map_file__forget(f->f);
		f->checked = 0;
		count(s, f);
	}
}

struct jit_file *jit_files__add(struct jit_files *s, struct map_file *f)
{
	struct jit_file *jf = calloc(1, sizeof(*jf));

	bound_fds(s);
	if (!jf || array__push(s->v, s->n, s->room, jf)) {
		free(jf);
		map_file__put(f);
		return NULL;
	}
	jf->f = f;
	jf->refs = 1;
	return jf;
}

static void read_news(struct jit_files *s, struct jit_file *f)
{
	f->checked = clock__ns(CLOCK_MONOTONIC_COARSE);
	if (map_file__grow(f->f)) {
		count(s, f);
		bound_bytes(s, f);
	}
}

const char *jit_file__find(struct jit_files *s, struct jit_file *f, u64 addr, bool fresh,
			   u64 *start)
{
	const char *name;

	f->used = ++s->clock;
	if (fresh && clock__ns(CLOCK_MONOTONIC_COARSE) - f->checked > NEWS_NS)
		read_news(s, f);
	name = perf_map__find(&f->f->map, addr, start);
	if (name || !fresh)
		return name;
	read_news(s, f);
	return perf_map__find(&f->f->map, addr, start);
}

void jit_files__stats(const struct jit_files *s, struct jits_stats *stats)
{
	stats->lines = s->lines;
	stats->bad_lines = s->bad_lines;
	stats->bytes = s->bytes;
}
