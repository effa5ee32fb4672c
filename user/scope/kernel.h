/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file kernel.h - what a scope keeps in the kernel: its maps; for user/scope alone.
 *
 * Few pids are compared one by one, with slots of an array so that user space can take one out
 * when its process ends; many are looked up in a hash.
 */
#ifndef TAMIS_SCOPE_KERNEL_H
#define TAMIS_SCOPE_KERNEL_H

#include "kernel_layout.h"
#include "scope.h"

#define SLOTS_MAX 8 /* ids compared one by one */
#define NO_PID	  0xffffffffu /* in a slot: matches no task */

struct follow;

/** A task or thread of -p, -t, or the workload. */
struct scope_seed {
	u32 id; /**< in tamis's pid namespace, for /proc and messages */
	u32 key; /**< in the namespace it is compared in */
	u32 ns; /**< index into namespaces; not used in the initial one */
	u64 start; /**< of the task, to tell it from a later one of the same number */
	bool gone;
};

struct scope_ns {
	u64 dev, ino;
};

struct scope_kernel {
	struct scope_seed *seeds;
	size_t nr_seeds;
	bool by_thread; /**< seeds are threads */
	struct scope_ns *namespaces;
	size_t nr_namespaces; /**< 0: ids are compared as the kernel numbers them */
	u32 *slots; /**< memory of slots_fd */
	int slots_fd; /**< array of one value: u32 per seed; -1: in seeds_fd */
	int seeds_fd; /**< hash by scope_kernel__key(); -1: in slots_fd */
	int cgroups_fd; /**< hash of cgroup ids; -1: few enough for the code */
	int cpus_fd; /**< array of one value: the bitmap; -1: few ranges */
	int glob_fd; /**< array of one struct glob; -1: no pattern */
	struct cgroup_layout cgroup_layout; /**< with a v1 cgroup */
	struct pidns_layout pidns_layout;
	bool has_pidns_layout; /**< else namespaces below --pidns are not told */
	struct follow *follow; /**< NULL: children are not followed */
	u64 checked; /**< when liveness was looked at, ns */
	bool ended; /**< nothing was left to match then */
	u64 gone_cgroups; /**< that were told of, the first 64 */
};

/** Key of seeds_fd: the number and, in the upper half, the namespace's inode. */
u64 seed__key(const struct scope_kernel *k, u32 ns, u32 id);
/** Key of cgroups_fd: ids of different hierarchies are independent of each other. */
u64 cgroup__key(const struct scope_cgroup *cg);
/** NULL is fine. */
void scope_kernel__free(struct scope_kernel *k);

#endif
