/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file spec_parts.h - the parts of the parser of spec.h, one file each.
 */
#ifndef TAMIS_EVENT_SPEC_PARTS_H
#define TAMIS_EVENT_SPEC_PARTS_H

#include "spec.h"
#include "split.h"

struct log;

/** One event's text in pieces: HEAD/FILTER/ATTR/ATTR/ */
struct event_text {
	struct span head;	/**< trimmed, not empty */
	struct span first;	/**< filter or options; len 0: none */
	struct span *attrs;	/**< without empty ones; owned */
	size_t nr_attrs;
};

/** Takes the next event off @rest, which it must not be empty. @return 1: more follow, 0, -errno */
int event_text__take(struct event_text *t, struct span *rest, struct err *err);
void event_text__free(struct event_text *t);

/** kind, system, name, file, offset. */
int spec_head__parse(struct event_spec *s, const struct span *head, struct err *err);

/** One attribute. */
int spec_attr__parse(struct event_spec *s, const struct span *attr, struct log *log,
		     struct err *err);
/** What only shows when all attributes are there. */
int spec_attr__check(struct event_spec *s, struct err *err);

/** A comma-separated list; empty parts are mistakes. */
int spec_list__parse(struct spec_list *list, const struct span *value, struct err *err);
void spec_list__free(struct spec_list *list);

/** @return 1: an attribute of perf-prof that means nothing here; 0: none; -EINVAL: one that cannot be had */
int foreign__attr(const struct span *attr, const struct span *name, struct err *err);
/** One of perf-prof's profilers? Then @return -EINVAL, with what tells the same; else 0 */
int foreign__profiler(const struct span *head, struct err *err);

struct event_spec *spec__new(const char *text, size_t len);
void spec__free_one(struct event_spec *s);
/**
 * Parses one event whose text is taken apart already.
 * @preset the preset that it comes from; NULL: none
 * @use which use of a preset, from 1
 */
int spec__from_text(struct event_specs *specs, const struct event_text *t, const char *preset,
		    u32 use, struct log *log, struct err *err);

#endif
