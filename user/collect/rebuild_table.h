/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file rebuild_table.h - where the fields of well-known tracepoints come from.
 *
 * After TP_fast_assign() of the kernel's include/trace/events/. Fields that some kernels lack may
 * stand here; a format with a field that does not is left to a classic program.
 */
#ifndef TAMIS_COLLECT_REBUILD_TABLE_H
#define TAMIS_COLLECT_REBUILD_TABLE_H

enum rebuild_how {
	FROM_ARG,	/**< the argument itself */
	FROM_MEMBER,	/**< member of the struct that the argument points to */
	FROM_POINTER,	/**< what the argument points to */
	FROM_TEXT,	/**< dynamic text that a member points to */
	FROM_JIFFIES,
	FROM_STATE,	/**< prev_state: arguments 0 and 3, and the member */
	FROM_REGISTERS,	/**< arguments of a system call, by struct pt_regs */
	FROM_CURRENT,	/**< member of the current task */
	FROM_BYTES,	/**< the argument, bytes as sectors */
	FROM_DISK,	/**< of struct request, as are the following: its device */
	FROM_SECTOR,	/**< where it begins; 0 if that means nothing */
	FROM_LENGTH,	/**< its sectors; 0 if they mean nothing */
	FROM_IOPRIO,
	FROM_RWBS,	/**< letters of its kind */
	FROM_NOTHING,	/**< dynamic text that is always empty */
	FROM_NOWHERE,	/**< not to be known: what reads it takes a classic program */
};

struct rebuild_field {
	const char *name;
	enum rebuild_how how;
	int arg;
	const char *type, *member;
};

struct rebuild {
	const char *system, *name;
	const char *tracepoint;		/**< its name in the kernel, where that is another; NULL */
	const struct rebuild_field *fields; /**< ends with a name NULL */
};

/** Ends with a system NULL. */
extern const struct rebuild rebuild_table[];

#define TS_COMPAT 0x2	/**< thread_info.status: a call by the 32-bit interface is going on */
#ifdef __x86_64__
#define SYSCALL_NUMBER "orig_ax"
#define OWN_FRAMES     3 /**< bpf_trace_runN(), the program, its function that takes the stack */
#else
#define SYSCALL_NUMBER "?" /* no such member: what needs it stays classic */
#define OWN_FRAMES     0 /* not known: what takes stacks stays classic */
#endif
extern const char *const native_registers[6], *const compat_registers[6];

#endif
