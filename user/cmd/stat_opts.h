/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file stat_opts.h - the command lines of kvmstat and stat.
 *
 * Short options are those of the kernel tree's kvm_stat, so scope and session options have only
 * their long names here.
 */
#ifndef TAMIS_CMD_STAT_OPTS_H
#define TAMIS_CMD_STAT_OPTS_H

#include <regex.h>
#include "../base/log.h"
#include "../options.h"

struct stat_opts {
	struct session_opts session;
	struct scope_opts scope;
	struct string_list cgroups, containers;
	struct log log;
	double delay;			/**< s */
	bool once, lines, csv, skip_zero, help, list_fields, quiet;
	const char *file;		/**< -L */
	const char *fields_text;
	regex_t fields;
	bool has_fields;
	/* kvmstat */
	const char *pid, *guest;
	bool tracepoints, debugfs, include_past, latency;
	/* stat */
	struct string_list events, children;
};

enum stat_kind { STAT_KVM, STAT_EVENTS };

/** Behind `--` is session.workload. */
int stat_opts__parse(struct stat_opts *o, enum stat_kind kind, int argc, char **argv, struct err *err);
void stat_opts__free(struct stat_opts *o);
/** The options as help shows them. */
const char *stat_opts__help(enum stat_kind kind);
/** Compiles a pattern that names must begin with. @return 0; -EINVAL with the reason */
int stat_fields__compile(regex_t *re, const char *text, struct err *err);

#endif
