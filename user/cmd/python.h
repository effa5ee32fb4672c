/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file python.h - a run with a script, for `tamis python` and for the program called perf-prof.
 */
#ifndef TAMIS_CMD_PYTHON_H
#define TAMIS_CMD_PYTHON_H

#include "../embed/script.h"
#include "../options.h"
#include "commands.h"

/** @o and @opts filled but for what the loop adds. @return the exit status, or -errno with @err */
int python__run(struct options *o, struct script_opts *opts, struct err *err);

#endif
