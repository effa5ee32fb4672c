/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sieve.h - the expressions of a session's events: parsed before anything is attached, put
 * into the kernel's programs, or evaluated here where the kernel cannot.
 *
 *	open -> kernel -> fill each event -> loaded -> passes, table
 */
#ifndef TAMIS_COLLECT_SIEVE_H
#define TAMIS_COLLECT_SIEVE_H

#include "../base/err.h"
#include "../event/record.h"
#include "stats.h"

struct control;
struct expr;
struct expr_world;
struct holes;
struct log;
struct sieve;
struct table;

struct sieve_opts {
	bool strict_text, user_filter;
	const struct expr_world *world; /**< filter/world.h; NULL: this machine */
	struct log *log; /**< warnings about what was written, notices of fallbacks */
};

/** Parses all expressions of @events, which stay borrowed. Mistakes get a caret. */
int sieve__open(struct sieve **ret, struct event *const *events, size_t n,
		const struct sieve_opts *opts, struct err *err);
/** NULL is fine. Tables are closed with it. */
void sieve__close(struct sieve *s);

/** Does an expression of event @i read what only the perf transport gives (common_flags)? */
bool sieve__needs_perf(const struct sieve *s, size_t i);
/** The filter of an event of the perf transport, which does not aggregate or pair. NULL: none */
const struct expr *sieve__filter(const struct sieve *s, size_t i);

/** What code and tables need to know of the machine and the transport. */
struct sieve_kernel {
	u64 ns_dev, ns_ino; /**< tamis's pid namespace; 0: it is the initial one */
	volatile struct control *control; /**< of bpf/template.h, mapped */
	int task_map; /**< a task storage map of struct start; -1: none */
	/** The kernel side's counters of an event. */
	void (*stats)(void *ctx, const struct event *event, struct event_stats *stats);
	void *ctx;
};

/** Before fill. @k is copied; its ctx and control stay borrowed until close. */
void sieve__kernel(struct sieve *s, const struct sieve_kernel *k);

/**
 * bpf transport: code, flags and maps for the program of event @i; the maps stay ours. What cannot
 * run in the kernel is an error, or with user_filter evaluated by sieve__passes() after a notice.
 */
int sieve__fill(struct sieve *s, size_t i, struct holes *holes, struct err *err);
/** After the programs are loaded: they keep the maps of patterns, which are closed here. */
void sieve__loaded(struct sieve *s);

/** Is any filter evaluated here? Then each record goes through sieve__passes(). */
bool sieve__any_here(const struct sieve *s);
/** @unknown: something that the filter depends on is not in the record; strict_text says no then.
 */
bool sieve__passes(const struct sieve *s, const struct record *rec, bool *unknown);

/** NULL: the event aggregates nothing. Valid until close. */
struct table *sieve__table(struct sieve *s, size_t i);
#endif
