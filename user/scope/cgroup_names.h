/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file cgroup_names.h - paths and containers of cgroup ids, also of cgroups that are gone by now.
 *
 * Paths are those of cgroup2 as /proc/PID/cgroup shows them: "/", "/system.slice/ssh.service".
 */
#ifndef TAMIS_SCOPE_CGROUP_NAMES_H
#define TAMIS_SCOPE_CGROUP_NAMES_H

#include "../base/err.h"
#include "../base/types.h"

struct catalog;
struct cgroup_names;
struct log;

/**
 * Reads the tree, and watches it from then on so that cgroups of a short life get their names.
 * Where it cannot be watched one notice says so and the names still come from the tree.
 */
int cgroup_names__open(struct cgroup_names **ret, struct catalog *catalog, struct log *log,
		       struct err *err);
/** NULL is fine. */
void cgroup_names__close(struct cgroup_names *n);
/** Takes in what was made since; call now and then (each second will do). */
void cgroup_names__poll(struct cgroup_names *n);

/** @return borrowed until close; NULL: not known */
const char *cgroup_names__path(struct cgroup_names *n, u64 id);
/** The short id or name of the innermost container. @return as above; NULL: in no container */
const char *cgroup_names__container(struct cgroup_names *n, u64 id);
/** Cgroups that were made while nobody looked; their names may be missing. */
u64 cgroup_names__lost(const struct cgroup_names *n);

#endif
