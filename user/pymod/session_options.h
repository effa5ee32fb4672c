/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file session_options.h - the arguments of tamis.Session() as the options of the command line.
 */
#ifndef TAMIS_PYMOD_SESSION_OPTIONS_H
#define TAMIS_PYMOD_SESSION_OPTIONS_H

#include "../options.h"
#include "pymod.h"

/** Owns the words that the options point into. */
struct session_options {
	struct options o;
	char **argv;
	size_t argc, room;
};

/**
 * Session("sched:sched_switch", cgroup="/web", cpus="0-3"): what a keyword is called is the long
 * option with _ for -, and _ behind it where Python has the word (with_). True is an option
 * without a value, a list is the option repeated or joined by commas, workload= a command.
 * @return 0; -1 with an exception; @so is for session_options__free() in each case
 */
int session_options__parse(struct session_options *so, PyObject *args, PyObject *kwargs);
void session_options__free(struct session_options *so);

#endif
