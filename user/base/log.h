/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file log.h - notices of a run: what the user should know though nothing failed.
 *
 * Whoever starts a run (a command, a Python session) owns a struct log and passes it down;
 * where the lines go is the owner's choice. Lines carry no newline and no program name.
 */
#ifndef TAMIS_BASE_LOG_H
#define TAMIS_BASE_LOG_H

#include "types.h"

enum log_level {
	LOG_DEBUG,	/**< only with -v */
	LOG_NOTICE,	/**< said once: a fallback, an assumption, a surprise */
	LOG_WARNING,	/**< the result may not be what was meant: losses, impossible comparisons */
};

struct log {
	enum log_level level;	/**< the lowest that is written */
	void (*write)(void *ctx, enum log_level level, const char *line);
	void *ctx;
	u64 said[64];		/**< hashes of the log__once() lines that were said */
	unsigned int nr_said;
};

/** @log may be NULL: the line is dropped. */
void log__say(struct log *log, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Says the line unless the same text (after formatting) was said through this before. */
void log__once(struct log *log, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
