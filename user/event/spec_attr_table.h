/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file spec_attr_table.h - every attribute of an event: its name, and who takes its value.
 */
#ifndef TAMIS_EVENT_SPEC_ATTR_TABLE_H
#define TAMIS_EVENT_SPEC_ATTR_TABLE_H

#include "spec_parts.h"

#define SPEC_ATTRS 26
_Static_assert(SPEC_ATTRS <= 32, "event_spec.given has a bit for each");

struct attr {
	const char *name;
	enum { FLAG, VALUE, EITHER } takes;
	int (*set)(struct event_spec *s, const struct attr *a, const struct span *value,
		   struct err *err);
	size_t where; /* of the member, for the setters that serve several */
	s64 low, high;
};

/** Ends with an entry without a name. */
extern const struct attr spec_attr_table[];

#endif
