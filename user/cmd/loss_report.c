// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include "loss_report.h"

void loss_report__add(struct loss_report *r, u64 count)
{
	r->pending += count;
	r->total += count;
}

void loss_report__flush(struct loss_report *r, u64 now)
{
	if (!r->pending || (r->said_at && now - r->said_at < 1000000000ull))
		return;
	log__say(r->log, LOG_WARNING, "lost %" PRIu64 " events (total %" PRIu64 ")", r->pending,
		 r->total);
	r->pending = 0;
	r->said_at = now;
}
