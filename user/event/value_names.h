/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file value_names.h - what an event's own print format calls the values of a field.
 *
 * Where one of several tables is chosen by another field (`isa` decides between the exit reasons of
 * VMX and SVM), the value of that field is needed, too.
 */
#ifndef TAMIS_EVENT_VALUE_NAMES_H
#define TAMIS_EVENT_VALUE_NAMES_H

#include "../base/strbuf.h"
#include "format.h"

/** Does the print format name values of @field at all? */
bool value_names__has(struct event_format *f, const char *field);
/** The field that decides between tables of names; NULL: none does. */
const char *value_names__chooser(struct event_format *f, const char *field);
/**
 * Appends the name of @value, or its number where it has none. @chosen is the value of the
 * chooser.
 */
void value_names__put(struct strbuf *out, struct event_format *f, const char *field, u64 value,
		      u64 chosen);
/**
 * Calls @fn for each name that a table has for values of @field, until it is not 0. @chosen as above.
 * @return what @fn returned last
 */
int value_names__each(struct event_format *f, const char *field, u64 chosen,
		      int (*fn)(void *ctx, const char *name, u64 value), void *ctx);

#endif
