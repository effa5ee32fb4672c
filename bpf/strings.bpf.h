/* SPDX-License-Identifier: GPL-2.0-only */
/* strings.bpf.h - comparing text: functions that generated code calls. */
#ifndef TAMIS_STRINGS_BPF_H
#define TAMIS_STRINGS_BPF_H

#include "glob.bpf.h"

/* Are the @len bytes at @s, ended early by NUL, the wanted text? */
CALLABLE u64 text_equal(const u8 *s, u64 len, const struct wanted *w)
{
	u8 c;
	u32 i;

	if (!s || !w)
		return 0;
	for (i = 0; i < STR_MAX; i++) {
		c = i < len ? s[i] : 0;
		if (c != w->text[i])
			return 0;
		if (!c)
			return 1;
	}
	return 0;
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

/* Bytes of a text that are looked at: one more than are matched, to see that there are more. */
#define TEXT_READ	(STR_MAX + 1)

/* The text that the __data_loc word @loc of @rec describes, in scratch. @return its bytes */
static __always_inline u64 read_dynamic(struct scratch *s, const void *rec, u64 loc)
{
	u64 len = (loc >> 16) & 0xffff;

	if (len > TEXT_READ)
		len = TEXT_READ;
	return bpf_probe_read_kernel(s->str, len, rec + (loc & 0xffff)) ? 0 : len;
}

/* The text at a user address. @return its bytes, below 0: not in memory */
static __always_inline long read_user(struct scratch *s, const void *p)
{
	/* 0 is an empty text on some kernels, which count no NUL there; 1 on others */
	return bpf_probe_read_user_str(s->str, TEXT_READ + 1, p);
}

/* Match the text that the __data_loc word @loc of @rec describes. */
CALLABLE u64 glob_dynamic(const void *rec, u64 loc, const struct glob *g)
{
	struct scratch *s;

	ENTRY(FN_STR_DYNAMIC);
	s = get_scratch();
	if (!s || !rec)
		return 0;
	return glob_match(s->str, read_dynamic(s, rec, loc), g);
}

CALLABLE u64 equal_dynamic(const void *rec, u64 loc, const struct wanted *w)
{
	struct scratch *s;

	ENTRY(FN_EQ_DYNAMIC);
	s = get_scratch();
	if (!s || !rec)
		return 0;
	return text_equal(s->str, read_dynamic(s, rec, loc), w);
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
	len = read_user(s, p);
	if (len < 0)
		return TEXT_UNKNOWN;
	return glob_match(s->str, len, g);
}

CALLABLE u64 equal_user(const void *p, const struct wanted *w)
{
	struct scratch *s;
	long len;

	ENTRY(FN_EQ_USER);
	s = get_scratch();
	if (!s)
		return 0;
	len = read_user(s, p);
	if (len < 0)
		return TEXT_UNKNOWN;
	return text_equal(s->str, len, w);
}

/* A text of the record at @room of the scratch area; of a longer one its first STR_MAX - 1 bytes. */
static __always_inline void read_text(u8 *room, const void *rec, u64 loc)
{
	/* with a NUL that an array which is full does not have */
	u64 size = ((loc >> 16) & 0xffff) + 1;

	room[0] = 0;
	asm volatile("" : "+r"(size)); /* else 6.1 sees the check of a copy */
	if (size > STR_MAX)
		size = STR_MAX;
	bpf_probe_read_kernel_str(room, size, rec + (loc & 0xffff));
}

/* Are two texts of the record equal? Each is described as by a __data_loc word. */
CALLABLE u64 text_same(const void *rec, u64 a, u64 b)
{
	struct scratch *s;
	u32 i;
	u8 c;

	ENTRY(FN_SAME);
	s = get_scratch();
	if (!s || !rec)
		return 0;
	read_text(s->str, rec, a);
	read_text(s->str + STR_MAX, rec, b);
	for (i = 0; i < STR_MAX; i++) {
		c = s->str[i];
		if (c != s->str[STR_MAX + i])
			return 0;
		if (!c)
			return 1;
	}
	return 0;
}

/* Room for 2 * STR_MAX bytes of text. */
CALLABLE u8 *text_room(void)
{
	struct scratch *s;

	ENTRY(FN_TEXT_ROOM);
	s = get_scratch();
	return s ? s->str : 0;
}

CALLABLE u64 count_strict(void)
{
	ENTRY(FN_COUNT_STRICT);
	count(C_STRICT);
	return 0;
}

/* The kernel's copies of text leave what is behind it as it was. No memset() here. */
static __always_inline void clear_key(u64 *key, u64 size)
{
	u64 i;

	for (i = 0; i < KEY_TEXT / 8; i++) {
		if (i >= size / 8)
			break;
		*(volatile u64 *)&key[i] = 0;
	}
}

/*
 * A text as part of a key: @size bytes, padded with zeroes, as equal keys must be equal bytes. It
 * ends with a NUL, so the last byte of a longer one is lost.
 */
CALLABLE u64 key_text(u64 *key, const void *from, u64 size)
{
	ENTRY(FN_KEY_TEXT);
	if (!key)
		return 0;
	clear_key(key, size);
	bpf_probe_read_kernel_str(key, size, from);
	return 0;
}

/* The bytes of @w in front of its first NUL, the others 0; *@ends: is there one? Little endian. */
static __always_inline u64 up_to_nul(u64 w, bool *ends)
{
	u64 nul = (w - 0x0101010101010101ull) & ~w & 0x8080808080808080ull;

	*ends = nul;
	/* only the lowest mark is exact; it is the top bit of the first NUL byte */
	return nul ? w & (((nul & -nul) >> 7) - 1) : w;
}

/*
 * The name of a task as part of a key: what key_text() makes of it, without a call of the kernel.
 * What follows the NUL is not always 0 before 6.2.
 */
CALLABLE u64 key_name(u64 *key, u64 first, u64 last)
{
	bool ends;

	ENTRY(FN_KEY_NAME);
	if (!key)
		return 0;
	first = up_to_nul(first, &ends);
	last = ends ? 0 : up_to_nul(last & 0x00ffffffffffffffull, &ends);
	*(volatile u64 *)&key[0] = first;
	*(volatile u64 *)&key[1] = last;
	return 0;
}

/* The same for a text in user memory; one that cannot be read is KEY_UNREADABLE. */
CALLABLE u64 key_user(u64 *key, const void *from, u64 size)
{
	ENTRY(FN_KEY_USER);
	if (!key)
		return 0;
	clear_key(key, size);
	if (bpf_probe_read_user_str(key, size, from) < 0)
		*key = KEY_UNREADABLE;
	return 0;
}

#endif
