/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file cgroup_level.h - how deep this process's own cgroups are, asked of the kernel.
 *
 * Inside a cgroup namespace paths tell nothing: its root is "/" however deep it is. But this
 * process is below that root, so the kernel can be asked at which level its ancestor with that
 * id is.
 */
#ifndef TAMIS_SCOPE_CGROUP_LEVEL_H
#define TAMIS_SCOPE_CGROUP_LEVEL_H

#include "../base/err.h"

bool cgroup_level__namespace_is_initial(void);
/** @return 0; -EOPNOTSUPP: cannot be asked; -ENOENT: @id is no ancestor of this process */
int cgroup_level__of_own(u64 id, int *level, struct err *err);
/** The same in the hierarchy of v1 subsystem number @subsys. */
int cgroup_level__of_own_v1(int subsys, u64 id, int *level, struct err *err);

#endif
