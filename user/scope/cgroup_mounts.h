/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file cgroup_mounts.h - where cgroup hierarchies are mounted, and what a directory in one is.
 */
#ifndef TAMIS_SCOPE_CGROUP_MOUNTS_H
#define TAMIS_SCOPE_CGROUP_MOUNTS_H

#include "../base/types.h"

struct cgroup_mount {
	char *dir; /**< where */
	char *root; /**< what of the hierarchy, as this cgroup namespace sees it: mostly "/" */
	char *opts; /**< of a v1 hierarchy: "rw,cpu,cpuacct" */
	bool v2;
};

struct cgroup_mounts {
	struct cgroup_mount *v;
	size_t n, room;
};

/** Reads a mountinfo file; @path NULL: that of this process. @return 0 or -errno */
int cgroup_mounts__read(struct cgroup_mounts *m, const char *path);
void cgroup_mounts__free(struct cgroup_mounts *m);
/** The mount that holds the absolute path @path. @return NULL if none does */
const struct cgroup_mount *cgroup_mounts__of(const struct cgroup_mounts *m, const char *path);
/** The first cgroup2 mount, whole hierarchies preferred. @return NULL if there is none */
const struct cgroup_mount *cgroup_mounts__v2(const struct cgroup_mounts *m);
/** Does the v1 hierarchy have this controller ("memory", "name=systemd")? */
bool cgroup_mount__has(const struct cgroup_mount *m, const char *controller);

/** The id that the kernel's cgroup helpers use for a cgroup directory. @return 0 or -errno */
int cgroup__id(const char *dir, u64 *id);
/** Names in a path: 0 for "/", 2 for "/a/b". */
int path__depth(const char *path);

#endif
