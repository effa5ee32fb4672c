/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file event_fields.h - which fields handlers see.
 */
#ifndef TAMIS_EVENT_EVENT_FIELDS_H
#define TAMIS_EVENT_EVENT_FIELDS_H

#include "../base/err.h"
#include "event.h"

/**
 * Fills e->fields: the format's, user texts with their pointers beside them (filename,
 * filename_ptr), latency, and the fields that the start keeps (start.NAME).
 * @start the format of the event that begins the interval; NULL: none
 */
int event_fields__make(struct event *e, const struct event_format *start, struct err *err);

#endif
