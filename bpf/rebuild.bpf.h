/* SPDX-License-Identifier: GPL-2.0-only */
/* rebuild.bpf.h - what a tracepoint computes when it makes its record from its arguments. */
#ifndef TAMIS_REBUILD_BPF_H
#define TAMIS_REBUILD_BPF_H

/* Of include/linux/sched.h, the same since 5.18 gave sched_switch the state as an argument. */
#define TASK_UNINTERRUPTIBLE	0x02
#define TASK_REPORT		0x7f
#define TASK_REPORT_IDLE	0x80
#define TASK_REPORT_MAX		0x100
#define TASK_IDLE		0x402	/* uninterruptible, and no load */
#define TASK_RTLOCK_WAIT	0x1000
#define TASK_FROZEN		0x8000

/* prev_state of sched_switch: the highest bit of what is reported. */
CALLABLE u64 task_state(u64 preempted, u64 state, u64 exit_state)
{
	u64 s = (state | exit_state) & TASK_REPORT;

	ENTRY(FN_TASK_STATE);
	if (preempted & 0xff)
		return TASK_REPORT_MAX;
	if ((state & TASK_IDLE) == TASK_IDLE)
		s = TASK_REPORT_IDLE;
	if (state & (TASK_RTLOCK_WAIT | TASK_FROZEN))
		s = TASK_UNINTERRUPTIBLE;
	s |= s >> 1;
	s |= s >> 2;
	s |= s >> 4;
	return s ^ (s >> 1);
}

#endif
