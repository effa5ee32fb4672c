// SPDX-License-Identifier: GPL-2.0-only
/* session_processes.c - what processes do during the run, for the names of threads and addresses.
 */
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include "base/log.h"
#include "collect/process_table.h"
#include "collect/sideband.h"
#include "collect/table.h"
#include "names_feed.h"
#include "session_state.h"
#include "symbol/symbolizer.h"

#define ADDRESSES (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER)

static bool has_chain(const struct event *e)
{
	return e->spec->stack ||
	       (e->transport == TRANSPORT_PERF && e->sample.sample_type & ADDRESSES);
}

/* Its rows are named when they are shown, after the processes may be gone. */
static bool counts_user_stacks(struct session *s, size_t event)
{
	const struct table *t = session__table(s, event);
	size_t i;

	for (i = 0; t && i < table__nr_parts(t); i++)
		if (table__part_kind(t, i) == PART_USTACK)
			return true;
	return false;
}

static struct process_table *processes(struct session *s)
{
	if (!s->processes)
		s->processes = process_table__new(0);
	return s->processes;
}

/* Now, because while a handler asks for its first name the rings would fill. */
static void know_what_is_there(struct session *s, bool chains)
{
	if (processes(s))
		process_table__scan(s->processes);
	if (!chains || !session__symbolizer(s))
		return;
	symbolizer__scan(s->symbolizer);
	symbolizer__load_kernel(s->symbolizer);
}

void session__watch_processes(struct session *s)
{
	struct sideband_opts opts = {.log = s->opts.log};
	bool wanted = s->need_names;
	struct err err = {0};
	size_t i;

	for (i = 0; i < s->nr_events; i++) {
		wanted |= s->events[i]->transport == TRANSPORT_PERF;
		opts.maps |= has_chain(s->events[i]) || counts_user_stacks(s, i);
	}
	if (!wanted && !opts.maps)
		return;
	if (sideband__open(&s->sideband, &opts, &err) ||
	    session__watch(s, sideband__fd(s->sideband), EPOLLIN | EPOLLET)) {
		log__say(s->opts.log, LOG_DEBUG, "names come from /proc alone: %s", err.text);
		return;
	}
	know_what_is_there(s, opts.maps);
}

static void follow(void *ctx, const struct sideband_record *rec)
{
	struct session *s = ctx;

	if (s->processes)
		process_table__follow(s->processes, rec);
	if (s->symbolizer)
		names_feed(s->symbolizer, rec);
}

void session__follow_processes(struct session *s)
{
	if (s->sideband)
		sideband__read(s->sideband, UINT64_MAX, follow, s);
}

const char *session__comm_at(struct session *s, u32 tid, u64 time)
{
	return processes(s) ? process_table__comm(s->processes, tid, time) : NULL;
}

const char *session__comm(struct session *s, u32 tid)
{
	return session__comm_at(s, tid, UINT64_MAX);
}
