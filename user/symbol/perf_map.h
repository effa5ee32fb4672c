/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file perf_map.h - the lines of a perf map file: START SIZE NAME, start and size hexadecimal.
 *
 * Nothing in the bytes is trusted. Lines that are blank, short, malformed, overflowing or too
 * long are skipped and counted.
 */
#ifndef TAMIS_SYMBOL_PERF_MAP_H
#define TAMIS_SYMBOL_PERF_MAP_H

#include "strpool.h"
#include "ranges.h"

#define PERF_MAP_RANGES_MAX 8000000u	/**< lines of one file that are kept */

struct perf_map {
	struct ranges ranges;
	struct strpool *names;
	u64 lines, bad_lines;
	bool skipping;	/**< inside of a line that is too long */
};

/** @return 0 or -ENOMEM */
int perf_map__init(struct perf_map *m);
void perf_map__fini(struct perf_map *m);
/**
 * Takes the whole lines of @buf. @return bytes that are used up: what is left is the beginning
 * of a line, to be offered again with more behind it. More than a line's greatest length never
 * stays. -ENOMEM: the map is as it was before some line.
 */
long perf_map__feed(struct perf_map *m, const char *buf, size_t len);
/** @return the name that covers @addr, and in @start where it begins; NULL: none */
const char *perf_map__find(struct perf_map *m, u64 addr, u64 *start);
size_t perf_map__bytes(const struct perf_map *m);

#endif
