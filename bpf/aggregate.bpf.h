/* SPDX-License-Identifier: GPL-2.0-only */
/* aggregate.bpf.h - events summed up in a map instead of sent. */
#ifndef TAMIS_AGGREGATE_BPF_H
#define TAMIS_AGGREGATE_BPF_H

/*
 * Slot of a log2 histogram: 0 for 0, n for 2^(n-1) <= v < 2^n; of a signed value below 0,
 * LOG2_NEGATIVE + n for the n of its magnitude.
 */
CALLABLE u64 agg_log2(struct agg_log2 *h, u64 v, u64 is_signed)
{
	u32 n = 0;

	ENTRY(FN_AGG_LOG2);
	if (!h)
		return 0;
	if (is_signed && (s64)v < 0) {
		v = -v;
		n = LOG2_NEGATIVE;
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

/*
 * The call chain of one side as part of a key: a number made of its frames, which finds them in
 * the map of stacks. 0: there is no room for it.
 */
CALLABLE u64 key_stack(void *ctx, u64 flags)
{
	u64 h = 1, n = 0, word;
	struct stack_value *v;
	struct scratch *s;
	long len;
	int err;

	ENTRY(FN_KEY_STACK);
	s = get_scratch();
	if (!s || !ctx)
		return 0;
	v = (void *)s->rec;
	len = bpf_get_stack(ctx, v->ips, sizeof(v->ips), stack_flags(flags));
	if (len > 0)
		n = (u64)len / 8;
	v->nr = n;
	for (u32 i = 0; i < STACK_KEY_MAX; i++) {
		if (i >= n)
			break;
		word = v->ips[i];
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	h |= 1;			/* 0 is none */
	if (bpf_map_lookup_elem(&stacks, &h))
		return h;
	err = bpf_map_update_elem(&stacks, &h, v, BPF_NOEXIST);
	if (err && err != -EEXIST) {
		count(C_STACK_FULL);
		return 0;
	}
	return h;
}

static __always_inline void *agg_map(void)
{
	u32 sel;

	if (!HAS(F_SWAP))
		return &agg;
	sel = HAS(F_SELECT) ? control.selector & 1 : 0;
	return bpf_map_lookup_elem(&swap, &sel);
}

static __always_inline void aggregate(const void *rec, struct work *w)
{
	void *map, *v, *key = w->key;
	struct scratch *s;

	if (HAS(F_BIGKEY)) {
		s = get_scratch();
		if (!s)
			return;
		key = s->key;
		w->dst = (u64)key;
	}
	HOLE(MARK_KEY, KEY_ROOM, rec, w);
	if (!HOLE(MARK_VALUE, VALUE_ROOM, rec, w))
		return;
	map = agg_map();
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
