/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file cgroup_v1.h - cgroups of v1 controllers: found through the task's css set.
 *
 * No helper tells them, so the code follows task->cgroups->subsys[N]->cgroup.
 */
#ifndef TAMIS_SCOPE_CGROUP_V1_H
#define TAMIS_SCOPE_CGROUP_V1_H

#include "kernel_layout.h"

struct cgroup_mount;

/** The number of a controller of the hierarchy @m. @dir names the cgroup, for messages. */
int cgroup_v1__subsystem(const struct cgroup_mount *m, const char *dir, int *subsys,
			 struct err *err);
/**
 * r0 = id of the current task's cgroup in the subsystem's hierarchy, or with @level >= 0 of its
 * ancestor there; 0 if it is not that deep. r1 to r5 are lost, 16 bytes at r7 + @tmp are used.
 */
void cgroup_v1__load_id(struct code *c, const struct cgroup_layout *l, int subsys, int level,
			int tmp);

#endif
