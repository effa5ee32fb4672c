/* SPDX-License-Identifier: GPL-2.0-only */
/* limit.bpf.h - sample= and rate=: only some of the events that pass the filter. */
#ifndef TAMIS_LIMIT_BPF_H
#define TAMIS_LIMIT_BPF_H

static __always_inline bool one_in(struct counters *mine)
{
	if (++mine->sampled < PATCHED(IMM_SAMPLE))
		return false;
	mine->sampled = 0;
	return true;
}

static __always_inline bool below_rate(struct counters *mine)
{
	u64 second = bpf_ktime_get_ns() / 1000000000;

	if (mine->window != second) {
		mine->window = second;
		mine->in_window = 0;
	}
	if (mine->in_window++ < PATCHED(IMM_RATE))
		return true;
	count_in(mine, C_RATE_LIMITED);
	return false;
}

static __always_inline bool within_limits(void)
{
	struct counters *mine;

	if (!HAS(F_SAMPLE | F_RATE))
		return true;
	mine = counters_here();
	if (!mine)
		return false;
	if (HAS(F_SAMPLE) && !one_in(mine))
		return false;
	return !HAS(F_RATE) || below_rate(mine);
}

#endif
