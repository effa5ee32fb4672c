/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sieve.h - the expressions of a session's events: parsed before anything is attached, put
 * into the kernel's programs, or evaluated here where the kernel cannot.
 *
 *	open -> (need_perf, extras) -> fill or tracefs_filter for each event -> passes, table, stats
 */
#ifndef TAMIS_COLLECT_SIEVE_H
#define TAMIS_COLLECT_SIEVE_H

#include "../base/err.h"
#include "../event/record.h"
#include "stats.h"

struct control;
struct expr_world;
struct holes;
struct log;
struct sieve;
struct table;

struct sieve_opts {
	bool strict_text, user_filter;
	u64 ns_dev, ns_ino;		/**< tamis's pid namespace; 0: it is the initial one */
	const struct expr_world *world;	/**< filter/world.h; NULL: this machine */
	struct log *log;		/**< warnings about what was written, notices of fallbacks */
};

/** Parses all expressions of @events, which stay borrowed. Mistakes get a caret. */
int sieve__open(struct sieve **ret, struct event *const *events, size_t n,
		const struct sieve_opts *opts, struct err *err);
/** NULL is fine. Tables are closed with it. */
void sieve__close(struct sieve *s);

/** Does an expression of event @i read what only the perf transport gives (common_flags)? */
bool sieve__needs_perf(const struct sieve *s, size_t i);
/** 1 << EXTRA_*: what records of event @i must carry, as its filter will be evaluated here. */
u32 sieve__extras(const struct sieve *s, size_t i);

/**
 * bpf transport: code, flags and maps for the program of event @i. The maps stay ours and must
 * outlive the program's load only. What cannot run in the kernel is an error, or with user_filter
 * evaluated by sieve__passes() after a notice.
 */
int sieve__fill(struct sieve *s, size_t i, struct holes *holes, struct err *err);
/**
 * perf transport: the filter for PERF_EVENT_IOC_SET_FILTER; NULL: none is needed, or it is
 * evaluated by sieve__passes() after one notice. Aggregating and pairing need BPF: -EOPNOTSUPP.
 */
int sieve__tracefs_filter(struct sieve *s, size_t i, const char **filter, struct err *err);

/** Is any filter evaluated here? Then each record goes through sieve__passes(). */
bool sieve__filters_here(const struct sieve *s, size_t i);
/** @unknown: it passes because something it depends on is not in the record. */
bool sieve__passes(struct sieve *s, const struct record *rec, bool *unknown);

/** What tables ask of the transport while it runs. */
struct sieve_kernel {
	volatile struct control *control;	/**< of bpf/template.h, mapped */
	/** The kernel side's counters of an event. */
	void (*stats)(void *ctx, const struct event *event, struct event_stats *stats);
	void *ctx;
};

/** After fill. @k is copied; its ctx and control stay borrowed until close. */
void sieve__attached(struct sieve *s, const struct sieve_kernel *k);

/** NULL: the event aggregates nothing. Valid until close. */
struct table *sieve__table(struct sieve *s, size_t i);
/** Adds what is counted outside of the programs: starts still open, full stack tables. */
void sieve__stats(struct sieve *s, size_t i, struct event_stats *stats);

#endif
