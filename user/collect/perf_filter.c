// SPDX-License-Identifier: GPL-2.0-only
/* perf_filter.c - what of the filter and the scope is left for user space on the perf transport. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/log.h"
#include "../filter/eval.h"
#include "../filter/tracefs_string.h"
#include "perf_parts.h"

/* What the perf transport's samples carry of a task; the rest only BPF can read. */
#define CAN_CARRY (1u << EXTRA_CGROUP | 1u << EXTRA_CONTAINER)

/*
 * User text that is not in memory should pass (spec/events.md). The kernel lets it not match, and
 * user space never has it: on this transport the kernel's way is the nearer one.
 */
static char *in_kernel(const struct perf_slot *slot, const struct expr *filter, struct log *log)
{
	bool inexact = false;
	char *s = NULL;

	if (slot->event->kind == SPEC_TRACEPOINT)
		s = tracefs_string(filter, slot->event, &inexact);
	if (s && inexact)
		log__once(log, LOG_NOTICE,
			  "%s: on the perf transport a text that is not in memory does not match",
			  slot->event->label);
	return s;
}

int perf_slot__filter(struct perf_slot *slot, const struct expr *filter, struct log *log,
		      struct err *err)
{
	u32 extras;

	if (!filter)
		return 0;
	slot->kernel_filter = in_kernel(slot, filter, log);
	if (slot->kernel_filter)
		return 0;
	extras = expr__extras(filter);
	if (extras & ~CAN_CARRY)
		return err__set(
			err, EOPNOTSUPP,
			"%s: the filter asks about the task in a way that only BPF can answer "
			"(_comm, _uid, _ppid); it travels by the perf transport here",
			slot->event->label);
	if (extras)
		slot->event->with |= 1 << EXTRA_CGROUP;
	log__once(log, LOG_NOTICE,
		  "%s: the filter runs in user space: the kernel's own filters cannot "
		  "say it",
		  slot->event->label);
	slot->filter = filter;
	return 0;
}

/* The kernel counts off what its own filter accepts; what user space filters it counts itself. */
int perf_slot__thin_out(struct perf_slot *slot, struct err *err)
{
	const struct event_spec *spec = slot->event->spec;

	if (slot->filter && spec->sample > 1)
		slot->sample = spec->sample;
	else if (slot->event->kind == SPEC_TRACEPOINT && spec->sample > 1)
		source__set_period(&slot->source.attr, spec->sample);
	if (!spec->rate)
		return 0;
	slot->nr_rates = sysconf(_SC_NPROCESSORS_CONF);
	slot->rates = calloc(slot->nr_rates, sizeof(*slot->rates));
	return slot->rates ? 0 : err__set(err, ENOMEM, "out of memory");
}

static bool within_rate(struct perf_slot *slot, const struct record *rec)
{
	struct perf_rate *r = &slot->rates[rec->cpu < slot->nr_rates ? rec->cpu : 0];
	u64 second = rec->time / 1000000000;

	if (r->second != second)
		*r = (struct perf_rate){.second = second};
	if (++r->n <= slot->event->spec->rate)
		return true;
	slot->rate_limited++;
	return false;
}

bool perf_slot__passes(struct perf_slot *slot, const struct scope *scope, const struct record *rec)
{
	bool unknown = false;

	if (slot->check && !perf_scope__has(scope, slot->check, rec)) {
		slot->out_of_scope++;
		return false;
	}
	if (slot->filter && !eval__filter(slot->filter, rec, &unknown)) {
		slot->rejected++;
		return false;
	}
	if (slot->sample && ++slot->sampled < slot->sample)
		return false;
	slot->sampled = 0;
	if (slot->rates && !within_rate(slot, rec))
		return false;
	slot->unreadable += unknown;
	return true;
}
