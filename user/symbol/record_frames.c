// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <string.h>
#include "../event/sample.h"
#include "record_frames.h"
#include "unwind.h"

#define UNWIND_PARTS (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define WORDS_MAX    1024

static bool can_unwind(const struct record *rec, struct sample_parts *parts)
{
	const struct sample_layout *layout = &rec->event->sample;

	if (rec->event->transport != TRANSPORT_PERF ||
	    (layout->sample_type & UNWIND_PARTS) != UNWIND_PARTS)
		return false;
	return !sample__parse(layout, rec->data, rec->size, parts) && parts->regs_user.words &&
	       parts->stack_user;
}

static u32 unwind(struct symbolizer *s, const struct record *rec, const struct sample_parts *parts,
		  u64 *ips, u32 max)
{
	struct unwind_sample u = {
		.time = rec->time,
		.abi = parts->regs_user.abi,
		.mask = parts->regs_user.mask,
		.regs = parts->regs_user.words,
		.stack = parts->stack_user,
		.stack_size = parts->stack_user_size,
	};

	if (!max)
		return 0;
	ips[0] = (u64)PERF_CONTEXT_USER;
	return 1 + symbolizer__unwind(s, rec->tgid, &u, ips + 1, max - 1);
}

/* What the kernel found by frame pointers is worth less than what the tables say. */
static u32 without_user(const u64 *ips, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (ips[i] == (u64)PERF_CONTEXT_USER)
			return i;
	return n;
}

u32 record_frames__chain(struct symbolizer *s, const struct record *rec, u64 *ips, u32 max)
{
	struct sample_parts parts;
	const u64 *chain;
	u32 n = record__callchain(rec, &chain);

	n = n < max ? n : max;
	if (n)
		memcpy(ips, chain, n * sizeof(*ips));
	if (s && can_unwind(rec, &parts)) {
		n = without_user(ips, n);
		n += unwind(s, rec, &parts, ips + n, max - n);
	}
	return n;
}

u32 record_frames__named(struct symbolizer *s, const struct record *rec, struct frame *out, u32 max)
{
	u64 ips[WORDS_MAX];
	u32 n = record_frames__chain(s, rec, ips, max < WORDS_MAX ? max : WORDS_MAX);

	return s ? symbolizer__frames(s, rec->tgid, rec->time, ips, n, out) : 0;
}
