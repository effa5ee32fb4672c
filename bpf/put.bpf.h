/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * put.bpf.h - the parts of a record whose length is known only when it happens.
 *
 * They are appended to the record in scratch, each aligned to 8. Positions and sizes are bounded
 * by masks and comparisons in assembly, which clang cannot turn into ones of copies that the
 * verifier does not connect to the original.
 */
#ifndef TAMIS_PUT_BPF_H
#define TAMIS_PUT_BPF_H

#define CONTEXT_KERNEL		((u64)-128)	/* PERF_CONTEXT_* */
#define CONTEXT_USER		((u64)-512)

/* x < max, unsigned, in a way that both compilers of it see. */
#define BOUND(x, max) asm volatile("if %0 <= %1 goto +1; %0 = %1" : "+r"(x) : "i"(max))

static __always_inline void put_done(struct scratch *s, u64 slot, u32 word, u64 end)
{
	u64 *last;

	slot &= RECORD_MAX - 1;
	*(u32 *)(s->rec + slot) = word;
	s->pos = (end + 7) & ~7ull;
	/* records compare by their bytes: nothing of an older one may stay in the padding */
	BOUND(end, 2 * RECORD_MAX);
	last = (u64 *)(s->rec + (end & ~7ull));
	*last &= ~(~0ull << (end & 7) * 8);
}

/*
 * Copy the payload that @word of @rec describes, and write the word that says where it is now at
 * @slot of the record. @how: offset of the raw record, PUT_REL. @max: bytes kept of it.
 */
CALLABLE u64 put_dynamic(const void *rec, u64 word, u64 slot, u64 how, u64 max)
{
	u64 len = (word >> 16) & 0xffff, from = word & 0xffff, pos, base = how & 0xffff;
	struct scratch *s;

	ENTRY(FN_PUT_DYNAMIC);
	s = get_scratch();
	if (!s || !rec)
		return 0;
	if (how & PUT_REL) {
		from += slot - base + sizeof(u32);
		base = slot + sizeof(u32);
	}
	pos = s->pos;
	if (pos + max > RECORD_MAX)
		max = pos < RECORD_MAX ? RECORD_MAX - pos : 0;
	if (len > max) {
		len = max;
		s->flags |= RECORD_TRUNCATED;
	}
	BOUND(pos, RECORD_MAX);
	BOUND(len, RECORD_MAX);
	if (bpf_probe_read_kernel(s->rec + pos, len, rec + (from & 0xffff))) {
		len = 0;
		s->flags |= RECORD_UNREADABLE;
	}
	put_done(s, slot, (u32)(pos - base) | (u32)len << 16, pos + len);
	return 0;
}

/* Copy the text at the user address @p and write where it is to the text slot @slot. */
CALLABLE u64 put_user(const void *p, u64 slot, u64 max)
{
	struct scratch *s;
	u64 pos, room;
	long len;

	ENTRY(FN_PUT_USER);
	s = get_scratch();
	if (!s)
		return 0;
	pos = s->pos;
	if (pos + max > RECORD_MAX)
		max = pos < RECORD_MAX ? RECORD_MAX - pos : 0;
	room = max + 2;		/* the NUL, and one more byte to see that there is more */
	BOUND(pos, RECORD_MAX);
	BOUND(room, RECORD_MAX + 2);
	len = bpf_probe_read_user_str(s->rec + pos, room, p);
	if (len < 0) {
		s->flags |= RECORD_UNREADABLE;
		put_done(s, slot, RECORD_NO_TEXT, pos);
		return 0;
	}
	if (len)
		len--;
	if (len > max) {
		len = max;
		s->flags |= RECORD_TRUNCATED;
	}
	put_done(s, slot, (u32)pos | (u32)len << 16, pos + len);
	return 0;
}

/* Append one side of the call chain, at most @max frames of it. */
CALLABLE u64 put_chain(void *ctx, u64 max, u64 flags)
{
	struct scratch *s;
	u64 pos, size;
	long len;

	ENTRY(FN_PUT_CHAIN);
	s = get_scratch();
	if (!s || !ctx)
		return 0;
	pos = s->pos;
	if (!s->chain)
		s->chain = pos;
	BOUND(pos, 4 * RECORD_MAX - 16);
	*(u64 *)(s->rec + pos) = flags & BPF_USER_STACK ? CONTEXT_USER : CONTEXT_KERNEL;
	pos += 8;
	size = (max + 1) * 8;	/* one more, to see that there is more */
	BOUND(size, (CHAIN_WORDS + 1) * 8);
	len = bpf_get_stack(ctx, s->rec + pos, size, stack_flags(flags));
	if (len < 0)
		len = 0;
	if (len > max * 8) {
		len = max * 8;
		s->flags |= RECORD_CHAIN_CUT;
	}
	s->pos = pos + len;
	return 0;
}

#endif
