/* SPDX-License-Identifier: GPL-2.0-only */
/* pair.bpf.h - intervals: a start is remembered under a key until an end with the same key. */
#ifndef TAMIS_PAIR_BPF_H
#define TAMIS_PAIR_BPF_H

/* Open intervals, at the first of the events that begin them: begins add, ends take away. */
static __always_inline void count_open(u32 i, s64 change)
{
	struct counters *of;

	i += bpf_get_smp_processor_id();
	of = bpf_map_lookup_elem(&counters, &i);
	if (of)
		__sync_fetch_and_add(&of->c[C_OPEN], change);
}

/* Puts the start over @old, or notes that it is the first under its key. */
static __always_inline void overwrite(struct start *old, const struct work *w)
{
	if (old->ts)
		count(C_OVERWRITTEN);
	else
		count_open(PATCHED(IMM_BEGINS), 1);
	*old = w->start;
}

static __always_inline void begin_in_task(struct work *w)
{
	struct start *old = bpf_task_storage_get(&task_starts, bpf_get_current_task_btf(), NULL,
						 BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (old)
		overwrite(old, w);
	else
		count(C_STARTS_FULL);
}

static __always_inline void begin_interval(struct work *w)
{
	struct start *old;
	int err;	/* not long: before 6.4 map operations set only the low 32 bits */

	w->start.ts = bpf_ktime_get_ns();
	if (HAS(F_TASK)) {
		begin_in_task(w);
		return;
	}
	if (HAS(F_REUSE)) {
		old = bpf_map_lookup_elem(&starts, w->key);
		if (old) {
			overwrite(old, w);
			return;
		}
	}
	err = bpf_map_update_elem(&starts, w->key, &w->start, BPF_NOEXIST);
	if (!err) {
		count_open(PATCHED(IMM_BEGINS), 1);
		return;
	}
	if (err == -EEXIST) {
		count(C_OVERWRITTEN);
		err = bpf_map_update_elem(&starts, w->key, &w->start, BPF_ANY);
	}
	if (err)
		count(C_STARTS_FULL);
}

/* Takes the start out; of several ends at once one gets it. */
static __always_inline bool consume(struct start *st, struct work *w)
{
	if (!HAS(F_REUSE | F_TASK))
		return !bpf_map_delete_elem(&ends, w->key);
	st->ts = 0;
	return true;
}

static __always_inline bool end_interval(struct work *w)
{
	struct start *st;

	if (HAS(F_TASK))
		st = bpf_task_storage_get(&task_ends, bpf_get_current_task_btf(), NULL, 0);
	else
		st = bpf_map_lookup_elem(&ends, w->key);
	if (st && st->ts) {
		w->start = *st;
		w->latency = bpf_ktime_get_ns() - w->start.ts;
		if (consume(st, w)) {
			w->flags &= ~(u64)W_OUTSIDE;
			count_open(PATCHED(IMM_STARTS), -1);
			return true;
		}
	}
	if (!(w->flags & W_OUTSIDE))
		count(C_UNMATCHED);
	else if (control.explain)
		count(C_OUT_OF_SCOPE);
	return false;
}

#endif
