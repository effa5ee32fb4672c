/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file source.h - a sampling source (`profile/-F 997 -g/`) or tracepoint as a perf_event_attr.
 */
#ifndef TAMIS_COLLECT_SOURCE_H
#define TAMIS_COLLECT_SOURCE_H

#include <linux/perf_event.h>
#include "../base/err.h"
#include "../event/event.h"
#include "../event/source_names.h"

/** What one event asks of perf_event_open(); the fields of ring and clock are set at open. */
struct source {
	struct perf_event_attr attr;
	bool group;			/**< --group: counted and read together with the others */
	struct perf_event_attr *members; /**< --group=LIST: counted along, they sample nothing; owned */
	size_t nr_members;
};

/** From event->spec (name, options, stack). Mistakes have a caret into the spec's text. */
int source__init(struct source *s, const struct event *event, struct err *err);
/** For a tracepoint of event->format: every hit, with its raw record. */
void source__init_tracepoint(struct source *s, const struct event *event);
/** One sample for @period hits. */
void source__set_period(struct perf_event_attr *a, u64 period);
void source__fini(struct source *s);

/** @attr in terms of what reads its samples. */
void source__layout(const struct perf_event_attr *attr, struct sample_layout *layout);
/** Explains why perf_event_open() said @code to @event, and what to do. @return -@code */
int source__open_error(const struct event *event, const struct perf_event_attr *attr, int code,
		       struct err *err);

/** The same for @code EACCES or EPERM and what is no event of the user's. */
int source__no_permission(const char *name, const struct perf_event_attr *attr, int code,
			  struct err *err);

#endif
