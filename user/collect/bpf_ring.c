// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../base/guard.h"
#include "bpf_ring.h"
#include "counters.h"
#include "../../bpf/record.h"

/* What was last seen of an event on this CPU. */
struct seen {
	u64 time;
	u32 lost;
};

/*
 * The kernel maps three parts: the page with the consumer's position, which is ours to write, the
 * page with the producer's, and the data twice in a row, so that no record is in two pieces.
 */
struct bpf_ring {
	struct stream stream; /* first: streams are cast to rings */
	u64 *consumer;
	const u64 *producer;
	const u8 *data;
	u64 mask;
	u64 pos; /* peeked up to here */
	const struct bpf_ring_events *events;
	struct seen *seen;
	size_t size, page;
	int fd;
	u16 cpu;
	bool last;
};

static void tell_loss(struct bpf_ring *r, size_t event, u32 lost, u64 after,
		      const struct loss_sink *losses)
{
	struct seen *seen = &r->seen[event];
	struct loss loss = {
		.event = r->events->event[event],
		.cpu = r->cpu,
		.count = (u32)(lost - seen->lost),
		.before = seen->time,
		.after = after,
	};

	seen->lost = lost;
	if (losses && losses->fn && loss.event)
		losses->fn(losses->ctx, &loss);
}

/* In tamis's own pid namespace: the head's numbers unless the record carries others. */
static void set_ids(struct record *out, const struct record_head *h, const struct event *e)
{
	const u32 *ns;

	out->tgid = h->tgid;
	out->tid = h->tid;
	if (!e->layout.ns_ids)
		return;
	ns = (const u32 *)((const u8 *)h + e->layout.ns_ids);
	out->tgid = ns[0];
	out->tid = ns[1];
}

/* @return false: not a record of this session */
static inline bool view(struct bpf_ring *r, const struct record_head *h, u32 len,
			struct record *out, const struct loss_sink *losses)
{
	struct event_stats *stats;
	struct seen *seen;
	struct event *e;

	if (len < sizeof(*h) || h->event >= r->events->nr || !r->events->event[h->event])
		return false;
	e = r->events->event[h->event];
	seen = &r->seen[h->event];
	if (h->lost != seen->lost)
		tell_loss(r, h->event, h->lost, h->time, losses);
	seen->time = h->time;
	stats = &r->events->stats[h->event];
	stats->delivered++;
	stats->cut += !!(h->flags & RECORD_TRUNCATED);
	stats->unreadable += !!(h->flags & RECORD_UNREADABLE);
	out->time = h->time;
	out->data = h;
	out->event = e;
	out->size = h->size;
	out->cpu = h->cpu;
	out->flags = h->flags;
	set_ids(out, h, e);
	return true;
}

/* Losses behind the last record of an event. */
static void tell_rest(struct bpf_ring *r, const struct loss_sink *losses)
{
	size_t i;
	u32 lost;

	for (i = 0; i < r->events->nr; i++) {
		if (!r->events->event[i])
			continue;
		lost = counter_map__get(r->events->counters, i, r->cpu, C_RING_FULL);
		if (lost != r->seen[i].lost)
			tell_loss(r, i, lost, 0, losses);
	}
	r->last = false;
}

static int ring_peek(struct stream *s, struct record *out, u64 *ends, int max,
		     const struct loss_sink *losses)
{
	struct bpf_ring *r = (struct bpf_ring *)s;
	u64 producer = __atomic_load_n(r->producer, __ATOMIC_ACQUIRE), pos = r->pos;
	const u32 *head;
	u32 len;
	int n = 0;

	while (pos < producer && n < max) {
		head = (const u32 *)(r->data + (pos & r->mask));
		len = __atomic_load_n(head, __ATOMIC_ACQUIRE);
		if (len & BPF_RINGBUF_BUSY_BIT)
			break;
		pos += ((len & ~BPF_RINGBUF_DISCARD_BIT) + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
		if (len & BPF_RINGBUF_DISCARD_BIT)
			continue;
		if (view(r, (const void *)(head + 2), len, &out[n], losses))
			ends[n++] = pos;
	}
	r->pos = pos;
	if (!n && r->last)
		tell_rest(r, losses);
	return n;
}

static void ring_release(struct stream *s, u64 end)
{
	struct bpf_ring *r = (struct bpf_ring *)s;

	__atomic_store_n(r->consumer, end, __ATOMIC_RELEASE);
}

static const struct stream_ops ring_ops = {.peek = ring_peek, .release = ring_release};

static int map_ring(struct bpf_ring *r)
{
	void *p = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	r->consumer = p;
	p = mmap(NULL, r->page + 2 * r->size, PROT_READ, MAP_SHARED, r->fd, r->page);
	if (p == MAP_FAILED)
		return -errno;
	r->producer = p;
	r->data = (const u8 *)p + r->page;
	return 0;
}

int bpf_ring__open(struct bpf_ring **ret, int cpu, size_t size, const struct bpf_ring_events *ev)
{
	struct bpf_ring *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (!r)
		return -ENOMEM;
	*r = (struct bpf_ring){
		.stream.ops = &ring_ops,
		.events = ev,
		.cpu = cpu,
		.size = size,
		.mask = size - 1,
		.page = sysconf(_SC_PAGESIZE),
	};
	r->seen = calloc(ev->nr, sizeof(*r->seen));
	r->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "tamis_ring", 0, 0, size, NULL);
	if (r->fd < 0)
		err = -errno;
	else if (r->seen)
		err = map_ring(r);
	if (err)
		bpf_ring__close(r);
	else
		*ret = r;
	return err;
}

void bpf_ring__close(struct bpf_ring *r)
{
	if (!r)
		return;
	if (r->producer)
		munmap((void *)r->producer, r->page + 2 * r->size);
	if (r->consumer)
		munmap(r->consumer, r->page);
	if (r->fd >= 0)
		close(r->fd);
	free(r->seen);
	free(r);
}

int bpf_ring__fd(const struct bpf_ring *r)
{
	return r->fd;
}

struct stream *bpf_ring__stream(struct bpf_ring *r)
{
	return &r->stream;
}

bool bpf_ring__pending(const struct bpf_ring *r)
{
	return __atomic_load_n(r->producer, __ATOMIC_ACQUIRE) != r->pos;
}

void bpf_ring__last(struct bpf_ring *r)
{
	r->last = true;
}
