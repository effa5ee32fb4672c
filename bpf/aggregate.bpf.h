/* SPDX-License-Identifier: GPL-2.0-only */
/* aggregate.bpf.h - events summed up in a map instead of sent. */
#ifndef TAMIS_AGGREGATE_BPF_H
#define TAMIS_AGGREGATE_BPF_H

CALLABLE u64 agg_stats(struct agg_stats *a, u64 v)
{
	ENTRY(FN_AGG_STATS);
	if (!a)
		return 0;
	if (!a->count || (s64)v < (s64)a->min)
		a->min = v;
	if (!a->count || (s64)v > (s64)a->max)
		a->max = v;
	a->count++;
	a->sum += v;
	return 0;
}

CALLABLE u64 agg_log2(struct agg_log2 *h, u64 v)
{
	u32 n = 0;

	ENTRY(FN_AGG_LOG2);
	if (!h)
		return 0;
	if ((s64)v < 0) {
		h->negative++;
		return 0;
	}
	if (v >> 32) { n += 32; v >>= 32; }
	if (v >> 16) { n += 16; v >>= 16; }
	if (v >> 8) { n += 8; v >>= 8; }
	if (v >> 4) { n += 4; v >>= 4; }
	if (v >> 2) { n += 2; v >>= 2; }
	if (v >> 1) { n += 1; v >>= 1; }
	n += v;			/* 0 stays 0, 1 is slot 1 */
	/*
	 * Bounded by a mask that clang cannot see through. It turns a comparison into one of a
	 * 32-bit copy, which 6.1 does not connect to the index.
	 */
	asm volatile("%0 &= 127" : "+r"(n));
	h->slot[n]++;
	return 0;
}

static __always_inline void *agg_map(u64 flags)
{
	u32 sel = 0;

	if (!(flags & F_SWAP))
		return &agg;
	if (flags & F_SELECT)
		sel = control.selector & 1;
	return bpf_map_lookup_elem(&swap, &sel);
}

static __always_inline void aggregate(const void *rec, struct work *w, u64 flags)
{
	void *map, *v, *key = w->key;
	struct scratch *s;

	if (flags & F_BIGKEY) {
		s = get_scratch();
		if (!s)
			return;
		key = s->key;
		w->dst = (u64)key;
	}
	HOLE(MARK_KEY, KEY_ROOM, rec, w);
	if (!HOLE(MARK_VALUE, VALUE_ROOM, rec, w))
		return;
	map = agg_map(flags);
	if (!map)
		return;
	v = bpf_map_lookup_elem(map, key);
	if (!v) {
		/* EEXIST from another CPU is fine: the second lookup finds its element. */
		bpf_map_update_elem(map, key, (void *)zeroes, BPF_NOEXIST);
		v = bpf_map_lookup_elem(map, key);
		if (!v) {
			count(C_AGG_FULL);
			return;
		}
	}
	w->dst = (u64)v;
	HOLE(MARK_UPDATE, UPDATE_ROOM, rec, w);
}

#endif
