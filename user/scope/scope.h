/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file scope.h - whose events: what the options say, resolved to numbers the kernel compares.
 */
#ifndef TAMIS_SCOPE_SCOPE_H
#define TAMIS_SCOPE_SCOPE_H

#include "../base/err.h"
#include "../base/types.h"

struct catalog;
struct log;
struct scope_kernel;

/** As given; strings are borrowed. NULL and false: no such limit. spec/scope.md */
struct scope_opts {
	const char *pids, *tids; /**< "1,23" */
	const char *cpus; /**< "0-3,5" */
	const char *comm, *user;
	const char *const *cgroups; /**< NULL-terminated */
	const char *const *containers; /**< NULL-terminated */
	const char *pidns; /**< a pid */
	bool follow; /**< children of scoped tasks too */
	bool no_follow; /**< not even those of the workload, which are by default */
	bool exact; /**< cgroups without their descendants */
};

struct scope_cgroup {
	u64 id;
	int level; /**< of a cgroup2: depth below the root */
	int v1; /**< subsystem number of a v1 controller; -1: cgroup2 */
	char *path; /**< for messages; owned */
};

struct scope {
	u32 *tgids, *tids; /**< in tamis's own pid namespace */
	size_t nr_tgids, nr_tids;
	u32 workload; /**< tgid of the workload; 0: none, or it is not in the scope */
	bool follow, no_follow;
	u64 *cpus; /**< bitmap; NULL: all */
	size_t nr_cpus; /**< bits in it */
	char *comm; /**< exact name or glob, at most 15 bytes as the kernel has it */
	bool comm_is_glob;
	s64 uid; /**< -1: any */
	struct scope_cgroup *cgroups;
	size_t nr_cgroups;
	bool exact;
	u64 pidns_dev, pidns_ino; /**< as the kernel numbers them; 0: any */
	u32 pidns_pid; /**< the process that named it */
	int pidns_level; /**< below the initial one; -1: not known */
	u64 own_ns_dev, own_ns_ino; /**< tamis's pid namespace; 0: it is the initial one */
	struct scope_kernel *kernel; /**< maps and programs; NULL before scope__arm() */
};

/** Everything is checked here: a scope that cannot match anything is an error. */
int scope__resolve(struct scope **ret, const struct scope_opts *opts, struct log *log,
		   struct err *err);
/** A process that is in the scope by its number or its cgroup. @return 0: none is known */
u32 scope__any_pid(const struct scope *s);
/**
 * Adds the workload, and its children unless no_follow. Beside -p or -t it is not in the scope: it
 * only ends the run, which one notice says.
 */
void scope__set_workload(struct scope *s, u32 tgid, struct log *log);
/** NULL is fine. */
void scope__free(struct scope *s);
/**
 * Makes what the scope needs in the kernel: its maps and, with @follow or a workload, the
 * programs that keep the followed tasks. After scope__set_workload(), before scope__code(), and
 * before the workload is let go.
 */
int scope__arm(struct scope *s, struct catalog *catalog, struct err *err);
/** Ends the following. The maps stay, for programs that still hold code of scope__code(). */
void scope__disarm(struct scope *s);
/** Since scope__arm(): tasks not followed because the map was full, and forks that were missed. */
void scope__lost(const struct scope *s, u64 *full, u64 *missed);
/** Housekeeping; for a timer of a second or so. */
void scope__tick(struct scope *s);
/**
 * Can any of it still match? False once every scoped process, cgroup and workload is gone. Says
 * once what has gone, and takes it out of the kernel's scope, so that a reused pid does not match.
 * Cheap enough for every drain of the rings.
 */
bool scope__alive(struct scope *s, struct log *log);

#endif
