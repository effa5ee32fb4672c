// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include "log.h"

#define LINE_MAX_ 1024

void log__say(struct log *log, enum log_level level, const char *fmt, ...)
{
	char line[LINE_MAX_];
	va_list ap;

	if (!log || !log->write || level < log->level)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	log->write(log->ctx, level, line);
}

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

void log__once(struct log *log, enum log_level level, const char *fmt, ...)
{
	char line[LINE_MAX_];
	va_list ap;

	if (!log || !log->write || level < log->level)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (!said_before(log, line))
		log->write(log->ctx, level, line);
}
