/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file source.h - the sampling sources: events of their own that are no tracepoints.
 */
#ifndef TAMIS_EVENT_SOURCE_H
#define TAMIS_EVENT_SOURCE_H

#include "../base/types.h"

struct source {
	const char *name;
	const char *summary;
	u32 type;	/**< PERF_TYPE_* */
	u64 config;
	u64 freq;	/**< default sampling frequency in Hz; 0: every event */
};

/** By name, aliases such as `cs` included; rNNN gives a raw event in @raw. NULL: no source */
const struct source *source__find(const char *name, struct source *raw);
/** The i-th source, without second names; NULL behind the last. */
const struct source *source__get(size_t i);

#endif
