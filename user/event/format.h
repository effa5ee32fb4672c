/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file format.h - what the kernel says an event is: its fields and its print format.
 *
 * Reference-counted; immutable once made, so that any thread may read it.
 */
#ifndef TAMIS_EVENT_FORMAT_H
#define TAMIS_EVENT_FORMAT_H

#include "field.h"

struct err;
struct tep_event;
struct print_format;
struct probe;

struct event_format {
	int refs;
	char *system, *name;
	u32 id; /**< common_type; tracepoints only, else 0 */
	u32 size; /**< static bytes of the raw record, the 8 of common_* included */
	struct field *fields; /**< the event's own, without common_*, in the order of the file */
	size_t nr_fields;
	bool is_syscall_enter, is_syscall_exit; /**< syscalls:sys_enter_*, sys_exit_* */
	char *text; /**< the format file; NULL: not made from one */
	char *strings; /**< holds the names and types of the fields */
	struct probe *probe;	/**< fentry, kprobe, uprobe, usdt; NULL: a tracepoint or a source */
	struct print_format *print; /**< made when a record is first printed; event_format__tep() */
};

/**
 * Makes a format of the text of a format file. Unknown lines are passed over; lines of fields that
 * make no sense cost that field.
 * @return 0 with one reference in @ret; -EINVAL with @err set
 */
int event_format__parse(struct event_format **ret, const char *system, const char *name,
			const char *text, size_t len, struct err *err);

struct event_format *event_format__get(struct event_format *f);
/** NULL is fine. */
void event_format__put(struct event_format *f);
/** @return the event's own field or common_*; NULL if there is none */
const struct field *event_format__field(const struct event_format *f, const char *name);

/**
 * The event for libtraceevent's print functions, parsed when it is first asked for. Any thread may
 * ask. @return borrowed; NULL: libtraceevent cannot parse its print format
 */
struct tep_event *event_format__tep(struct event_format *f);

/** common_type, common_flags, common_preempt_count, common_pid: the same in every tracepoint. */
extern const struct field common_fields[4];

#endif
