/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file bpf_transport.h - events by BPF programs: one clone of the template each, per-CPU rings.
 *
 *	open -> add each event -> load -> attach -> (read) -> detach -> (read) -> close
 */
#ifndef TAMIS_COLLECT_BPF_TRANSPORT_H
#define TAMIS_COLLECT_BPF_TRANSPORT_H

#include "../base/err.h"
#include "../event/catalog.h"
#include "stream.h"

struct log;
struct scope;
struct bpf_transport;
struct holes;

struct bpf_transport_opts {
	u64 ring_bytes; /**< per CPU, a power of two; 0: the default of DESIGN.md */
	bool low_latency; /**< wake the reader for each record instead of once 64 KiB are pending */
	bool strict_text;
	bool self; /**< tamis's own events too */
	bool explain; /**< count fired, out of scope and rejected */
	bool generic; /**< classic programs only; tests compare them with the others */
	const struct scope *scope;
	struct log *log;
};

/** @return 0; -EPERM, -EOPNOTSUPP, ...: BPF cannot be used, with the cause in @err */
int bpf_transport__open(struct bpf_transport **ret, const struct bpf_transport_opts *opts,
			struct err *err);
/** Decides the event's layout and prepares its program. The event stays borrowed until close. */
int bpf_transport__add(struct bpf_transport *t, struct event *event, struct err *err);
/**
 * What the expressions of an added event put into its program, to be filled in before load
 * (filter/holes.h). At first every event passes and is emitted. Owned by the transport; valid
 * until the next bpf_transport__add().
 */
struct holes *bpf_transport__holes(struct bpf_transport *t, const struct event *event);
/** File descriptors that load and attach will take; their command raises the limit, or says so. */
size_t bpf_transport__files(const struct bpf_transport *t);
/** Loads all programs into the kernel; nothing fires yet. */
int bpf_transport__load(struct bpf_transport *t, struct err *err);
int bpf_transport__attach(struct bpf_transport *t, struct err *err);
/** Waits for running programs; then the rings hold all there will be. @progress may be NULL. */
void bpf_transport__detach(struct bpf_transport *t, void (*progress)(void *ctx, int left),
			   void *ctx);
void bpf_transport__close(struct bpf_transport *t);

/** Readable when records are pending past the mark; for epoll, edge-triggered. */
int bpf_transport__fd(const struct bpf_transport *t);
/**
 * Tells producers that the reader goes to sleep without a timer, so that the next record wakes it;
 * with @asleep false that it is up. Drain the rings before.
 * @return false: records are on their way, stay up
 */
bool bpf_transport__sleeping(struct bpf_transport *t, bool asleep);
size_t bpf_transport__nr_streams(const struct bpf_transport *t);
struct stream *bpf_transport__stream(struct bpf_transport *t, size_t i);
/** Adds the kernel side's counters of @event to @stats. */
void bpf_transport__stats(struct bpf_transport *t, const struct event *event,
			  struct event_stats *stats);
struct control;
/** The memory shared with the programs (bpf/template.h); valid until close. */
volatile struct control *bpf_transport__control(const struct bpf_transport *t);
/** A task storage map of struct start, to make others like; -1: the kernel has none. */
int bpf_transport__task_map(const struct bpf_transport *t);
/** Switches the counting of fired, out of scope and rejected. */
void bpf_transport__explain(struct bpf_transport *t, bool on);

#endif
