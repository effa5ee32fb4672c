/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file stat_tables.h - tracepoints counted in the kernel, by process and by the values of a field.
 *
 * Makes the specs of a session, and reads its tables as totals:
 *
 *	new -> add each -> open a session with specs -> read while it is attached
 */
#ifndef TAMIS_STAT_TABLES_H
#define TAMIS_STAT_TABLES_H

#include "base/err.h"
#include "base/types.h"

struct catalog;
struct counts;
struct perf_counts;
struct session;
struct stat_tables;

int stat_tables__new(struct stat_tables **ret, struct err *err);
/** NULL is fine. */
void stat_tables__free(struct stat_tables *t);
/** Counts system:name as @shown, and with @field each of its values as "shown(VALUE)". */
struct stat_event {
	const char *system, *name, *shown;
	const char *filter;	/**< an expression; NULL: every one */
	const char *field;	/**< NULL: values of no field */
	const char *strip;	/**< left out at the start of the values' names; NULL: nothing */
	s64 chosen;		/**< which of several tables of names is the right one; -1: not known */
};

int stat_tables__add(struct stat_tables *t, struct catalog *c, const struct stat_event *event,
		     struct err *err);
/** For session_opts.events; owned by @t. */
const char *const *stat_tables__specs(const struct stat_tables *t);
size_t stat_tables__nr(const struct stat_tables *t);
/** The session that was opened with them. */
void stat_tables__use(struct stat_tables *t, struct session *s);
/** Tells @c what there is to count: events, and the values that have names. @return 0 or -ENOMEM */
int stat_tables__declare(const struct stat_tables *t, struct counts *c);
/** The same events and values for a kernel without BPF. */
int stat_tables__fill_perf(const struct stat_tables *t, struct perf_counts *p, struct err *err);
/** Of a struct count_provider; @ctx a struct stat_tables. */
int stat_tables__read(void *ctx, struct counts *c, struct err *err);
/** Updates that did not fit into a table. */
u64 stat_tables__lost(const struct stat_tables *t);

#endif
