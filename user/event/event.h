/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file event.h - an event of a session: what was asked for met with what exists.
 *
 * Reference-counted and shared by the session and by every event object that Python keeps, so
 * that kept events outlive the session. Immutable once the session is attached.
 */
#ifndef TAMIS_EVENT_EVENT_H
#define TAMIS_EVENT_EVENT_H

#include "format.h"
#include "spec.h"

/** How far the wall clock is ahead of CLOCK_MONOTONIC, in ns; re-based when the clock is set. */
struct wall_clock {
	int refs;
	s64 offset;
};

struct wall_clock *wall_clock__get(struct wall_clock *c);
/** NULL is fine. */
void wall_clock__put(struct wall_clock *c);

/** Registers, sample parts and read format of a perf event; see sample.h. */
struct sample_layout {
	u64 sample_type; /**< PERF_SAMPLE_* */
	u64 read_format; /**< PERF_FORMAT_* */
	u64 regs_user, regs_intr;
	u64 branch_type;
};

#define LAYOUT_TEXTS  8 /**< user strings of a record */
#define LAYOUT_VALUES 12 /**< latency, ret and kept fields of a record */

/**
 * Where the parts of a record of the bpf transport are, in bytes from its struct record_head;
 * 0: not carried. The raw record is last but for its own dynamic payload, user texts and the
 * call chain, which the head locates.
 */
struct record_layout {
	u16 raw; /**< the tracepoint's own record, common_* included */
	u16 extra[EXTRA_MAX]; /**< comm: 16 bytes; cgroup: u64; the others: u32 */
	u16 ns_ids; /**< u32 tgid, u32 tid in tamis's own pid namespace */
	u16 text[LAYOUT_TEXTS]; /**< u32 like __data_loc, from the head; or RECORD_NO_TEXT */
	u16 value[LAYOUT_VALUES]; /**< u64 each */
	bool dynamic; /**< is its length known only when it happens? */
};

struct event {
	int refs;
	struct event_format *format; /**< one reference; for sources: no fields */
	struct event_spec *spec; /**< borrowed from the session; NULL once it is closed */
	u16 index; /**< in the session; record_head.event */
	enum spec_kind kind;
	enum transport transport; /**< decided: never TRANSPORT_AUTO after session__open() */
	char *label; /**< `_event`: "sched:sched_switch", "sched:ALIAS", "profile" */
	char *handler; /**< "sched__sched_switch", "sched__ALIAS", "profile" */
	struct field *fields; /**< what handlers see: the format's, filename_ptr, latency, kept */
	size_t nr_fields;
	bool made;			/**< its records are made by the session: no transport carries them */
	bool task_context; /**< does it happen on behalf of "current"? decides --self */
	bool interrupt_context; /**< may fire in an interrupt: prefer raw_tp over classic */
	u32 with; /**< 1 << EXTRA_*: carried, from spec, --with and the script */
	struct record_layout layout; /**< records of the bpf transport */
	struct sample_layout sample; /**< records of the perf transport */
	struct wall_clock *clock; /**< one reference */
};

struct event *event__get(struct event *e);
/** NULL is fine. */
void event__put(struct event *e);
/** @return an own field or a common_* field; NULL if there is none */
const struct field *event__field(const struct event *e, const char *name);

#endif
