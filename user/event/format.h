/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file format.h - what the kernel says an event is: its fields and its print format.
 *
 * Reference-counted; immutable once made, so that any thread may read it.
 */
#ifndef TAMIS_EVENT_FORMAT_H
#define TAMIS_EVENT_FORMAT_H

#include "field.h"

struct tep_event;
struct tep_handle;

struct event_format {
	int refs;
	char *system, *name;
	u32 id;			/**< common_type; tracepoints only, else 0 */
	u32 size;		/**< static bytes of the raw record, the 8 of common_* included */
	struct field *fields;	/**< the event's own, without common_*, in the order of the file */
	size_t nr_fields;
	bool is_syscall_enter, is_syscall_exit;	/**< syscalls:sys_enter_*, sys_exit_* */
	struct tep_event *tep;	/**< for the print format; NULL: could not be parsed */
	struct tep_handle *tep_handle; /**< holds one reference */
};

struct event_format *event_format__get(struct event_format *f);
/** NULL is fine. */
void event_format__put(struct event_format *f);
/** @return the event's own field or common_*; NULL if there is none */
const struct field *event_format__field(const struct event_format *f, const char *name);

/** common_type, common_flags, common_preempt_count, common_pid: the same in every tracepoint. */
extern const struct field common_fields[4];

#endif
