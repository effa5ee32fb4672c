// SPDX-License-Identifier: GPL-2.0-only
/* perf_stream.c - samples of a perf ring as records, and what else the kernel writes there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/log.h"
#include "perf_parts.h"

void perf_slot__locate(struct perf_slot *slot)
{
	u64 type = slot->source.attr.sample_type;
	unsigned int at = sizeof(struct perf_event_header) + 8; /* behind IDENTIFIER */

	at += type & PERF_SAMPLE_IP ? 8 : 0;
	slot->at_tid = at;
	slot->at_time = at + 8;
	at += 16;
	at += type & PERF_SAMPLE_ADDR ? 8 : 0;
	at += type & PERF_SAMPLE_ID ? 8 : 0;
	at += type & PERF_SAMPLE_STREAM_ID ? 8 : 0;
	slot->at_cpu = at;
	slot->min_size = at + 8;
}

static size_t id_slot(const struct perf_transport *t, u64 id)
{
	size_t i = id * 0x9e3779b97f4a7c15ull >> 32 & (t->nr_ids - 1);

	while (t->ids[i].id && t->ids[i].id != id)
		i = (i + 1) & (t->nr_ids - 1);
	return i;
}

struct perf_slot *perf_ids__find(const struct perf_transport *t, u64 id)
{
	size_t i;

	if (!t->nr_ids || !id)
		return NULL;
	i = id_slot(t, id);
	return t->ids[i].id ? t->slots[t->ids[i].slot] : NULL;
}

/* Twice as many places as events, so that a search is short. */
int perf_ids__build(struct perf_transport *t)
{
	size_t n = 16, i;

	while (n < 2 * t->nr_fds)
		n *= 2;
	free(t->ids);
	t->nr_ids = 0;
	t->ids = calloc(n, sizeof(*t->ids));
	if (!t->ids)
		return -ENOMEM;
	t->nr_ids = n;
	for (i = 0; i < t->nr_fds; i++)
		t->ids[id_slot(t, t->fds[i].id)] = (struct perf_id){t->fds[i].id, t->fds[i].slot};
	return 0;
}

static struct perf_slot *slot_of(struct perf_stream *s, u64 id)
{
	if (id != s->last_id) {
		s->last_id = id;
		s->last_slot = perf_ids__find(s->t, id);
	}
	return s->last_slot;
}

/* The kernel says -1 of a task that is gone already. */
static u32 visible(u32 id)
{
	return id == (u32)-1 ? 0 : id;
}

static u64 word_at(const struct perf_event_header *h, u32 at)
{
	return *(const u64 *)((const char *)h + at);
}

static u32 half_at(const struct perf_event_header *h, u32 at)
{
	return *(const u32 *)((const char *)h + at);
}

/* @return false: it is not handed on */
static bool take_sample(struct perf_stream *s, const struct perf_event_header *h,
			struct record *rec)
{
	struct perf_slot *slot;

	if (h->size < 16)
		return false;
	slot = slot_of(s, word_at(h, sizeof(*h)));
	if (!slot || h->size < slot->min_size) {
		s->unknown++;
		return false;
	}
	slot->fired++;
	*rec = (struct record){
		.time = word_at(h, slot->at_time),
		.data = h,
		.event = slot->event,
		.size = h->size,
		.tgid = visible(half_at(h, slot->at_tid)),
		.tid = visible(half_at(h, slot->at_tid + 4)),
		.cpu = half_at(h, slot->at_cpu),
	};
	s->last_time = rec->time;
	if (slot->leave_out_own && rec->tgid == s->t->own_tgid) {
		slot->own++;
		return false;
	}
	return perf_slot__passes(slot, s->t->opts.scope, rec);
}

static struct perf_slot *sender(struct perf_stream *s, const struct perf_event_header *h)
{
	return h->size < 16 ? NULL : perf_ids__find(s->t, word_at(h, h->size - 8));
}

static void tell(const struct loss_sink *losses, const struct loss *loss)
{
	if (loss->count && losses && losses->fn)
		losses->fn(losses->ctx, loss);
}

/* The record counts the ring's losses; whose they were only each event's own counter tells. */
static void tell_by_event(struct perf_stream *s, struct loss loss, const struct loss_sink *losses)
{
	u64 lost;
	size_t i;

	for (i = 0; i < s->t->nr_fds; i++) {
		struct perf_fd *f = &s->t->fds[i];

		if (f->cpu != s->cpu)
			continue;
		lost = perf_fd__lost(s->t, f);
		loss.event = s->t->slots[f->slot]->event;
		loss.count = lost > f->lost_told ? lost - f->lost_told : 0;
		f->lost_told += loss.count;
		tell(losses, &loss);
	}
}

static u64 time_of(const struct perf_slot *slot, const struct perf_event_header *h)
{
	struct sample_layout layout;
	struct sample_parts parts;

	if (!slot)
		return 0;
	source__layout(&slot->source.attr, &layout);
	return sample__parse_id(&layout, h, h->size, &parts) ? 0 : parts.time;
}

/* { header; u64 id; u64 lost; sample_id } by the one who found room again. */
static void note_lost(struct perf_stream *s, const struct perf_event_header *h,
		      const struct loss_sink *losses)
{
	struct loss loss = {.cpu = s->cpu, .before = s->last_time};

	if (h->size < 24)
		return;
	loss.after = time_of(sender(s, h), h);
	loss.count = word_at(h, h->type == PERF_RECORD_LOST ? 16 : 8);
	s->lost += loss.count;
	if (!s->only && s->t->features.lost) {
		tell_by_event(s, loss, losses);
		return;
	}
	if (s->only) {
		loss.event = s->only->event;
		s->only->lost_told += loss.count;
	}
	tell(losses, &loss);
}

static void note_throttle(struct perf_stream *s, const struct perf_event_header *h)
{
	struct perf_slot *slot = sender(s, h);

	if (!slot)
		return;
	slot->throttled++;
	log__once(s->t->opts.log, LOG_WARNING,
		  "%s: the kernel holds back samples because they take too much time (sysctls "
		  "kernel.perf_event_max_sample_rate and perf_cpu_time_max_percent)",
		  slot->event->label);
}

static void note(struct perf_stream *s, const struct perf_event_header *h,
		 const struct loss_sink *losses)
{
	switch (h->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		note_lost(s, h, losses);
		break;
	case PERF_RECORD_THROTTLE:
		note_throttle(s, h);
		break;
	}
}

/* Of one event: its counters against what LOST records told. */
static void tell_tail_of_one(struct perf_stream *s, struct loss loss,
			     const struct loss_sink *losses)
{
	u64 lost = 0;
	size_t i;

	for (i = 0; i < s->t->nr_fds; i++)
		if (s->t->fds[i].cpu == s->cpu)
			lost += perf_fd__lost(s->t, &s->t->fds[i]);
	loss.count = lost > s->lost ? lost - s->lost : 0;
	loss.event = s->only->event;
	s->lost += loss.count;
	tell(losses, &loss);
}

/* What LOST records told of events whose reads leave the counter out (read=) is left. */
static void tell_tail_of_many(struct perf_stream *s, struct loss loss,
			      const struct loss_sink *losses)
{
	u64 told = 0;
	size_t i;

	tell_by_event(s, loss, losses);
	for (i = 0; i < s->t->nr_fds; i++)
		if (s->t->fds[i].cpu == s->cpu)
			told += s->t->fds[i].lost_told;
	loss.count = s->lost > told ? s->lost - told : 0;
	tell(losses, &loss);
}

/* What was lost after the last record: no record tells it, only the counters do. */
static void tell_tail(struct perf_stream *s, const struct loss_sink *losses)
{
	struct loss loss = {.cpu = s->cpu, .before = s->last_time};

	s->tail_told = true;
	if (s->only)
		tell_tail_of_one(s, loss, losses);
	else
		tell_tail_of_many(s, loss, losses);
}

/* What was looked at and not handed out goes back with what was handed out before it. */
static void settle(struct perf_stream *s)
{
	if (s->handed_out <= s->ring.released)
		perf_ring__release(&s->ring, s->ring.at);
}

static int peek(struct stream *stream, struct record *out, u64 *ends, int max,
		const struct loss_sink *losses)
{
	struct perf_stream *s = (struct perf_stream *)stream;
	const struct perf_event_header *h;
	int n = 0;

	if (!perf_ring__refresh(&s->ring)) {
		if (s->t->detached && !s->tail_told)
			tell_tail(s, losses);
		return 0;
	}
	while (n < max && (h = perf_ring__next(&s->ring))) {
		if (h->type != PERF_RECORD_SAMPLE)
			note(s, h, losses);
		else if (take_sample(s, h, &out[n]))
			s->handed_out = ends[n++] = s->ring.at;
	}
	if (!n)
		settle(s);
	return n;
}

static void release(struct stream *stream, u64 end)
{
	struct perf_stream *s = (struct perf_stream *)stream;

	perf_ring__release(&s->ring, end);
	settle(s);
}

const struct stream_ops perf_stream_ops = {peek, release};
