/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file source_names.h - the sampling sources by name, as perf names them.
 */
#ifndef TAMIS_EVENT_SOURCE_NAMES_H
#define TAMIS_EVENT_SOURCE_NAMES_H

#include <linux/perf_event.h>
#include "../base/types.h"

/** Fills type and config. @return 0; -ENOENT: no source is called that */
int source__lookup(const char *name, struct perf_event_attr *attr);
/** Names of the sources but rNNN and the hardware cache events, NULL-terminated. */
const char *const *source__names(void);
/** One line on what it counts; NULL where there is no such source. */
const char *source__help(const char *name);

#endif
