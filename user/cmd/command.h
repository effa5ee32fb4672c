/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file command.h - one command of tamis: `tamis NAME ...`. The table of them is in main.c.
 */
#ifndef TAMIS_CMD_COMMAND_H
#define TAMIS_CMD_COMMAND_H

#include "../base/err.h"

struct command {
	const char *name;
	const char *summary;		/**< one line of `tamis` alone */
	const char *usage;		/**< what follows "Usage: tamis NAME " */
	const char *const *examples;	/**< runnable as they are; NULL-terminated */
	/**
	 * argv[0] is the command's name. @return the exit status; negative: failed, main prints
	 * @err and exits 2 for usage, 1 for the rest
	 */
	int (*run)(const struct command *self, int argc, char **argv, struct err *err);
};

/** What `tamis NAME -h` and a usage error show: usage, options, examples; to stdout. */
void command__help(const struct command *c, const char *options);
/** The same with the options of these groups (../options.h). @return 0, an exit status */
int command__help_options(const struct command *c, unsigned int groups);

#endif
