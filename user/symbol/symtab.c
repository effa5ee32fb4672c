// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "demangle.h"
#include "strpool.h"
#include "symtab.h"

/* While filling, the top bit of a rank says that the size was guessed. */
#define GUESSED 0x80

static int add_text(struct symtab *t, const char *s, size_t len)
{
	if (t->text_len + len + 1 > UINT32_MAX)
		return -ENOMEM;
	while (t->text_len + len + 1 > t->text_room) {
		size_t want = t->text_room ? t->text_room * 2 : 4096;
		char *p = realloc(t->text, want);

		if (!p)
			return -ENOMEM;
		t->text = p;
		t->text_room = want;
	}
	memcpy(t->text + t->text_len, s, len);
	t->text[t->text_len + len] = 0;
	t->text_len += len + 1;
	return 0;
}

int symtab__add(struct symtab *t, u64 start, u64 size, u64 limit, const char *name, size_t len,
		enum binding binding)
{
	struct sym s = {.start = start, .name = t->text_len};
	u64 room = limit > start ? limit - start : 0;
	size_t nr_rank = t->n;
	u8 rank = binding | (size ? 0 : GUESSED);

	if (!size)
		size = room;
	if (!size || start + size < start)
		return 0;
	s.size = size < UINT32_MAX ? size : UINT32_MAX;
	if (array__push(t->rank, nr_rank, t->rank_room, rank))
		return -ENOMEM;
	if (add_text(t, name, len))
		return -ENOMEM;
	return array__push(t->v, t->n, t->room, s);
}

static size_t underscores(const char *s)
{
	return strspn(s, "_");
}

/* Is a a better name than b? The order of perf's choose_best_symbol(), which its users know. */
static bool better(const struct symtab *t, size_t a, size_t b)
{
	const char *x = t->text + t->v[a].name, *y = t->text + t->v[b].name;
	u8 p = t->rank[a], q = t->rank[b];

	if ((p ^ q) & GUESSED)
		return q & GUESSED;
	if (p != q)
		return p > q;
	if (underscores(x) != underscores(y))
		return underscores(x) < underscores(y);
	return strlen(x) > strlen(y);
}

struct order {
	u64 start;
	u32 at;
};

static int by_start(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Of the symbols order[from] to order[to - 1], which start together, the one with the best name. */
static size_t best_of(const struct symtab *t, const struct order *order, size_t from, size_t to)
{
	size_t best = order[from++].at;

	for (; from < to; from++)
		if (better(t, order[from].at, best))
			best = order[from].at;
	return best;
}

static size_t same_start(const struct order *order, size_t n, size_t from)
{
	size_t to = from;

	while (to < n && order[to].start == order[from].start)
		to++;
	return to;
}

/*
 * Writes the symbols that stay to @out, sorted; a guessed size ends at the next symbol. A label
 * inside of a function that says its size is no name for the rest of that function.
 */
static size_t pick(const struct symtab *t, const struct order *order, struct sym *out)
{
	size_t i, next, n = 0;
	u64 sized = 0;

	for (i = 0; i < t->n; i = next) {
		size_t best;

		next = same_start(order, t->n, i);
		best = best_of(t, order, i, next);
		out[n] = t->v[best];
		if (!(t->rank[best] & GUESSED)) {
			if (out[n].start + out[n].size > sized)
				sized = out[n].start + out[n].size;
		} else if (out[n].start < sized) {
			continue;
		} else if (next < t->n && order[next].start - out[n].start < out[n].size) {
			out[n].size = order[next].start - out[n].start;
		}
		n++;
	}
	return n;
}

static int set_reach(struct symtab *t)
{
	u64 reach = 0;
	size_t i;

	t->reach = calloc(t->n ? t->n : 1, sizeof(*t->reach));
	if (!t->reach)
		return -ENOMEM;
	for (i = 0; i < t->n; i++) {
		u64 end = t->v[i].start + t->v[i].size;

		reach = end > reach ? end : reach;
		t->reach[i] = reach;
	}
	return 0;
}

int symtab__sort(struct symtab *t)
{
	struct order *order = calloc(t->n ? t->n : 1, sizeof(*order));
	struct sym *out = calloc(t->n ? t->n : 1, sizeof(*out));
	size_t i;

	if (!order || !out) {
		free(order);
		free(out);
		return -ENOMEM;
	}
	for (i = 0; i < t->n; i++)
		order[i] = (struct order){t->v[i].start, i};
	qsort(order, t->n, sizeof(*order), by_start);
	t->n = pick(t, order, out);
	free(order);
	free(t->v);
	free(t->rank);
	t->v = out;
	t->room = t->n;
	t->rank = NULL;
	return set_reach(t);
}

const struct sym *symtab__find(const struct symtab *t, u64 addr)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo && t->reach[lo - 1] > addr; lo--)
		if (addr - t->v[lo - 1].start < t->v[lo - 1].size)
			return &t->v[lo - 1];
	return NULL;
}

const char *symtab__name(struct symtab *t, const struct sym *s, struct strpool *pool, bool raw)
{
	const char *name = t->text + s->name, **slot;
	char *readable;

	if (!t->shown)
		t->shown = calloc(t->n, sizeof(*t->shown));
	if (!t->shown)
		return strpool__intern(pool, name);
	slot = &t->shown[s - t->v];
	if (*slot)
		return *slot;
	readable = raw ? NULL : demangle(name);
	*slot = strpool__intern(pool, readable ? readable : name);
	free(readable);
	return *slot;
}

size_t symtab__bytes(const struct symtab *t)
{
	return t->n * (sizeof(*t->v) + sizeof(*t->reach)) + t->text_room +
	       (t->shown ? t->n * sizeof(*t->shown) : 0);
}

void symtab__free(struct symtab *t)
{
	free(t->v);
	free(t->rank);
	free(t->reach);
	free(t->text);
	free(t->shown);
	*t = (struct symtab){0};
}
