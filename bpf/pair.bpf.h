/* SPDX-License-Identifier: GPL-2.0-only */
/* pair.bpf.h - intervals: a start is remembered under a key until an end with the same key. */
#ifndef TAMIS_PAIR_BPF_H
#define TAMIS_PAIR_BPF_H

static __always_inline void begin_in_task(struct work *w)
{
	struct start *old = bpf_task_storage_get(&task_starts, bpf_get_current_task_btf(), NULL,
						 BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!old) {
		count(C_STARTS_FULL);
		return;
	}
	if (old->ts)
		count(C_OVERWRITTEN);
	*old = w->start;
}

static __always_inline void begin_interval(struct work *w, u64 flags)
{
	struct start *old;
	int err;	/* not long: before 6.4 map operations set only the low 32 bits */

	w->start.ts = bpf_ktime_get_ns();
	if (flags & F_TASK) {
		begin_in_task(w);
		return;
	}
	if (flags & F_REUSE) {
		old = bpf_map_lookup_elem(&starts, w->key);
		if (old) {
			if (old->ts)
				count(C_OVERWRITTEN);
			*old = w->start;
			return;
		}
	}
	err = bpf_map_update_elem(&starts, w->key, &w->start, BPF_NOEXIST);
	if (err == -EEXIST) {
		count(C_OVERWRITTEN);
		err = bpf_map_update_elem(&starts, w->key, &w->start, BPF_ANY);
	}
	if (err)
		count(C_STARTS_FULL);
}

static __always_inline bool end_interval(struct work *w, u64 flags)
{
	struct start *st;

	if (flags & F_TASK)
		st = bpf_task_storage_get(&task_starts, bpf_get_current_task_btf(), NULL, 0);
	else
		st = bpf_map_lookup_elem(&starts, w->key);
	if (!st || !st->ts) {
		count(C_UNMATCHED);
		return false;
	}
	w->start = *st;
	if (flags & (F_REUSE | F_TASK))
		st->ts = 0;
	else
		bpf_map_delete_elem(&starts, w->key);
	w->latency = bpf_ktime_get_ns() - w->start.ts;
	return true;
}

#endif
