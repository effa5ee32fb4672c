/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file workload.h - the command behind `--`: started stopped, let go once everything is attached.
 */
#ifndef TAMIS_SCOPE_WORKLOAD_H
#define TAMIS_SCOPE_WORKLOAD_H

#include <sys/types.h>
#include "../base/err.h"

struct workload;

/** Forks a child that waits in front of its exec. Signal dispositions of the child are default. */
int workload__spawn(struct workload **ret, char *const *argv, struct err *err);
pid_t workload__pid(const struct workload *w);
/** Lets it exec. A command that cannot be executed is the error. */
int workload__release(struct workload *w, struct err *err);
/** A pidfd that becomes readable when it ends, for poll. */
int workload__fd(const struct workload *w);
/** Reaps without waiting. @return wait status as waitpid() gives it; -1: still running */
int workload__status(struct workload *w);
/** A child that was never let go is ended; a running one is left alone. NULL is fine. */
void workload__free(struct workload *w);

#endif
