/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file loop.h - the run of a command around a session: signals, interval timer, -N, -o, the end.
 *
 * SIGINT and SIGTERM ask to stop; a second one ends the process at once with 128 + its number.
 * SIGUSR1 reopens -o, SIGUSR2 asks for statistics. One loop a process.
 */
#ifndef TAMIS_CMD_LOOP_H
#define TAMIS_CMD_LOOP_H

#include <signal.h>
#include "../options.h"
#include "../session.h"

struct loop_hooks {
	/** Every -i. Not 0: ends the run. May be NULL. */
	int (*interval)(void *ctx);
	/** On SIGUSR2. Not 0: ends the run. May be NULL. */
	int (*print_stat)(void *ctx);
	void *ctx;
};

struct loop;

/**
 * Installs the handlers, opens -o in place of stdout, raises the soft limit of open files, writes
 * notices to stderr through o->log. @o is borrowed.
 */
int loop__open(struct loop **ret, struct options *o, struct err *err);
/** When the run was asked to end, ns of CLOCK_MONOTONIC; 0: it was not. Valid for ever. */
const volatile u64 *loop__stopped_at(void);
/** Ends the run as Ctrl-C does. */
void loop__stop(void);

/**
 * Attaches, polls until it is to end, detaches, drains. Losses are told to @sink and on stderr,
 * `lost N events (total M)`, at most once a second.
 * A sink or hook that is not 0 ends the run without draining; so does -EPIPE.
 * @return 0; -errno with @err set
 */
int loop__run(struct loop *l, struct session *s, const struct session_sink *sink,
	      const struct loop_hooks *hooks, struct err *err);
/** On stderr: losses, and on a terminal what became of each event. */
void loop__summary(const struct loop *l, struct session *s);
/** Exit status of a workload's wait status: its own, 128 + signal, 0 when there was none. */
int loop__workload_exit(const struct session *s);

/** NULL is fine. */
void loop__free(struct loop *l);

#endif
