/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file catalog.h - the tracepoints of this kernel, read from tracefs when they are asked for.
 */
#ifndef TAMIS_EVENT_CATALOG_H
#define TAMIS_EVENT_CATALOG_H

#include "../base/err.h"
#include "format.h"

struct catalog;
struct log;
struct strbuf;

/**
 * Finds tracefs at @dir, else $TAMIS_TRACEFS, /sys/kernel/tracing, /sys/kernel/debug/tracing, else
 * as a detached mount that nobody else sees. Reads no format yet.
 */
int catalog__open(struct catalog **ret, const char *dir, struct log *log, struct err *err);
void catalog__close(struct catalog *c);
/** tracefs itself, for openat(); owned by the catalog. */
int catalog__dirfd(const struct catalog *c);

/** Reads and keeps one format. @return 0 with a reference in @ret; -ENOENT without a message */
int catalog__format(struct catalog *c, const char *system, const char *name,
		    struct event_format **ret, struct err *err);

/** Calls @fn for every event whose names match both globs, sorted. Stops when @fn is not 0. */
int catalog__each(struct catalog *c, const char *system, const char *name,
		  int (*fn)(void *ctx, const char *system, const char *name), void *ctx,
		  struct err *err);

/** "no event sched:sched_wakup; near: sched:sched_wakeup, ..." with a caret into @text. */
int catalog__unknown(struct catalog *c, const char *text, size_t at, const char *system,
		     const char *name, struct err *err);

/**
 * The same for a name that was asked for without its system: events whose name is near @name.
 * Writes "; near: sched:sched_wakeup, ..." or nothing.
 */
void catalog__suggest(struct catalog *c, const char *name, struct strbuf *out);

#endif
