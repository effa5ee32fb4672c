/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file perf_transport.h - events by perf_event_open: sampling sources, and tracepoints without BPF.
 *
 *	open -> add each event -> attach -> (read) -> detach -> (read) -> close
 */
#ifndef TAMIS_COLLECT_PERF_TRANSPORT_H
#define TAMIS_COLLECT_PERF_TRANSPORT_H

#include "../base/err.h"
#include "stream.h"

struct expr;
struct log;
struct scope;
struct perf_transport;

struct perf_transport_opts {
	u64 ring_bytes;		/**< per CPU, a power of two; 0: the default */
	bool low_latency;
	bool self;
	const struct scope *scope;
	struct log *log;
};

/** Does the scope need scope__arm() before perf_transport__attach()? @scope may be NULL. */
bool perf_transport__wants_armed(const struct scope *scope);
int perf_transport__open(struct perf_transport **ret, const struct perf_transport_opts *opts,
			 struct err *err);
/**
 * Parses a source's options, fills event->sample. @filter its parsed filter or NULL. Both stay
 * borrowed until close.
 */
int perf_transport__add(struct perf_transport *t, struct event *event, const struct expr *filter,
			struct err *err);
/** Opens and maps on every CPU (or thread, where that is the scope), disabled, then enables. */
int perf_transport__attach(struct perf_transport *t, struct err *err);
void perf_transport__detach(struct perf_transport *t);
void perf_transport__close(struct perf_transport *t);

int perf_transport__fd(const struct perf_transport *t);
/**
 * Opens events on CPUs that came online since. Call on a timer.
 * @return how many streams were added behind the others, -errno
 */
int perf_transport__rescan(struct perf_transport *t, struct err *err);
size_t perf_transport__nr_streams(const struct perf_transport *t);
struct stream *perf_transport__stream(struct perf_transport *t, size_t i);
void perf_transport__stats(struct perf_transport *t, const struct event *event,
			   struct event_stats *stats);

#endif
