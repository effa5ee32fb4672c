// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../event/event.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"
#include "bpf_state.h"

static u32 max_stack(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	u32 n;

	return f && fscanf(f, "%u", &n) == 1 ? n : 0;
}

int bpf_transport__open(struct bpf_transport **ret, const struct bpf_transport_opts *opts,
			struct err *err)
{
	struct bpf_transport *t = calloc(1, sizeof(*t));
	int code;

	if (!t)
		return err__set(err, ENOMEM, "out of memory");
	t->opts = *opts;
	t->dispatch[DISPATCH_ENTER] = t->dispatch[DISPATCH_EXIT] = (struct dispatch)DISPATCH_NONE;
	t->max_stack = max_stack();
	code = bpf_template__open(&t->template, err);
	if (code) {
		free(t);
		return code;
	}
	*ret = t;
	return 0;
}

int bpf_transport__add(struct bpf_transport *t, struct event *event, struct err *err)
{
	struct bpf_event be;
	int ret = bpf_event__init(&be, event, &t->opts, &t->types, t->max_stack, err);

	if (!ret && array__push(t->events, t->nr, t->room, be))
		ret = err__set(err, ENOMEM, "out of memory");
	return ret;
}

struct holes *bpf_transport__holes(struct bpf_transport *t, const struct event *event)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->events[i].event == event)
			return &t->events[i].holes;
	return NULL;
}

int bpf_transport__attach(struct bpf_transport *t, struct err *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < t->nr && !ret; i++)
		ret = bpf_event__attach(&t->events[i], err);
	for (i = 0; i < DISPATCH_POINTS && !ret; i++)
		if (t->dispatch[i].fd >= 0)
			ret = dispatch__attach(&t->dispatch[i], err);
	if (ret)
		bpf_transport__detach(t, NULL, NULL);
	return ret;
}

static size_t attached(struct bpf_transport *t, struct attachment **list)
{
	size_t i, n = 0;

	for (i = 0; i < t->nr; i++)
		if (attach__is(&t->events[i].attachment))
			list[n++] = &t->events[i].attachment;
	return n;
}

void bpf_transport__detach(struct bpf_transport *t, void (*progress)(void *ctx, int left),
			   void *ctx)
{
	_cleanup_free_ struct attachment **list = calloc(t->nr + 1, sizeof(*list));
	size_t i;

	for (i = 0; i < DISPATCH_POINTS; i++)
		attach__detach(&t->dispatch[i].attachment);
	if (list)
		attach__detach_all(list, attached(t, list), progress, ctx);
	for (i = 0; i < t->nr; i++)
		bpf_event__detach(&t->events[i]); /* without memory for the list */
	if (t->rings.nr)
		attach__wait_by_map(t->template.rings, bpf_ring__fd(t->rings.ring[0]));
	for (i = 0; i < (size_t)t->rings.nr; i++)
		bpf_ring__last(t->rings.ring[i]);
}

void bpf_transport__close(struct bpf_transport *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->nr; i++)
		bpf_event__free(&t->events[i]);
	free(t->events);
	for (i = 0; i < DISPATCH_POINTS; i++)
		dispatch__close(&t->dispatch[i]);
	kernel_types__free(&t->types);
	bpf_rings__close(&t->rings);
	counter_map__close(&t->counters);
	if (t->scratch > 0)
		close(t->scratch);
	free(t->by_index.event);
	free(t->by_index.stats);
	bpf_template__close(&t->template);
	free(t);
}

int bpf_transport__fd(const struct bpf_transport *t)
{
	return t->rings.epoll;
}

bool bpf_transport__sleeping(struct bpf_transport *t, bool asleep)
{
	__atomic_store_n(&t->template.control->asleep, asleep, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!asleep || bpf_rings__quiet(&t->rings))
		return true;
	__atomic_store_n(&t->template.control->asleep, 0, __ATOMIC_RELAXED);
	return false;
}

size_t bpf_transport__nr_streams(const struct bpf_transport *t)
{
	return t->rings.nr;
}

struct stream *bpf_transport__stream(struct bpf_transport *t, size_t i)
{
	return bpf_ring__stream(t->rings.ring[i]);
}

void bpf_transport__stats(struct bpf_transport *t, const struct event *event,
			  struct event_stats *stats)
{
	const struct event_stats *seen;
	size_t i;

	if (!t->counters.at || event->index >= t->by_index.nr)
		return;
	seen = &t->by_index.stats[event->index];
	stats->delivered += seen->delivered;
	stats->cut += seen->cut;
	stats->unreadable += seen->unreadable;
	counter_map__add(&t->counters, event->index, stats);
	for (i = 0; i < t->nr; i++)
		if (t->events[i].event == event)
			stats->missed += bpf_event__missed(&t->events[i]);
}

void bpf_transport__explain(struct bpf_transport *t, bool on)
{
	__atomic_store_n(&t->template.control->explain, on, __ATOMIC_RELAXED);
}

volatile struct control *bpf_transport__control(const struct bpf_transport *t)
{
	return t->template.control;
}

int bpf_transport__task_map(const struct bpf_transport *t)
{
	return t->template.task_starts;
}
