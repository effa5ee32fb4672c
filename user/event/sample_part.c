// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <string.h>
#include "sample_part.h"

#define FORMAT_LOST (1u << 4) /* PERF_FORMAT_LOST, since Linux 6.0 */

/* What is left of the sample; every step is checked against it. */
struct rest {
	const u8 *p, *end;
};

static u64 peek(const struct rest *r, u64 at)
{
	u64 word = 0;

	if (at + sizeof(word) <= (u64)(r->end - r->p))
		memcpy(&word, r->p + at, sizeof(word));
	return word;
}

static u64 words(u64 mask)
{
	return 8ull * __builtin_popcountll(mask);
}

/* Counts come from the record: a silly one saturates, so that the caller sees a part too long. */
static u64 counted(u64 nr, u64 each, u64 head)
{
	return nr > UINT32_MAX ? UINT32_MAX : nr * each + head;
}

static u64 size_of_read(u64 format, const struct rest *r)
{
	u64 times = words(format &
			  (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	u64 counter = 8 + words(format & (PERF_FORMAT_ID | FORMAT_LOST));

	if (format & PERF_FORMAT_GROUP)
		return counted(peek(r, 0), counter, 8 + times);
	return counter + times;
}

static u64 size_of_raw(const struct rest *r)
{
	return (u64)(u32)peek(r, 0) + sizeof(u32);
}

static u64 size_of_branches(u64 branch_type, const struct rest *r)
{
	u64 index = branch_type & PERF_SAMPLE_BRANCH_HW_INDEX ? 8 : 0;

	return counted(peek(r, 0), sizeof(struct perf_branch_entry), 8 + index);
}

/* size, bytes, and how many of them are valid unless there are none */
static u64 size_of_stack(const struct rest *r)
{
	u64 size = peek(r, 0);

	return size ? counted(size, 1, 16) : 8;
}

static u64 size_of_regs(u64 mask, const struct rest *r)
{
	return 8 + (peek(r, 0) ? words(mask) : 0);
}

static u64 size_of_part(const struct sample_layout *l, u64 bit, const struct rest *r)
{
	switch (bit) {
	case PERF_SAMPLE_READ:
		return size_of_read(l->read_format, r);
	case PERF_SAMPLE_CALLCHAIN:
		return counted(peek(r, 0), 8, 8);
	case PERF_SAMPLE_RAW:
		return size_of_raw(r);
	case PERF_SAMPLE_BRANCH_STACK:
		return size_of_branches(l->branch_type, r);
	case PERF_SAMPLE_REGS_USER:
		return size_of_regs(l->regs_user, r);
	case PERF_SAMPLE_REGS_INTR:
		return size_of_regs(l->regs_intr, r);
	case PERF_SAMPLE_STACK_USER:
		return size_of_stack(r);
	case PERF_SAMPLE_AUX:
		return counted(peek(r, 0), 1, 8);
	default:
		return 8;
	}
}

/* The order in which the kernel writes them, which is not the order of the bits. */
static const u64 order[] = {
	PERF_SAMPLE_IDENTIFIER,
	PERF_SAMPLE_IP,
	PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,
	PERF_SAMPLE_ADDR,
	PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,
	PERF_SAMPLE_CPU,
	PERF_SAMPLE_PERIOD,
	PERF_SAMPLE_READ,
	PERF_SAMPLE_CALLCHAIN,
	PERF_SAMPLE_RAW,
	PERF_SAMPLE_BRANCH_STACK,
	PERF_SAMPLE_REGS_USER,
	PERF_SAMPLE_STACK_USER,
	PERF_SAMPLE_WEIGHT_TYPE,
	PERF_SAMPLE_DATA_SRC,
	PERF_SAMPLE_TRANSACTION,
	PERF_SAMPLE_REGS_INTR,
	PERF_SAMPLE_PHYS_ADDR,
	PERF_SAMPLE_CGROUP,
	PERF_SAMPLE_DATA_PAGE_SIZE,
	PERF_SAMPLE_CODE_PAGE_SIZE,
	PERF_SAMPLE_AUX,
};

const void *sample_part__find(const struct sample_layout *layout, const void *data, u32 size,
			      u64 bit, u32 *len)
{
	struct rest r = {(const u8 *)data + sizeof(struct perf_event_header),
			 (const u8 *)data + size};
	size_t i;
	u64 n;

	if (size < sizeof(struct perf_event_header) || !(layout->sample_type & bit))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		if (!(layout->sample_type & order[i]))
			continue;
		n = size_of_part(layout, order[i], &r);
		if (n > (u64)(r.end - r.p))
			return NULL;
		if (order[i] & bit) {
			*len = n;
			return r.p;
		}
		r.p += n;
	}
	return NULL;
}
