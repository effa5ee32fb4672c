/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file commands.h - every command, for the table in main.c.
 */
#ifndef TAMIS_CMD_COMMANDS_H
#define TAMIS_CMD_COMMANDS_H

#include "command.h"

extern const struct command cmd_doctor;
extern const struct command cmd_kvmstat;
extern const struct command cmd_list;
/** Not in the table: what the program does when it is called by that name. */
extern const struct command cmd_perf_prof;
extern const struct command cmd_profile;
extern const struct command cmd_python;
extern const struct command cmd_run;
extern const struct command cmd_stat;
extern const struct command cmd_symbols;
extern const struct command cmd_top;
extern const struct command cmd_trace;

#endif
