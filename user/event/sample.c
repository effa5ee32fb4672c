// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include "sample.h"

/* The bytes of a record that were not read yet, in words: every part is a multiple of 8. */
struct cursor {
	const u64 *at, *end;
};

static bool take(struct cursor *c, u64 *v)
{
	if (c->at >= c->end)
		return false;
	*v = *c->at++;
	return true;
}

static bool take_pair(struct cursor *c, u32 *a, u32 *b)
{
	u64 v;

	if (!take(c, &v))
		return false;
	memcpy(a, &v, 4);
	memcpy(b, (const char *)&v + 4, 4);
	return true;
}

/* @n words as they are; NULL: not that many are left. */
static const u64 *take_words(struct cursor *c, u64 n)
{
	const u64 *words = c->at;

	if (n > (u64)(c->end - c->at))
		return NULL;
	c->at += n;
	return words;
}

static unsigned int words_of_count(const struct sample_layout *l)
{
	return 1 + !!(l->read_format & PERF_FORMAT_ID) + !!(l->read_format & SAMPLE_FORMAT_LOST);
}

static bool take_times(const struct sample_layout *l, struct sample_parts *p, struct cursor *c)
{
	p->time_enabled = p->time_running = 0;
	if (l->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED && !take(c, &p->time_enabled))
		return false;
	return !(l->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING) || take(c, &p->time_running);
}

/* Alone: value, times, id, lost. In a group: nr, times, then value, id, lost of each. */
static bool part_read(const struct sample_layout *l, struct sample_parts *p, struct cursor *c)
{
	unsigned int words = words_of_count(l);

	if (l->read_format & PERF_FORMAT_GROUP) {
		if (!take(c, &p->read_nr) || !take_times(l, p, c) ||
		    p->read_nr > (u64)(c->end - c->at) / words)
			return false;
		p->read = take_words(c, p->read_nr * words);
		return true;
	}
	p->read_nr = 1;
	p->read = take_words(c, 1);
	return p->read && take_times(l, p, c) && take_words(c, words - 1);
}

struct sample_count sample__count(const struct sample_layout *l, const struct sample_parts *p,
				  u64 i)
{
	unsigned int words = words_of_count(l);
	struct sample_count n = {0};
	const u64 *w;

	if (i >= p->read_nr)
		return n;
	w = p->read + i * words;
	n.value = *w++;
	if (!(l->read_format & PERF_FORMAT_GROUP))
		w += !!(l->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		     !!(l->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (l->read_format & PERF_FORMAT_ID)
		n.id = *w++;
	if (l->read_format & SAMPLE_FORMAT_LOST)
		n.lost = *w;
	return n;
}

static bool part_callchain(const struct sample_layout *l UNUSED, struct sample_parts *p,
			   struct cursor *c)
{
	u64 nr;

	if (!take(c, &nr))
		return false;
	p->callchain = take_words(c, nr);
	p->nr_callchain = nr;
	return p->callchain;
}

static bool part_raw(const struct sample_layout *l UNUSED, struct sample_parts *p, struct cursor *c)
{
	u64 bytes, first;
	const u64 *at = c->at;

	if (!take(c, &first))
		return false;
	memcpy(&p->raw_size, &first, 4);
	p->raw = (const char *)at + 4;
	bytes = p->raw_size <= 4 ? 0 : (u64)p->raw_size - 4;
	return take_words(c, (bytes + 7) / 8);
}

static bool part_branches(const struct sample_layout *l, struct sample_parts *p, struct cursor *c)
{
	const u64 *words;

	p->branch_hw_idx = ~0ull;
	p->branch_counters = NULL;
	if (!take(c, &p->nr_branches))
		return false;
	if (l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX && !take(c, &p->branch_hw_idx))
		return false;
	if (p->nr_branches > (u64)(c->end - c->at) / 3)
		return false;
	words = take_words(c, p->nr_branches * 3);
	p->branches = (const void *)words;
	if (l->branch_type & SAMPLE_BRANCH_COUNTERS) {
		p->branch_counters = take_words(c, p->nr_branches);
		return p->branch_counters;
	}
	return true;
}

static bool take_regs(struct sample_regs *r, u64 mask, struct cursor *c)
{
	r->mask = mask;
	r->words = NULL;
	if (!take(c, &r->abi))
		return false;
	if (r->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	r->words = take_words(c, __builtin_popcountll(mask));
	return r->words;
}

static bool part_regs_user(const struct sample_layout *l, struct sample_parts *p, struct cursor *c)
{
	return take_regs(&p->regs_user, l->regs_user, c);
}

static bool part_regs_intr(const struct sample_layout *l, struct sample_parts *p, struct cursor *c)
{
	return take_regs(&p->regs_intr, l->regs_intr, c);
}

static const void *take_bytes(struct cursor *c, u64 n)
{
	return n > (u64)(c->end - c->at) * 8 ? NULL : take_words(c, (n + 7) / 8);
}

/* Room of a fixed size, then how much of it is stack; no room has no such word. */
static bool part_stack_user(const struct sample_layout *l UNUSED, struct sample_parts *p,
			    struct cursor *c)
{
	u64 room, used = 0;

	if (!take(c, &room))
		return false;
	p->stack_user = take_bytes(c, room);
	if (!p->stack_user || (room && !take(c, &used)))
		return false;
	p->stack_user_size = used < room ? used : room;
	return true;
}

static bool part_aux(const struct sample_layout *l UNUSED, struct sample_parts *p, struct cursor *c)
{
	if (!take(c, &p->aux_size))
		return false;
	p->aux = take_bytes(c, p->aux_size);
	return p->aux;
}

static bool part_tid(const struct sample_layout *l UNUSED, struct sample_parts *p, struct cursor *c)
{
	return take_pair(c, &p->pid, &p->tid);
}

static bool part_cpu(const struct sample_layout *l UNUSED, struct sample_parts *p, struct cursor *c)
{
	u32 reserved;

	return take_pair(c, &p->cpu, &reserved);
}

/* In the order in which the kernel writes them. A part without a function is one u64. */
static const struct part {
	u64 bit;
	const char *name;
	u16 offset;
	bool (*take)(const struct sample_layout *, struct sample_parts *, struct cursor *);
} parts_in_order[] = {
#define WORD(bit, member)                                                               \
	{                                                                               \
		PERF_SAMPLE_##bit, #member, offsetof(struct sample_parts, member), NULL \
	}
	WORD(IDENTIFIER, identifier),
	WORD(IP, ip),
	{PERF_SAMPLE_TID, "tid", 0, part_tid},
	WORD(TIME, time),
	WORD(ADDR, addr),
	WORD(ID, id),
	WORD(STREAM_ID, stream_id),
	{PERF_SAMPLE_CPU, "cpu", 0, part_cpu},
	WORD(PERIOD, period),
	{PERF_SAMPLE_READ, "read", 0, part_read},
	{PERF_SAMPLE_CALLCHAIN, "callchain", 0, part_callchain},
	{PERF_SAMPLE_RAW, "raw", 0, part_raw},
	{PERF_SAMPLE_BRANCH_STACK, "branch_stack", 0, part_branches},
	{PERF_SAMPLE_REGS_USER, "regs_user", 0, part_regs_user},
	{PERF_SAMPLE_STACK_USER, "stack_user", 0, part_stack_user},
	WORD(WEIGHT, weight),
	WORD(WEIGHT_STRUCT, weight),
	WORD(DATA_SRC, data_src),
	WORD(TRANSACTION, transaction),
	{PERF_SAMPLE_REGS_INTR, "regs_intr", 0, part_regs_intr},
	WORD(PHYS_ADDR, phys_addr),
	WORD(CGROUP, cgroup),
	WORD(DATA_PAGE_SIZE, data_page_size),
	WORD(CODE_PAGE_SIZE, code_page_size),
	{PERF_SAMPLE_AUX, "aux", 0, part_aux},
#undef WORD
};

const char *sample__part_name(u64 bit)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts_in_order); i++)
		if (parts_in_order[i].bit == bit)
			return parts_in_order[i].name;
	return NULL;
}

static struct cursor cursor_of(const struct perf_event_header *header, u32 size)
{
	struct cursor c = {(const u64 *)(header + 1), (const u64 *)(header + 1)};

	if (size >= sizeof(*header))
		c.end += (size - sizeof(*header)) / 8;
	return c;
}

int sample__parse_until(const struct sample_layout *layout, const struct perf_event_header *header,
			u32 size, u64 want, struct sample_parts *parts)
{
	struct cursor c = cursor_of(header, size);
	const struct part *p;

	parts->has = 0;
	want &= layout->sample_type;
	for (p = parts_in_order; p < parts_in_order + ARRAY_SIZE(parts_in_order) && want; p++) {
		if (!(layout->sample_type & p->bit))
			continue;
		if (p->take ? !p->take(layout, parts, &c)
			    : !take(&c, (u64 *)((char *)parts + p->offset)))
			return -EINVAL;
		parts->has |= p->bit;
		want &= ~p->bit;
	}
	parts->behind = c.at;
	return 0;
}

int sample__parse(const struct sample_layout *layout, const struct perf_event_header *header,
		  u32 size, struct sample_parts *parts)
{
	return sample__parse_until(layout, header, size, ~0ull, parts);
}

/* The trailer is found from its end, since what stands before it differs by record. */
int sample__parse_id(const struct sample_layout *layout, const struct perf_event_header *header,
		     u32 size, struct sample_parts *parts)
{
	static const u64 order[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
				    PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
				    PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER};
	u64 *const word[] = {NULL, &parts->time,      &parts->id, &parts->stream_id,
			     NULL, &parts->identifier};
	struct cursor c = cursor_of(header, size);
	size_t i, n = 0;

	parts->has = 0;
	for (i = 0; i < ARRAY_SIZE(order); i++)
		n += !!(layout->sample_type & order[i]);
	if (n > (size_t)(c.end - c.at))
		return -EINVAL;
	c.at = c.end - n;
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		if (!(layout->sample_type & order[i]))
			continue;
		if (order[i] == PERF_SAMPLE_TID)
			part_tid(layout, parts, &c);
		else if (order[i] == PERF_SAMPLE_CPU)
			part_cpu(layout, parts, &c);
		else
			take(&c, word[i]);
		parts->has |= order[i];
	}
	return 0;
}
