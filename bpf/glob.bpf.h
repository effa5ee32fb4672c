/* SPDX-License-Identifier: GPL-2.0-only */
/* glob.bpf.h - matching text against a pattern: a function that generated code calls. */
#ifndef TAMIS_GLOB_BPF_H
#define TAMIS_GLOB_BPF_H

/*
 * Match @len bytes at @s, ended early by NUL. No branch depends on the pattern, so every iteration
 * looks alike to the verifier. Of a text longer than STR_MAX the rest could decide: then it is
 * unknown, unless a '*' at the end has taken it already.
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
	if (i == STR_MAX && len > STR_MAX && s[STR_MAX] && !(state & g->accept & g->stay))
		return TEXT_UNKNOWN;
	return !!(state & g->accept);
}

#endif
