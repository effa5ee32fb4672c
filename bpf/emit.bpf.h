/* SPDX-License-Identifier: GPL-2.0-only */
/* emit.bpf.h - a record into this CPU's ring. */
#ifndef TAMIS_EMIT_BPF_H
#define TAMIS_EMIT_BPF_H

/* What a record takes in the ring, its own head of 8 bytes included. */
static __always_inline u64 ring_size(u64 size)
{
	return (size + 8 + 7) & ~7ull;
}

/*
 * The reader drains on a timer. It is woken when it sleeps without one, and where as much as the
 * mark is pending: that is asked when a record passes a multiple of the mark, as the question
 * costs something, and a wakeup more than ten records.
 */
static __always_inline u64 wakeup(void *ring, u64 before, u64 size)
{
	u64 mark = PATCHED(IMM_WAKE);

	if (!((before ^ (before + ring_size(size))) & -mark))
		return BPF_RB_NO_WAKEUP;
	if (bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) + ring_size(size) < mark)
		return BPF_RB_NO_WAKEUP;
	return BPF_RB_FORCE_WAKEUP;
}

/* Where a record is in memory, as a number: verifiers let it through memory only. */
static __always_inline u64 address_of(struct record_head *h)
{
	volatile u64 *p = &h->time;

	*p = (u64)h;
	return *p;
}

static __always_inline void fill_head(struct record_head *h, struct counters *mine, u32 cpu)
{
	u64 id = bpf_get_current_pid_tgid();

	h->time = bpf_ktime_get_ns();
	h->tgid = id >> 32;
	h->tid = id;
	h->event = PATCHED(IMM_EVENT);
	h->cpu = cpu;
	h->lost = mine->c[C_RING_FULL];
}

/* Wakes without a record, for where the flags of the record were decided before it was there. */
static __always_inline void wake_sleeper(void *ring)
{
	void *p;

	if (!control.asleep)
		return;
	control.asleep = 0;
	p = bpf_ringbuf_reserve(ring, 8, 0);
	if (p)
		bpf_ringbuf_discard(p, BPF_RB_FORCE_WAKEUP);
}

/* Sends a record that was reserved in the ring. */
static __always_inline void submit(struct record_head *h, void *ring, u64 at, u64 size)
{
	u64 flags = BPF_RB_FORCE_WAKEUP;

	/* read after the reservation: the reader sees that, or this sees that it sleeps */
	if (control.asleep)
		control.asleep = 0;
	else
		flags = wakeup(ring, at, size);
	bpf_ringbuf_submit(h, flags);
}

/* Sends a record that was built in scratch. */
static __always_inline void output(struct scratch *s, void *ring, struct counters *mine)
{
	struct record_head *h = (void *)s->rec;
	u64 size = s->pos, sent = s->sent;

	BOUND(size, 4 * RECORD_MAX);
	h->size = size;
	h->flags = s->flags;
	h->chain = s->chain / 8;
	s->sent = sent + ring_size(size);
	if (bpf_ringbuf_output(ring, h, size, wakeup(ring, sent, size)))
		count_in(mine, C_RING_FULL);
	else
		wake_sleeper(ring);
}

static __always_inline void emit(const void *rec, struct work *w)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct counters *mine = counters_of(cpu);
	void *ring = bpf_map_lookup_elem(&rings, &cpu);
	u64 size = PATCHED(IMM_SIZE), at = 0;
	struct scratch *s = NULL;
	struct record_head *h;

	if (!ring || !mine)
		return;
	if (HAS(F_DYNAMIC)) {
		s = get_scratch();
		if (!s)
			return;
		s->pos = size;
		s->flags = w->flags;
		s->chain = 0;
		h = (void *)s->rec;
	} else {
		h = bpf_ringbuf_reserve(ring, size, 0);
		if (!h) {
			count_in(mine, C_RING_FULL);
			return;
		}
		at = address_of(h);
		h->size = size;
		h->flags = w->flags;
		h->chain = 0;
	}
	fill_head(h, mine, cpu);
	w->dst = (u64)h;
	HOLE(MARK_COPY, COPY_ROOM, rec, w);
	if (HAS(F_DYNAMIC))
		output(s, ring, mine);
	else
		submit(h, ring, at, size);
}

#endif
