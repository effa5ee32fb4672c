/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file cgroup_watch.h - tells of every cgroup2 that is made: user side of bpf/cgroup_names.bpf.c.
 */
#ifndef TAMIS_SCOPE_CGROUP_WATCH_H
#define TAMIS_SCOPE_CGROUP_WATCH_H

#include "../base/err.h"
#include "../base/types.h"

struct catalog;
struct cgroup_watch;

/** @fn is called by cgroup_watch__poll(); @path is borrowed. */
int cgroup_watch__open(struct cgroup_watch **ret, struct catalog *catalog,
		       void (*fn)(void *ctx, u64 id, const char *path), void *ctx, struct err *err);
/** NULL is fine. */
void cgroup_watch__close(struct cgroup_watch *w);
void cgroup_watch__poll(struct cgroup_watch *w);
u64 cgroup_watch__lost(const struct cgroup_watch *w);

#endif
