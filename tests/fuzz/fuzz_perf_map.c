// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_perf_map.c - any bytes as a perf map file, offered in pieces as the file would grow. The
 * first byte says how large the pieces are; the rest is the file.
 */
#include <stdint.h>
#include <string.h>
#include "user/symbol/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(struct perf_map *m, u64 addr)
{
	u64 start = 0;
	const char *name = perf_map__find(m, addr, &start);

	if (name && (start > addr || strlen(name) > NAME_MAX_LEN))
		__builtin_trap();
}

/* What covers an address is never wider than a line can say, and pieces never overlap. */
static void check(const struct perf_map *m)
{
	size_t i;

	for (i = 1; i < m->ranges.n; i++)
		if (m->ranges.v[i - 1].start + m->ranges.v[i - 1].len > m->ranges.v[i].start)
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t step, at = 0, end = 0;
	struct perf_map m;

	if (!size || perf_map__init(&m))
		return 0;
	step = 1 + data[0] * 64;
	data++;
	size--;
	while (end < size) {
		long used;

		end = size - end < step ? size : end + step;
		used = perf_map__feed(&m, (const char *)data + at, end - at);
		if (used < 0 || (size_t)used > end - at)
			__builtin_trap();
		at += used;
		look(&m, 0x1000);
		look(&m, 0x7e0000000000);
		look(&m, UINT64_MAX);
	}
	if (!m.ranges.nr_fresh)
		check(&m);
	perf_map__fini(&m);
	return 0;
}
