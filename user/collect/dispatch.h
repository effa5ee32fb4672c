/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file dispatch.h - many syscalls:* events by one program.
 *
 * The tracepoint of each syscall event takes a grace period to detach. One program on
 * raw_syscalls:sys_enter or sys_exit that jumps to a program for each number does not.
 */
#ifndef TAMIS_COLLECT_DISPATCH_H
#define TAMIS_COLLECT_DISPATCH_H

#include "../base/err.h"
#include "attach.h"
#include "rebuild.h"

enum dispatch_point { DISPATCH_ENTER, DISPATCH_EXIT, DISPATCH_POINTS };

struct dispatch {
	enum dispatch_point point;
	int programs; /**< map: by system call number */
	int fd; /**< the program that jumps */
	struct attachment attachment;
};

#define DISPATCH_NONE                                                   \
	{                                                               \
		.programs = -1, .fd = -1, .attachment = ATTACHMENT_NONE \
	}

/** @return not 0: this kernel cannot do it; without a message, events are attached one by one */
int dispatch__open(struct dispatch *d, enum dispatch_point point, struct kernel_types *k);
/** One that is DISPATCH_NONE is fine. */
void dispatch__close(struct dispatch *d);

/** Sets program @prog for system call @number. @return -EEXIST if it has one already */
int dispatch__add(struct dispatch *d, int number, int prog);
int dispatch__attach(struct dispatch *d, struct err *err);

/** Code for MARK_REBUILD of a syscall event's program. @return false: not possible */
bool dispatch__rebuild(enum dispatch_point point, const struct event_format *f,
		       struct kernel_types *k, struct code *c, struct rebuild_plan *plan);

#endif
