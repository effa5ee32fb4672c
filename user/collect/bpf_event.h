/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file bpf_event.h - one event of the bpf transport: its clone, and where that is attached.
 */
#ifndef TAMIS_COLLECT_BPF_EVENT_H
#define TAMIS_COLLECT_BPF_EVENT_H

#include "attach.h"
#include "bpf_transport.h"
#include "counters.h"
#include "dispatch.h"
#include "../filter/holes.h"
#include "emit.h"
#include "probe_attach.h"
#include "program.h"
#include "rebuild.h"

struct bpf_template;

struct bpf_event {
	struct event *event; /**< borrowed */
	struct emit emit;
	struct holes holes;
	struct program program;
	const struct rebuild *rebuild; /**< NULL: a classic program */
	struct rebuild_plan plan; /**< with rebuild or dispatch */
	struct dispatch *dispatch; /**< the program that jumps to this one; NULL: none */
	u32 scratch; /**< IMM_SCRATCH */
	struct attachment attachment;
	struct probe_links links; /**< of a probe, instead of attachment */
};

/** What the clones of a transport have in common. */
struct bpf_shared {
	const struct bpf_template *template;
	const struct counter_map *counters;
	struct kernel_types *types;
	int scratch; /**< map, with room for each event's scratch */
	const struct bpf_transport_opts *opts;
	u32 wake; /**< pending bytes at whose multiples the reader is woken */
};

/** Decides the layout, and which kind of program it may be. */
int bpf_event__init(struct bpf_event *be, struct event *e, const struct bpf_transport_opts *opts,
		    struct kernel_types *types, u32 max_stack, struct err *err);
/** A syscall event that could be one of many behind a struct dispatch. */
bool bpf_event__can_dispatch(const struct bpf_event *be, const struct bpf_transport_opts *opts);
/** Makes the clone and loads it. */
int bpf_event__load(struct bpf_event *be, const struct bpf_shared *shared, struct err *err);
int bpf_event__attach(struct bpf_event *be, struct err *err);
void bpf_event__detach(struct bpf_event *be);
void bpf_event__free(struct bpf_event *be);
/** Runs that the kernel skipped because another program ran on that CPU. */
u64 bpf_event__missed(const struct bpf_event *be);

#endif
