// SPDX-License-Identifier: GPL-2.0-only
/* perf_lost.c - how many samples of an event its ring had no room for, from the kernel's own
 * counter. */
#include <unistd.h>
#include "perf_parts.h"

#define GROUP_MAX 64

static u64 lost_of_group(const u64 *v, u64 words, u64 format, u64 id)
{
	unsigned int each = 1 + !!(format & PERF_FORMAT_ID) + 1;
	u64 i, at = 1 + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		    !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	for (i = 0; i < v[0] && at + each <= words; i++, at += each)
		if (v[at + 1] == id)
			return v[at + each - 1];
	return 0;
}

u64 perf_fd__lost(const struct perf_transport *t, const struct perf_fd *f)
{
	u64 format = t->slots[f->slot]->source.attr.read_format;
	u64 v[3 + 3 * GROUP_MAX];
	ssize_t n;

	if (!(format & SAMPLE_FORMAT_LOST) || !f->id)
		return 0;
	n = read(f->fd, v, sizeof(v));
	if (n < 16)
		return 0;
	if (format & PERF_FORMAT_GROUP)
		return lost_of_group(v, n / 8, format, f->id);
	return v[n / 8 - 1];
}
