// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include "log.h"

#define LINE_MAX_ 1024

static u64 hash_line(const char *line)
{
	u64 h = 14695981039346656037ull;

	for (; *line; line++)
		h = (h ^ (u8)*line) * 1099511628211ull;
	return h;
}

/* When the table is full a line may be said twice, which is better than not at all. */
static bool said_before(struct log *log, const char *line)
{
	u64 h = hash_line(line);
	unsigned int i;

	for (i = 0; i < log->nr_said; i++)
		if (log->said[i] == h)
			return true;
	if (log->nr_said < ARRAY_SIZE(log->said))
		log->said[log->nr_said++] = h;
	return false;
}

static void write_line(struct log *log, enum log_level level, bool once, const char *fmt, va_list ap)
{
	char line[LINE_MAX_];

	if (!log || !log->write || level < log->level)
		return;
	vsnprintf(line, sizeof(line), fmt, ap);
	if (!once || !said_before(log, line))
		log->write(log->ctx, level, line);
}

void log__say(struct log *log, enum log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line(log, level, false, fmt, ap);
	va_end(ap);
}

void log__once(struct log *log, enum log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line(log, level, true, fmt, ap);
	va_end(ap);
}
