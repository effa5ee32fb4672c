// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include "perf_map.h"

#define LINE_LEN_MAX (NAME_MAX_LEN + 64)

int perf_map__init(struct perf_map *m)
{
	*m = (struct perf_map){.names = strpool__new()};
	return m->names ? 0 : -ENOMEM;
}

void perf_map__fini(struct perf_map *m)
{
	ranges__free(&m->ranges);
	strpool__free(m->names);
	m->names = NULL;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Reads a number and the blanks behind it. NULL: not a number, or wider than 64 bits. */
static const char *parse_hex(const char *p, const char *end, u64 *value)
{
	const char *first;
	u64 v = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (first = p; p < end && hex_digit(*p) >= 0; p++) {
		if (v >> 60)
			return NULL;
		v = v << 4 | hex_digit(*p);
	}
	if (p == first || p == end || !is_blank(*p))
		return NULL;
	while (p < end && is_blank(*p))
		p++;
	*value = v;
	return p;
}

/* @return 1: taken, 0: not a line of a map, -ENOMEM */
static int take_line(struct perf_map *m, const char *p, const char *end)
{
	u64 start, size;
	u32 name;

	while (p < end && is_blank(*p))
		p++;
	if (p < end && end[-1] == '\r')
		end--;
	p = parse_hex(p, end, &start);
	p = p ? parse_hex(p, end, &size) : NULL;
	if (!p || p == end || memchr(p, 0, end - p))
		return 0;
	if (!size || size > UINT32_MAX || start + size < start)
		return 0;
	if (m->ranges.n + m->ranges.nr_fresh >= PERF_MAP_RANGES_MAX)
		return 0;
	name = strpool__id(m->names, p, end - p);
	if (!name || ranges__add(&m->ranges, start, size, name))
		return -ENOMEM;
	return 1;
}

static int count_line(struct perf_map *m, const char *p, const char *end)
{
	int ret;

	/* A writer that lost its place in a truncated file leaves a hole of NULs. */
	if (p < end && !*p) {
		m->bad_lines++;
		while (p < end && !*p)
			p++;
		if (p == end)
			return 0;
	}
	ret = take_line(m, p, end);
	if (ret > 0)
		m->lines++;
	else if (!ret)
		m->bad_lines++;
	return ret < 0 ? ret : 0;
}

long perf_map__feed(struct perf_map *m, const char *buf, size_t len)
{
	const char *p = buf, *end = buf + len, *nl;

	while (p < end && (nl = memchr(p, '\n', end - p))) {
		if (!m->skipping && nl - p <= LINE_LEN_MAX) {
			if (count_line(m, p, nl))
				return -ENOMEM;
		} else if (!m->skipping) {
			m->bad_lines++;
		}
		m->skipping = false;
		p = nl + 1;
	}
	if (!m->skipping && end - p > LINE_LEN_MAX) {
		m->bad_lines++;
		m->skipping = true;
	}
	return m->skipping ? end - buf : p - buf;
}

const char *perf_map__find(struct perf_map *m, u64 addr, u64 *start)
{
	const struct range *r = ranges__find(&m->ranges, addr);

	if (!r)
		return NULL;
	*start = r->origin;
	return strpool__str(m->names, r->name);
}

size_t perf_map__bytes(const struct perf_map *m)
{
	return ranges__bytes(&m->ranges) + strpool__bytes(m->names);
}
