/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file parts.h - the pieces that scope__resolve() is made of; for user/scope alone.
 */
#ifndef TAMIS_SCOPE_PARTS_H
#define TAMIS_SCOPE_PARTS_H

#include "scope.h"

/** "0-3,5" as a bitmap of possible CPUs that are online. @opt the option, for messages */
int cpus__parse(const char *text, const char *opt, u64 **bits, size_t *nr_bits, struct err *err);

/** Is it the initial pid namespace? Else its numbers as bpf_get_ns_current_pid_tgid() wants them.
 */
int pidns__own(u64 *dev, u64 *ino, struct err *err);
/** The pid namespace of @pid. */
int pidns__of(u32 pid, u64 *dev, u64 *ino, struct err *err);
/** How far the pid namespace of @pid is below that of this process's /proc; -1: not told. */
int pidns__depth(u32 pid);
/** Is some process left in the namespace @ino? @pid is asked first. */
bool pidns__alive(u32 pid, u64 ino);

/** "1,23": processes that exist. */
int pids__processes(const char *text, u32 **pids, size_t *n, struct err *err);
/** "1,23": threads that exist and, where @nr_tgids is not 0, belong to one of @tgids. */
int pids__threads(const char *text, const u32 *tgids, size_t nr_tgids, u32 **tids, size_t *n,
		  struct err *err);

/** What /proc says of a task. */
struct task_stat {
	u32 tgid;
	u64 start; /**< with its number, tells a task from a later one of the same number */
	bool dead; /**< a zombie without other threads */
};

/** @return false: there is no such task */
bool task_stat__read(u32 tid, struct task_stat *st);
/** The number that @pid has in its own, innermost, pid namespace; @pid if that is not told. */
u32 task__inner_pid(u32 pid);

/** A uid or user name, as the kernel numbers it outside of user namespaces. */
int user__parse(const char *text, s64 *uid, struct err *err);

/** A name or glob, cut as the kernel cuts names. */
int comm__parse(const char *text, char **comm, bool *is_glob, struct log *log, struct err *err);

/** A cgroup as --cgroup takes it. */
int cgroup__resolve(const char *text, struct scope_cgroup *cg, struct err *err);
/** Is it still there, and the same one? */
bool cgroup__alive(const struct scope_cgroup *cg);

/** A container as --container takes it, for cgroup__resolve()'s result. */
int container__resolve(const char *text, struct scope_cgroup *cg, struct err *err);

#endif
