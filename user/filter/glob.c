// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include "glob.h"

/* The ']' that closes the class behind @p, which stands behind '['. NULL: '[' is a letter. */
static const char *class_end(const char *p)
{
	if (*p == '^' || *p == '!')
		p++;
	if (*p)
		p++; /* the first may be ']' itself */
	return strchr(p, ']');
}

static const char *class_steps(struct glob *g, const char *p, u64 bit)
{
	const char *end = class_end(p);
	bool invert = *p == '^' || *p == '!', member[256] = {false};

	for (p += invert; p < end; p++) {
		u8 low = *p, high = low;

		if (p[1] == '-' && p + 2 < end) {
			high = p[2];
			p += 2;
		}
		for (int c = low; c <= high; c++)
			member[c] = true;
	}
	for (int c = 1; c < 256; c++)
		if (member[c] != invert)
			g->step[c] |= bit;
	return end;
}

/* Adds the element at @p. @return its last character */
static const char *add_element(struct glob *g, const char *p, u64 bit)
{
	if (*p == '?') {
		for (int c = 1; c < 256; c++)
			g->step[c] |= bit;
		return p;
	}
	if (*p == '[' && class_end(p + 1))
		return class_steps(g, p + 1, bit);
	if (*p == '\\' && p[1])
		p++;
	g->step[(u8)*p] |= bit;
	return p;
}

int glob__compile(struct glob *g, const char *p)
{
	int n = 0;

	memset(g, 0, sizeof(*g));
	for (; *p; p++) {
		if (*p == '*') {
			g->stay |= 1ull << n;
			continue;
		}
		if (n == GLOB_MAX)
			return -E2BIG;
		p = add_element(g, p, 1ull << n);
		n++;
	}
	g->accept = 1ull << n;
	return n;
}

void glob__literal(struct glob *g, const char *text)
{
	int n = 0;

	memset(g, 0, sizeof(*g));
	for (; text[n]; n++)
		g->step[(u8)text[n]] |= 1ull << n;
	g->accept = 1ull << n;
}

static u64 run(const struct glob *g, const char *s, size_t len)
{
	u64 state = 1;

	for (size_t i = 0; i < len && s[i]; i++)
		state = ((state & g->step[(u8)s[i]]) << 1) | (state & g->stay);
	return state;
}

bool glob__match(const struct glob *g, const char *s, size_t len)
{
	return run(g, s, len) & g->accept;
}

int glob__match_cut(const struct glob *g, const char *s, size_t len)
{
	u64 state = run(g, s, len);

	if (state & g->accept & g->stay)
		return 1;
	return state ? TEXT_UNKNOWN : 0;
}

bool glob__is_plain(const char *p, char *out)
{
	for (; *p; p++) {
		if (*p == '*' || *p == '?' || (*p == '[' && class_end(p + 1)))
			return false;
		if (*p == '\\' && p[1])
			p++;
		*out++ = *p;
	}
	*out = 0;
	return true;
}

size_t glob__min_length(const char *p)
{
	size_t n = 0;

	for (; *p; p++) {
		if (*p == '*')
			continue;
		if (*p == '[' && class_end(p + 1))
			p = class_end(p + 1);
		else if (*p == '\\' && p[1])
			p++;
		n++;
	}
	return n;
}
