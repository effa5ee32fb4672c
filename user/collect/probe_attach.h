/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file probe_attach.h - the places in files and in the kernel that run the program of a probe.
 */
#ifndef TAMIS_COLLECT_PROBE_ATTACH_H
#define TAMIS_COLLECT_PROBE_ATTACH_H

#include <linux/bpf.h>
#include "../base/err.h"
#include "../event/event.h"
#include "attach.h"

/** One attachment for each place. */
struct probe_links {
	struct attachment *v;
	size_t n;
};

/** What the program of @e is loaded as. */
enum bpf_prog_type probe_attach__type(const struct event *e, int *attach_type);
/** All places or none. */
int probe_attach__all(struct probe_links *l, const struct event *e, int prog, struct err *err);
void probe_attach__free(struct probe_links *l);

#endif
