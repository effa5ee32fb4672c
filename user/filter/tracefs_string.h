/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file tracefs_string.h - a filter as the kernel's own event filters write it.
 */
#ifndef TAMIS_FILTER_TRACEFS_STRING_H
#define TAMIS_FILTER_TRACEFS_STRING_H

#include "expr.h"

/**
 * The filter for PERF_EVENT_IOC_SET_FILTER, if it can be said exactly. User text is said with
 * .ustring, where the kernel lets nothing match that is not in memory: *inexact is set.
 * @return the caller frees it; NULL: it cannot be said (or no memory)
 */
char *tracefs_string(const struct expr *e, const struct event *event, bool *inexact);

#endif
