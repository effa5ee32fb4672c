/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file err.h - one message for one failure, made where it happened.
 *
 * The caller owns a struct err and passes it down. The first err__set() wins: what a caller
 * higher up would add is context, and that is err__prefix(). main prints it, pymod raises it.
 */
#ifndef TAMIS_BASE_ERR_H
#define TAMIS_BASE_ERR_H

#include "types.h"

struct err {
	int code;	 /**< errno, 0: nothing went wrong */
	bool usage;	 /**< what was asked for is wrong (exit 2), not what happened (exit 1) */
	char text[2048]; /**< what failed, on which object, why, what to do; lines end but the last */
};

/** Sets the message unless one is set. @return -@code, or -EINVAL if @code is 0 */
int err__set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/** The same for a mistake in what the user asked for. @return -EINVAL */
int err__usage(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * A mistake at a place of a text: the message, then the text and a caret under its bad part.
 * @subject the text, @at and @len the bad part in bytes. @return -EINVAL
 */
int err__caret(struct err *err, const char *subject, size_t at, size_t len, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/** Puts "WHERE: " in front of a message that is set. @return -err->code */
int err__prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
