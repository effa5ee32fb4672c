// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "ranges.h"

#define FRESH_MIN 65536

/*
 * Merging walks addresses upwards over two sorted inputs, the disjoint old ranges and the fresh
 * ones, and keeps what covers the current address in a heap whose top is the latest.
 */
struct merge {
	const struct range *old;
	size_t nr_old, at_old;
	const struct fresh_range *fresh;
	size_t nr_fresh, at_fresh;
	struct fresh_range *heap;
	size_t nr_heap, heap_room;
	struct range *out;
	size_t nr_out, out_room;
};

static int by_start(const void *a, const void *b)
{
	const struct fresh_range *x = a, *y = b;

	if (x->r.start != y->r.start)
		return x->r.start < y->r.start ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int heap_push(struct merge *m, struct fresh_range x)
{
	size_t i, up;

	if (array__push(m->heap, m->nr_heap, m->heap_room, x))
		return -ENOMEM;
	for (i = m->nr_heap - 1; i; i = up) {
		up = (i - 1) / 2;
		if (m->heap[up].seq >= x.seq)
			break;
		m->heap[i] = m->heap[up];
	}
	m->heap[i] = x;
	return 0;
}

static void heap_pop(struct merge *m)
{
	struct fresh_range x = m->heap[--m->nr_heap];
	size_t i = 0, kid;

	while ((kid = 2 * i + 1) < m->nr_heap) {
		if (kid + 1 < m->nr_heap && m->heap[kid + 1].seq > m->heap[kid].seq)
			kid++;
		if (m->heap[kid].seq <= x.seq)
			break;
		m->heap[i] = m->heap[kid];
		i = kid;
	}
	if (m->nr_heap)
		m->heap[i] = x;
}

static u64 next_start(const struct merge *m)
{
	u64 next = UINT64_MAX;

	if (m->at_old < m->nr_old)
		next = m->old[m->at_old].start;
	if (m->at_fresh < m->nr_fresh && m->fresh[m->at_fresh].r.start < next)
		next = m->fresh[m->at_fresh].r.start;
	return next;
}

static int take_starting(struct merge *m, u64 at)
{
	int ret = 0;

	for (; !ret && m->at_old < m->nr_old && m->old[m->at_old].start <= at; m->at_old++)
		ret = heap_push(m, (struct fresh_range){m->old[m->at_old], 0});
	for (; !ret && m->at_fresh < m->nr_fresh && m->fresh[m->at_fresh].r.start <= at;
	     m->at_fresh++)
		ret = heap_push(m, m->fresh[m->at_fresh]);
	return ret;
}

static int emit(struct merge *m, u64 from, u64 to, const struct range *r)
{
	struct range *last = m->nr_out ? &m->out[m->nr_out - 1] : NULL;
	struct range piece = {from, r->origin, to - from, r->name};

	if (last && last->start + last->len == from && last->origin == r->origin &&
	    last->name == r->name) {
		last->len += piece.len;
		return 0;
	}
	return array__push(m->out, m->nr_out, m->out_room, piece);
}

static int sweep(struct merge *m)
{
	u64 at = 0, end, next;
	int ret = 0;

	while (!ret) {
		if (!m->nr_heap) {
			at = next_start(m);
			if (at == UINT64_MAX)
				return 0;
		}
		ret = take_starting(m, at);
		while (m->nr_heap && m->heap[0].r.start + m->heap[0].r.len <= at)
			heap_pop(m);
		if (ret || !m->nr_heap)
			continue;
		end = m->heap[0].r.start + m->heap[0].r.len;
		next = next_start(m);
		if (next < end)
			end = next;
		ret = emit(m, at, end, &m->heap[0].r);
		at = end;
	}
	return ret;
}

static int merge_fresh(struct ranges *r)
{
	struct merge m = {.old = r->v, .nr_old = r->n, .fresh = r->fresh, .nr_fresh = r->nr_fresh};
	int ret;

	qsort(r->fresh, r->nr_fresh, sizeof(*r->fresh), by_start);
	m.out_room = r->n + r->nr_fresh + r->nr_fresh / 4;
	m.out = malloc(m.out_room * sizeof(*m.out));
	ret = m.out ? sweep(&m) : -ENOMEM;
	free(m.heap);
	if (ret) {
		free(m.out);
		return ret;
	}
	free(r->v);
	r->v = m.out;
	r->n = m.nr_out;
	r->room = m.out_room;
	r->nr_fresh = 0;
	if (r->fresh_room > FRESH_MIN) {
		free(r->fresh);
		r->fresh = NULL;
		r->fresh_room = 0;
	}
	return 0;
}

int ranges__add(struct ranges *r, u64 start, u32 len, u32 name)
{
	const struct range *last = r->n ? &r->v[r->n - 1] : NULL;
	struct fresh_range x = {{start, start, len, name}, r->nr_fresh + 1};

	if (!r->nr_fresh && (!last || start >= last->start + last->len))
		return array__push(r->v, r->n, r->room, x.r);
	if (r->nr_fresh >= FRESH_MIN && r->nr_fresh >= r->n / 4 && merge_fresh(r))
		return -ENOMEM;
	x.seq = r->nr_fresh + 1;
	return array__push(r->fresh, r->nr_fresh, r->fresh_room, x);
}

const struct range *ranges__find(struct ranges *r, u64 addr)
{
	size_t lo = 0, hi;

	if (r->nr_fresh && merge_fresh(r))
		return NULL;
	hi = r->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - r->v[lo - 1].start >= r->v[lo - 1].len)
		return NULL;
	return &r->v[lo - 1];
}

size_t ranges__bytes(const struct ranges *r)
{
	return r->room * sizeof(*r->v) + r->fresh_room * sizeof(*r->fresh);
}

void ranges__free(struct ranges *r)
{
	free(r->v);
	free(r->fresh);
	*r = (struct ranges){0};
}
