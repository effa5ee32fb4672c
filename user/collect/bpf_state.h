/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file bpf_state.h - what bpf_transport.c and bpf_load.c share.
 */
#ifndef TAMIS_COLLECT_BPF_STATE_H
#define TAMIS_COLLECT_BPF_STATE_H

#include "bpf_event.h"
#include "bpf_rings.h"
#include "bpf_template.h"

struct bpf_transport {
	struct bpf_transport_opts opts;
	struct bpf_template template;
	struct counter_map counters;
	int scratch; /* map; 0: not made yet */
	struct bpf_rings rings;
	struct bpf_ring_events by_index; /* of the session's events, ours alone set */
	struct dispatch dispatch[DISPATCH_POINTS];
	struct kernel_types types; /* until load is done */
	struct bpf_event *events;
	size_t nr, room;
	u32 max_stack;
};

#endif
