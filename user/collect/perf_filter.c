// SPDX-License-Identifier: GPL-2.0-only
/* perf_filter.c - what of the filter and the scope is left for user space on the perf transport. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/log.h"
#include "../filter/eval.h"
#include "perf_parts.h"

/* What the perf transport's samples carry of a task; the rest only BPF can read. */
#define CAN_CARRY (1u << EXTRA_CGROUP | 1u << EXTRA_CONTAINER)

int perf_slot__filter(struct perf_slot *slot, struct log *log, struct err *err)
{
	const struct event_spec *spec = slot->event->spec;
	u32 extras;
	int ret;

	if (!spec->filter.s || !*spec->filter.s)
		return 0;
	ret = expr__parse(&slot->filter, slot->event, &spec->filter, EXPR_WANT_INT, NULL, log, err);
	if (ret)
		return ret;
	extras = expr__extras(slot->filter);
	if (extras & ~CAN_CARRY)
		return err__set(err, EOPNOTSUPP,
				"%s: the filter asks about the task in a way that only BPF can answer "
				"(_comm, _uid, _ppid); it travels by the perf transport here",
				slot->event->label);
	if (extras)
		slot->event->with |= 1 << EXTRA_CGROUP;
	return 0;
}

bool perf_slot__passes(struct perf_slot *slot, const struct record *rec)
{
	bool unknown = false;

	if (slot->filter && !eval__filter(slot->filter, rec, &unknown)) {
		slot->rejected++;
		return false;
	}
	slot->unreadable += unknown;
	return true;
}
