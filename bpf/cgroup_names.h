/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file cgroup_names.h - what the watcher of new cgroups tells.
 */
#ifndef TAMIS_BPF_CGROUP_NAMES_H
#define TAMIS_BPF_CGROUP_NAMES_H

#define CGROUP_PATH_MAX 496 /* longer ones are looked up in the tree */

struct cgroup_made {
	u64 id;
	u32 len; /* bytes of path, the NUL included */
	u32 unused;
	char path[CGROUP_PATH_MAX];
};

#endif
