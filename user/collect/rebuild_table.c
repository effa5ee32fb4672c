// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include "rebuild_table.h"

#define ARG(name, n)		       {name, FROM_ARG, n, NULL, NULL}
#define MEMBER(name, n, type, member)  {name, FROM_MEMBER, n, type, member}
#define POINTER(name, n)	       {name, FROM_POINTER, n, NULL, NULL}
#define TEXT(name, n, type, member)    {name, FROM_TEXT, n, type, member}
#define JIFFIES(name)		       {name, FROM_JIFFIES, 0, NULL, NULL}
#define STATE(name, n, type, member)   {name, FROM_STATE, n, type, member}
#define REGISTERS(name, n)	       {name, FROM_REGISTERS, n, "pt_regs", NULL}
#define REQUEST(name, how)	       {name, how, 0, "request", NULL}
#define CURRENT(name, member)	       {name, FROM_CURRENT, 0, "task_struct", member}
#define NOTHING(name)		       {name, FROM_NOTHING, 0, NULL, NULL}
#define NOWHERE(name)		       {name, FROM_NOWHERE, 0, NULL, NULL}
#define FIELDS(...)		       ((const struct rebuild_field[]){__VA_ARGS__, {0}})

#ifdef __x86_64__
const char *const native_registers[6] = {"di", "si", "dx", "r10", "r8", "r9"};
const char *const compat_registers[6] = {"bx", "cx", "dx", "si", "di", "bp"};
#else
/* No such members: these events stay classic here. */
const char *const native_registers[6] = {"?", "?", "?", "?", "?", "?"};
const char *const compat_registers[6] = {"?", "?", "?", "?", "?", "?"};
#endif

#define WOKEN                                                                                      \
	FIELDS(MEMBER("comm", 0, "task_struct", "comm"), MEMBER("pid", 0, "task_struct", "pid"),   \
	       MEMBER("prio", 0, "task_struct", "prio"),                                           \
	       MEMBER("target_cpu", 0, "task_struct", "thread_info.cpu"))

#define TASK(n)                                                                                    \
	MEMBER("comm", n, "task_struct", "comm"), MEMBER("pid", n, "task_struct", "pid")

#define VECTOR	 FIELDS(ARG("vector", 0))
#define FAULT	 FIELDS(ARG("address", 0), MEMBER("ip", 1, "pt_regs", "ip"), ARG("error_code", 2))
#define SOFTIRQ	 FIELDS(ARG("vec", 0))
#define HRTIMER	 FIELDS(ARG("hrtimer", 0))
#define TIMER	 FIELDS(ARG("timer", 0))
#define TASKLET	 FIELDS(ARG("tasklet", 0), ARG("func", 1))

#define REQUESTED                                                                                  \
	FIELDS(REQUEST("dev", FROM_DISK), REQUEST("sector", FROM_SECTOR),                          \
	       REQUEST("nr_sector", FROM_LENGTH), MEMBER("bytes", 0, "request", "__data_len"),     \
	       REQUEST("ioprio", FROM_IOPRIO), REQUEST("rwbs", FROM_RWBS),                         \
	       CURRENT("comm", "comm"), NOTHING("cmd"))

/* error is what a table that is nowhere described makes of argument 1. */
#define COMPLETED                                                                                  \
	FIELDS(REQUEST("dev", FROM_DISK), MEMBER("sector", 0, "request", "__sector"),              \
	       {"nr_sector", FROM_BYTES, 2, NULL, NULL}, NOWHERE("error"),                         \
	       REQUEST("ioprio", FROM_IOPRIO), REQUEST("rwbs", FROM_RWBS), NOTHING("cmd"))

const struct rebuild rebuild_table[] = {
	{"raw_syscalls", "sys_enter", NULL, FIELDS(ARG("id", 1), REGISTERS("args", 0))},
	{"raw_syscalls", "sys_exit", NULL,
	 FIELDS(MEMBER("id", 0, "pt_regs", SYSCALL_NUMBER), ARG("ret", 1))},
	{"sched", "sched_switch", NULL,
	 FIELDS(MEMBER("prev_comm", 1, "task_struct", "comm"),
		MEMBER("prev_pid", 1, "task_struct", "pid"),
		MEMBER("prev_prio", 1, "task_struct", "prio"),
		STATE("prev_state", 1, "task_struct", "exit_state"),
		MEMBER("next_comm", 2, "task_struct", "comm"),
		MEMBER("next_pid", 2, "task_struct", "pid"),
		MEMBER("next_prio", 2, "task_struct", "prio"))},
	{"sched", "sched_waking", NULL, WOKEN},
	{"sched", "sched_wakeup", NULL, WOKEN},
	{"sched", "sched_wakeup_new", NULL, WOKEN},
	{"sched", "sched_stat_runtime", NULL, FIELDS(TASK(0), ARG("runtime", 1))},
	{"sched", "sched_migrate_task", NULL,
	 FIELDS(TASK(0), MEMBER("prio", 0, "task_struct", "prio"),
		MEMBER("orig_cpu", 0, "task_struct", "thread_info.cpu"), ARG("dest_cpu", 1))},
	{"sched", "sched_process_fork", NULL,
	 FIELDS(MEMBER("parent_comm", 0, "task_struct", "comm"),
		MEMBER("parent_pid", 0, "task_struct", "pid"),
		MEMBER("child_comm", 1, "task_struct", "comm"),
		MEMBER("child_pid", 1, "task_struct", "pid"))},
	{"sched", "sched_process_exit", NULL,
	 FIELDS(TASK(0), MEMBER("prio", 0, "task_struct", "prio"), ARG("group_dead", 1))},
	{"exceptions", "page_fault_user", NULL, FAULT},
	{"exceptions", "page_fault_kernel", NULL, FAULT},
	{"power", "cpu_idle", NULL, FIELDS(ARG("state", 0), ARG("cpu_id", 1))},
	{"irq_vectors", "local_timer_entry", NULL, VECTOR},
	{"irq_vectors", "local_timer_exit", NULL, VECTOR},
	{"irq_vectors", "reschedule_entry", NULL, VECTOR},
	{"irq_vectors", "reschedule_exit", NULL, VECTOR},
	{"irq_vectors", "irq_work_entry", NULL, VECTOR},
	{"irq_vectors", "irq_work_exit", NULL, VECTOR},
	{"irq_vectors", "call_function_entry", NULL, VECTOR},
	{"irq_vectors", "call_function_exit", NULL, VECTOR},
	{"irq_vectors", "call_function_single_entry", NULL, VECTOR},
	{"irq_vectors", "call_function_single_exit", NULL, VECTOR},
	{"irq", "irq_handler_entry", NULL, FIELDS(ARG("irq", 0), TEXT("name", 1, "irqaction", "name"))},
	{"irq", "irq_handler_exit", NULL, FIELDS(ARG("irq", 0), ARG("ret", 2))},
	{"irq", "softirq_entry", NULL, SOFTIRQ},
	{"irq", "softirq_exit", NULL, SOFTIRQ},
	{"irq", "softirq_raise", NULL, SOFTIRQ},
	{"irq", "tasklet_entry", NULL, TASKLET},
	{"irq", "tasklet_exit", NULL, TASKLET},
	{"timer", "hrtimer_init", NULL, FIELDS(ARG("hrtimer", 0), ARG("clockid", 1), ARG("mode", 2))},
	{"timer", "hrtimer_setup", NULL, FIELDS(ARG("hrtimer", 0), ARG("clockid", 1), ARG("mode", 2))},
	{"timer", "hrtimer_start", NULL,
	 FIELDS(ARG("hrtimer", 0), MEMBER("function", 0, "hrtimer", "function"),
		MEMBER("expires", 0, "hrtimer", "node.expires"),
		MEMBER("softexpires", 0, "hrtimer", "_softexpires"), ARG("mode", 1),
		ARG("was_armed", 2))},
	{"timer", "hrtimer_expire_entry", NULL,
	 FIELDS(ARG("hrtimer", 0), POINTER("now", 1), MEMBER("function", 0, "hrtimer", "function"))},
	{"timer", "hrtimer_expire_exit", NULL, HRTIMER},
	{"timer", "hrtimer_cancel", NULL, HRTIMER},
	{"timer", "timer_init", NULL, TIMER},
	{"timer", "timer_start", NULL,
	 FIELDS(ARG("timer", 0), MEMBER("function", 0, "timer_list", "function"),
		MEMBER("expires", 0, "timer_list", "expires"), ARG("bucket_expiry", 1),
		JIFFIES("now"), MEMBER("flags", 0, "timer_list", "flags"))},
	{"timer", "timer_expire_entry", NULL,
	 FIELDS(ARG("timer", 0), JIFFIES("now"), MEMBER("function", 0, "timer_list", "function"),
		ARG("baseclk", 1))},
	{"timer", "timer_expire_exit", NULL, TIMER},
	{"timer", "timer_cancel", NULL, TIMER},
	{"timer", "timer_base_idle", NULL, FIELDS(ARG("is_idle", 0), ARG("cpu", 1))},
	{"timer", "tick_stop", NULL, FIELDS(ARG("success", 0), ARG("dependency", 1))},
	{"block", "block_rq_insert", NULL, REQUESTED},
	{"block", "block_rq_issue", NULL, REQUESTED},
	{"block", "block_rq_merge", NULL, REQUESTED},
	{"block", "block_rq_requeue", NULL, REQUESTED},
	{"block", "block_io_start", NULL, REQUESTED},
	{"block", "block_io_done", NULL, REQUESTED},
	{"block", "block_rq_complete", NULL, COMPLETED},
	{0},
};
