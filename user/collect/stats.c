// SPDX-License-Identifier: GPL-2.0-only
#include "stats.h"

u64 event_stats__lost(const struct event_stats *s)
{
	return s->ring_full + s->missed;
}
