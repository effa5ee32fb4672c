/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file stat_opts.h - the command lines of kvmstat and stat, made sense of.
 */
#ifndef TAMIS_CMD_STAT_OPTS_H
#define TAMIS_CMD_STAT_OPTS_H

#include <regex.h>
#include "../options.h"

struct stat_opts {
	struct options given;
	double delay;			/**< of an interval, s */
	regex_t fields;			/**< if has_fields */
	bool has_fields, list_fields;
};

/** @groups of option_group. */
int stat_opts__parse(struct stat_opts *o, unsigned int groups, int argc, char **argv,
		     struct err *err);
void stat_opts__free(struct stat_opts *o);
/** Compiles a pattern that names must begin with. @return 0; -EINVAL with the reason */
int stat_fields__compile(regex_t *re, const char *text, struct err *err);

#endif
