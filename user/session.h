/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file session.h - a run of the collector: events in, batches of records out.
 *
 *	open      events are resolved; nothing touches the kernel's tracing yet
 *	attach    programs and perf events are loaded and attached, the workload is let go
 *	poll      waits, hands batches to the sink
 *	detach    nothing new arrives; poll() with timeout 0 drains what is left
 *	close
 *
 * A session owns no signal, no timer of the user's, no stdout, no limit of its process. It
 * belongs to one thread at a time.
 */
#ifndef TAMIS_SESSION_H
#define TAMIS_SESSION_H

#include "base/err.h"
#include "collect/stats.h"
#include "event/record.h"

struct log;
struct scope_opts;
struct session;
struct table;
struct symbolizer;

struct session_opts {
	const char *const *events;	/**< arguments of -e, NULL-terminated */
	const char *const *preset_dirs;	/**< NULL-terminated; NULL: none */
	const char *tracefs;		/**< --tracefs; NULL: found */
	const struct scope_opts *scope;	/**< scope/scope.h; NULL: everything */
	char *const *workload;		/**< -- COMMAND, NULL-terminated; NULL: none */
	enum transport transport;	/**< of events that do not say */
	u64 ring_bytes;			/**< -m, per CPU; 0: default */
	u32 with;			/**< --with: 1 << EXTRA_* for every event */
	unsigned int stack;		/**< -g: STACK_* for every event that does not say */
	unsigned int stack_default;	/**< what the attribute `stack` alone means; 0: all */
	unsigned int stack_off;		/**< --no-*-callchain: STACK_* that no event carries */
	int order_ms;			/**< 0: as they come; else the window of --order */
	bool count;			/**< events that only would be delivered are counted instead */
	bool low_latency, self, strict_text, user_filter, nostr, keep_waiting;
	bool only_grow;			/**< tables are never read with clear: they are made faster */
	bool raw_names;			/**< --no-demangle */
	const char *perf_map_dir;	/**< --perf-map-dir; NULL: each process's own /tmp */
	bool verbose;			/**< keep counting fired, out of scope, rejected */
	struct log *log;
};

struct session_sink {
	/**
	 * At most BATCH_MAX records, borrowed until it returns. Not 0 ends the poll: negative is
	 * returned as it is, positive as -ECANCELED.
	 */
	int (*records)(void *ctx, const struct record *recs, int n);
	/** May be NULL. */
	void (*lost)(void *ctx, const struct loss *loss);
	void *ctx;
};

int session__open(struct session **ret, const struct session_opts *opts, struct err *err);
size_t session__nr_events(const struct session *s);
struct event *session__event(const struct session *s, size_t i);

/** Before attach: records of @event carry these extras too (1 << EXTRA_*). */
void session__need_extras(struct session *s, size_t event, u32 with);
/** Before attach: names of tasks will be asked for, also when the tasks are gone. */
void session__need_names(struct session *s);
/** Before attach: @event travels by perf, because its user reads what BPF does not give. */
int session__need_perf(struct session *s, size_t event, struct err *err);

int session__attach(struct session *s, struct err *err);

/** Readable when poll() has something to do; stays the same for the session's life. */
int session__fd(const struct session *s);
/**
 * Waits at most @timeout_ms (-1: for ever, 0: not at all) and delivers what there is.
 * @return records delivered; -EINTR after a signal; what the sink returned; -errno with @err set
 */
int session__poll(struct session *s, int timeout_ms, const struct session_sink *sink,
		  struct err *err);
/** The workload has ended, or nothing in scope is left: detach, drain, stop. */
bool session__finished(const struct session *s);
/** @return the workload's wait status as waitpid() gives it; -1: none, or still running */
int session__workload_status(const struct session *s);

/** @progress may be NULL; called while many events detach. */
void session__detach(struct session *s, void (*progress)(void *ctx, int left), void *ctx);
/**
 * After detach: delivers all that is left, then tells the losses that no record behind them could
 * tell. @return as session__poll()
 */
int session__drain(struct session *s, const struct session_sink *sink, struct err *err);
void session__stats(struct session *s, size_t event, struct event_stats *stats);
/**
 * What @event aggregates in the kernel (collect/table.h); NULL: nothing. Readable from attach to
 * close, also after detach.
 */
struct table *session__table(struct session *s, size_t event);
/** The command name of a thread, from the process table the collector keeps. NULL: not known */
const char *session__comm(struct session *s, u32 tid);
/** The name it had at a time, as of record->time. */
const char *session__comm_at(struct session *s, u32 tid, u64 time);
/**
 * Path of a cgroup2 by its id, also of one that was removed during the run; and the short id or
 * name of the container that it is of. Where some event carries one of them. NULL: not known, none
 */
const char *session__cgroup(struct session *s, u64 id);
const char *session__container(struct session *s, u64 id);
/**
 * Names for addresses, made when first asked for; kept up to date by session__poll() where events
 * carry call chains. Owned by the session. @return NULL: out of memory
 */
struct symbolizer *session__symbolizer(struct session *s);
/** Detaches if need be. NULL is fine. */
void session__close(struct session *s);

#endif
