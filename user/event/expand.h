/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file expand.h - specifications met with what exists: wildcards expanded, fields decided.
 */
#ifndef TAMIS_EVENT_EXPAND_H
#define TAMIS_EVENT_EXPAND_H

#include "catalog.h"
#include "event.h"

/**
 * Makes the events of linked specifications, in their order; a wildcard gives one event for each
 * match. Every event has one reference, the caller's, and one to @clock.
 * @c may be NULL if only sampling sources are asked for
 * @root where the binaries of probes are looked for: "", or "/proc/PID/root" of a container
 */
int events__resolve(struct catalog *c, struct event_specs *specs, const char *root,
		    struct wall_clock *clock, struct event ***events, size_t *n, struct err *err);
void events__free(struct event **events, size_t n);
/** Is any of them in a binary, so that @root matters? */
bool events__need_root(const struct event_specs *specs);
/** Is any of them a tracepoint, for which a catalog is needed? */
bool events__need_catalog(const struct event_specs *specs);

/** "sched-x:y" as a function can be called: `-` `.` `:` become `_`. In place. */
void handler__clean(char *name);

#endif
