/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file session_state.h - what session*.c share: the state of a run. Nobody else includes it.
 */
#ifndef TAMIS_SESSION_STATE_H
#define TAMIS_SESSION_STATE_H

#include "collect/bpf_transport.h"
#include "collect/order.h"
#include "collect/perf_transport.h"
#include "collect/sieve.h"
#include "event/catalog.h"
#include "event/spec.h"
#include "scope/scope.h"
#include "scope/workload.h"
#include "session.h"

/** When to look into the rings next; see session_poll.c. */
struct drain_timer {
	int fd;			/**< timerfd, part of the epoll set */
	bool armed;
	u64 interval;		/**< ns; shrinks with the bytes that a drain finds */
};

struct session {
	struct session_opts opts;
	struct catalog *catalog;
	struct event_specs specs;
	struct event **events;
	size_t nr_events;
	struct sieve *sieve;	/**< filters, tables and pairs */
	struct event_stats *counted; /**< by event: what the reader counts; the kernel's is added */
	u64 *reported;		/**< by event: losses that were told */
	struct scope *scope;
	struct workload *workload;
	int workload_status;
	struct bpf_transport *bpf;   /**< NULL: no event needs it, or the kernel refuses */
	struct perf_transport *perf; /**< NULL: no event needs it */
	struct sideband *sideband; /**< NULL: no event needs it, or the kernel refuses */
	struct process_table *processes; /**< NULL until asked for */
	struct kvm_feed *kvm;	/**< NULL: no event is the source kvmstat */
	struct symbolizer *symbolizer; /**< NULL until asked for */
	struct cgroup_names *cgroups; /**< NULL: no record and no table has cgroups */
	struct order *order;	/**< NULL: as they come */
	struct stream **streams;
	size_t nr_streams, streams_room;
	size_t nr_perf_streams;	/**< of them */
	struct wall_clock *clock;
	struct record *batch;	/**< BATCH_MAX */
	u64 *ends;
	int epoll_fd;
	struct drain_timer timer;
	bool attached, finished;
	bool need_names; /* of tasks, also when they are gone */
	u64 attached_at, checked_at; /**< ns, CLOCK_MONOTONIC */
	bool explained;
	u64 delivered;
};

/** Re-bases the wall clock; a clock that was set shows within one call. */
void session__rebase_clock(struct session *s);
/** Adds @fd to what session__fd() waits for; @events as of epoll_ctl(2). */
int session__watch(struct session *s, int fd, u32 events);
/** From the arguments to s->events. */
int session__resolve_events(struct session *s, struct err *err);
/** Opens the transports that the events want; perf for all, after a notice, where BPF is refused. */
int session__choose_transports(struct session *s, struct err *err);
/** The first look into the rings; each look then decides when the next one is. */
void session__start_draining(struct session *s);
/** Counting what fires and is rejected costs; it is for -v, and for records that do not come. */
bool session__wants_explaining(const struct session *s);
/** After 3 s: says of each event without a record why; stops the counting it needed. */
void session__explain_silence(struct session *s, u64 now);

/** Parses what can be wrong in an expression before anything is attached. */
int session__parse_expressions(struct session *s, struct err *err);
/** Watches cgroups from now on where records or tables will have their ids. */
int session__watch_cgroups(struct session *s, struct err *err);
/** Takes over the perf streams behind those that are known. */
int session__add_streams(struct session *s, struct err *err);
/** From now on names of threads and addresses are known of processes that end, too. */
void session__watch_processes(struct session *s);
/** What processes did by now; before records are handed on. */
void session__follow_processes(struct session *s);
/** Fills the holes of the added events from their expressions and loads their programs. */
int session__load_programs(struct session *s, struct err *err);

#endif
