/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file ranges.h - names of address ranges where a later range wins for the bytes it covers and
 * an older one stays valid for the rest.
 */
#ifndef TAMIS_SYMBOL_RANGES_H
#define TAMIS_SYMBOL_RANGES_H

#include "../base/types.h"

struct range {
	u64 start;	/**< of the piece that is valid */
	u64 origin;	/**< where the range as it was added starts */
	u32 len;	/**< of the piece */
	u32 name;
};

/** A range that is added and not merged yet. */
struct fresh_range {
	struct range r;
	u32 seq;
};

struct ranges {
	struct range *v; /**< disjoint, sorted */
	size_t n, room;
	struct fresh_range *fresh; /**< in the order they came */
	size_t nr_fresh, fresh_room;
};

/** @len is not 0 and @start + @len does not overflow. @return 0 or -ENOMEM */
int ranges__add(struct ranges *r, u64 start, u32 len, u32 name);
/** @return the piece that covers @addr, valid until the next call; NULL: none */
const struct range *ranges__find(struct ranges *r, u64 addr);
size_t ranges__bytes(const struct ranges *r);
void ranges__free(struct ranges *r);

#endif
