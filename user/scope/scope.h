/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file scope.h - whose events: what the options say, resolved to numbers the kernel compares.
 */
#ifndef TAMIS_SCOPE_SCOPE_H
#define TAMIS_SCOPE_SCOPE_H

#include "../base/err.h"
#include "../base/types.h"

struct log;

/** As given; strings are borrowed. NULL and false: no such limit. spec/scope.md */
struct scope_opts {
	const char *pids, *tids;		/**< "1,23" */
	const char *cpus;			/**< "0-3,5" */
	const char *comm, *user;
	const char *const *cgroups;		/**< NULL-terminated */
	const char *const *containers;		/**< NULL-terminated */
	const char *pidns;			/**< a pid */
	bool follow;				/**< children of scoped tasks too */
	bool exact;				/**< cgroups without their descendants */
};

struct scope_cgroup {
	u64 id;
	int level;		/**< of a cgroup2: depth below the root */
	int v1;			/**< subsystem number of a v1 controller; -1: cgroup2 */
	char *path;		/**< for messages; owned */
};

struct scope {
	u32 *tgids, *tids;	/**< in tamis's own pid namespace */
	size_t nr_tgids, nr_tids;
	u32 workload;		/**< tgid of the workload; 0: none */
	bool follow;
	u64 *cpus;		/**< bitmap; NULL: all */
	size_t nr_cpus;		/**< bits in it */
	char *comm;		/**< exact name or glob, at most 15 bytes as the kernel has it */
	bool comm_is_glob;
	s64 uid;		/**< -1: any */
	struct scope_cgroup *cgroups;
	size_t nr_cgroups;
	bool exact;
	u64 pidns_ino;		/**< 0: any */
	u64 own_ns_dev, own_ns_ino; /**< tamis's pid namespace; 0: it is the initial one */
};

/** Everything is checked here: a scope that cannot match anything is an error. */
int scope__resolve(struct scope **ret, const struct scope_opts *opts, struct log *log,
		   struct err *err);
/** NULL is fine. */
void scope__free(struct scope *s);
/** Can any of it still match? False once every scoped process, cgroup and workload is gone. */
bool scope__alive(const struct scope *s);

#endif
