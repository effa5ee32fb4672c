/* SPDX-License-Identifier: GPL-2.0-only */
/* strings.bpf.h - comparing text: functions that generated code calls. */
#ifndef TAMIS_STRINGS_BPF_H
#define TAMIS_STRINGS_BPF_H

/*
 * Match @len bytes at @s (at most STR_MAX, ended early by NUL). No branch depends on the pattern,
 * so every iteration looks alike to the verifier.
 */
CALLABLE u64 glob_match(const u8 *s, u64 len, const struct glob *g)
{
	u64 state, c;
	u32 i;

	ENTRY(FN_GLOB);
	if (!s || !g)
		return 0;
	state = 1;
	for (i = 0; i < STR_MAX; i++) {
		if (i >= len)
			break;
		c = s[i];
		if (!c)
			break;
		state = ((state & g->step[c]) << 1) | (state & g->stay);
		if (!state)
			return 0;
	}
	return !!(state & g->accept);
}

/* Does the text contain the up to 8 bytes @want (masked by @mask)? */
CALLABLE u64 str_contains(const u8 *s, u64 len, u64 want, u64 mask)
{
	u64 window = 0, c;
	u32 i;

	ENTRY(FN_CONTAINS);
	if (!s)
		return 0;
	for (i = 0; i < STR_MAX; i++) {
		if (i >= len)
			break;
		c = s[i];
		if (!c)
			break;
		window = (window << 8) | c;
		if (((window ^ want) & mask) == 0)
			return 1;
	}
	return 0;
}

/* Match the text that the __data_loc word @loc of @rec describes. */
CALLABLE u64 glob_dynamic(const void *rec, u64 loc, const struct glob *g)
{
	struct scratch *s;
	u64 len = (loc >> 16) & 0xffff;

	ENTRY(FN_STR_DYNAMIC);
	s = get_scratch();
	if (!s || !rec)
		return 0;
	if (len > STR_MAX)
		len = STR_MAX;
	if (bpf_probe_read_kernel(s->str, len, rec + (loc & 0xffff)))
		return 0;
	return glob_match(s->str, len, g);
}

/* Match the text at the user address @p. */
CALLABLE u64 glob_user(const void *p, const struct glob *g)
{
	struct scratch *s;
	long len;

	ENTRY(FN_STR_USER);
	s = get_scratch();
	if (!s)
		return 0;
	len = bpf_probe_read_user_str(s->str, STR_MAX, p);
	/* 0 is an empty text on some kernels, which count no NUL there; 1 on others */
	if (len < 0)
		return TEXT_UNKNOWN;
	return glob_match(s->str, len, g);
}

/* A text as part of a key: padded with zeroes, as equal keys must be equal bytes. */
CALLABLE u64 key_dynamic(u64 *key, const void *rec, u64 loc)
{
	int i;

	ENTRY(FN_KEY_DYNAMIC);
	if (!key || !rec)
		return 0;
#pragma unroll
	for (i = 0; i < KEY_TEXT / 8; i++)
		key[i] = 0;
	bpf_probe_read_kernel_str(key, KEY_TEXT, rec + (loc & 0xffff));
	return 0;
}

#endif
