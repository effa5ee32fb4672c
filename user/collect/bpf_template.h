/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file bpf_template.h - the template object, loaded once: what clones are cut from and share.
 */
#ifndef TAMIS_COLLECT_BPF_TEMPLATE_H
#define TAMIS_COLLECT_BPF_TEMPLATE_H

#include "stencil.h"

struct control;
struct probe_bpf;

struct bpf_template {
	struct probe_bpf *skel;
	struct stencil classic; /**< BPF_PROG_TYPE_TRACEPOINT */
	struct stencil raw; /**< BPF_PROG_TYPE_RAW_TRACEPOINT, or tp_btf */
	struct stencil classic_emit, raw_emit; /**< the same, for what is only emitted */
	int nr_cpus; /**< possible ones */
	int rings; /**< outer map, to be filled; one place a CPU */
	/** Placeholders, for program__map(). */
	int counters, scratch, agg, swap, stacks, starts, ends, task_starts, task_ends;
	volatile struct control *control; /**< mapped, shared with all clones */
};

/** @return -EPERM, -EOPNOTSUPP, ... if the kernel does not take it */
int bpf_template__open(struct bpf_template *t, struct err *err);
/** A zeroed one is fine. */
void bpf_template__close(struct bpf_template *t);

#endif
