// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "order.h"

#define LANE_MAX 65536 /* records of one stream that wait; the rest stays unseen in the ring */

struct waiting {
	struct record rec;
	u64 seq;	/* of the record in its stream, from 0 */
};

/*
 * One stream. Records are peeked in the order of their bytes and wait in the order of their times;
 * bytes are released in the order of the bytes, up to the first record that still waits.
 */
struct lane {
	struct stream *stream;
	struct waiting *v;	/* ring of LANE_MAX, sorted by time from @head */
	u64 *ends;		/* by seq, modulo LANE_MAX: the position that releases it */
	bool *done;		/* by seq, modulo LANE_MAX: taken */
	u32 head, n;
	u64 next_seq, first_held;
};

struct order {
	u64 window, last;
	struct lane *lanes;
	size_t nr, room;
};

struct order *order__new(u64 window)
{
	struct order *o = calloc(1, sizeof(*o));

	if (o)
		o->window = window;
	return o;
}

static void lane__free(struct lane *l)
{
	free(l->v);
	free(l->ends);
	free(l->done);
}

void order__free(struct order *o)
{
	size_t i;

	if (!o)
		return;
	for (i = 0; i < o->nr; i++)
		lane__free(&o->lanes[i]);
	free(o->lanes);
	free(o);
}

int order__add(struct order *o, struct stream *s)
{
	struct lane l = {.stream = s};

	l.v = malloc(LANE_MAX * sizeof(*l.v));
	l.ends = malloc(LANE_MAX * sizeof(*l.ends));
	l.done = calloc(LANE_MAX, sizeof(*l.done));
	if (!l.v || !l.ends || !l.done || array__push(o->lanes, o->nr, o->room, l)) {
		lane__free(&l);
		return -ENOMEM;
	}
	return 0;
}

static struct waiting *at(struct lane *l, u32 i)
{
	return &l->v[(l->head + i) % LANE_MAX];
}

/* Nearly always the newest, so from the end. */
static void lane__insert(struct lane *l, const struct record *rec, u64 end)
{
	u32 i = l->n++;

	while (i && at(l, i - 1)->rec.time > rec->time) {
		*at(l, i) = *at(l, i - 1);
		i--;
	}
	*at(l, i) = (struct waiting){.rec = *rec, .seq = l->next_seq};
	l->ends[l->next_seq % LANE_MAX] = end;
	l->done[l->next_seq % LANE_MAX] = false;
	l->next_seq++;
}

static int lane__gather(struct lane *l, const struct loss_sink *losses)
{
	struct record recs[64];
	u64 ends[64];
	int total = 0, n, i;

	/* seq numbers that are held must not meet in ends[] and done[] */
	while (l->next_seq - l->first_held + ARRAY_SIZE(recs) <= LANE_MAX) {
		n = l->stream->ops->peek(l->stream, recs, ends, ARRAY_SIZE(recs), losses);
		for (i = 0; i < n; i++)
			lane__insert(l, &recs[i], ends[i]);
		total += n > 0 ? n : 0;
		if (n < (int)ARRAY_SIZE(recs))
			break;
	}
	return total;
}

int order__gather(struct order *o, const struct loss_sink *losses)
{
	int total = 0;
	size_t i;

	for (i = 0; i < o->nr; i++)
		total += lane__gather(&o->lanes[i], losses);
	return total;
}

static struct lane *oldest(struct order *o)
{
	struct lane *best = NULL;
	size_t i;

	for (i = 0; i < o->nr; i++) {
		struct lane *l = &o->lanes[i];

		if (l->n && (!best || at(l, 0)->rec.time < at(best, 0)->rec.time))
			best = l;
	}
	return best;
}

/* A full lane cannot wait for the window: what it still hides would never be seen. */
static bool lane__full(const struct lane *l)
{
	return l->next_seq - l->first_held + 64 > LANE_MAX;
}

static u64 horizon(const struct order *o, u64 now)
{
	size_t i;

	for (i = 0; i < o->nr; i++)
		if (lane__full(&o->lanes[i]))
			return UINT64_MAX;
	if (now == UINT64_MAX)
		return now;
	return now > o->window ? now - o->window : 0;
}

static void take_first(struct lane *l)
{
	l->done[at(l, 0)->seq % LANE_MAX] = true;
	l->head = --l->n ? (l->head + 1) % LANE_MAX : 0;
}

int order__take(struct order *o, u64 now, struct record *out, int max)
{
	u64 until = horizon(o, now);
	struct lane *l;
	int n = 0;

	while (n < max && (l = oldest(o))) {
		const struct record *rec = &at(l, 0)->rec;

		if (rec->time > until)
			break;
		out[n] = *rec;
		if (rec->time < o->last)
			out[n].flags |= RECORD_LATE;
		else
			o->last = rec->time;
		n++;
		take_first(l);
	}
	return n;
}

static void lane__release(struct lane *l)
{
	u64 seq = l->first_held;

	while (seq < l->next_seq && l->done[seq % LANE_MAX])
		seq++;
	if (seq == l->first_held)
		return;
	l->stream->ops->release(l->stream, l->ends[(seq - 1) % LANE_MAX]);
	l->first_held = seq;
}

void order__release(struct order *o)
{
	size_t i;

	for (i = 0; i < o->nr; i++)
		lane__release(&o->lanes[i]);
}

size_t order__pending(const struct order *o)
{
	size_t n = 0, i;

	for (i = 0; i < o->nr; i++)
		n += o->lanes[i].n;
	return n;
}
