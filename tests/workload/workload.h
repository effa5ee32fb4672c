/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file workload.h - what the workload programs share: strict arguments, a start on command.
 *
 * Each does exactly what its arguments say and prints what it did as "key=value" lines. With -w as
 * first argument it prints "pid=N" and begins when a line arrives on stdin.
 */
#ifndef TAMIS_TESTS_WORKLOAD_H
#define TAMIS_TESTS_WORKLOAD_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noreturn, format(printf, 1, 2))) static inline void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(3);
}

/** -1 is an error with the system's reason. */
static inline long check(long ret, const char *what)
{
	if (ret == -1)
		die("%s: %s", what, strerror(errno));
	return ret;
}

static inline long number(const char *s)
{
	char *end;
	long n;

	if (!s)
		die("a number is missing");
	errno = 0;
	n = strtol(s, &end, 0);
	if (errno || end == s || *end)
		die("not a number: %s", s);
	return n;
}

/** Handles -w. @return the arguments behind the program's name (and -w) */
static inline char **begin(char **argv)
{
	char line[64];

	if (!argv[1] || strcmp(argv[1], "-w"))
		return argv + 1;
	printf("pid=%d\n", getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		die("stdin was closed before the start");
	return argv + 2;
}

/** Decodes \xNN in place, so that names of any bytes can be given as arguments. */
static inline char *unescape(char *s)
{
	unsigned int byte;
	char *in = s, *out = s;
	int n;

	while (*in) {
		if (sscanf(in, "\\x%2x%n", &byte, &n) == 1) {
			*out++ = byte;
			in += n;
		} else {
			*out++ = *in++;
		}
	}
	*out = 0;
	return s;
}

#endif
