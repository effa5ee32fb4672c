// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>
#include "../symbol/record_frames.h"
#include "chain.h"
#include "format.h"

#define FRAMES 256

void format__chain(struct strbuf *b, const struct record *rec, struct symbolizer *sym)
{
	struct frame frames[FRAMES];
	u32 n = record_frames__named(sym, rec, frames, FRAMES), i;

	for (i = 0; i < n; i++) {
		strbuf__printf(b, "\n\t%16" PRIx64 " ", frames[i].addr);
		frame__print(&frames[i], b);
	}
}

static void put_string(struct strbuf *b, const char *s)
{
	if (s)
		format__json_string(b, s, strlen(s));
	else
		strbuf__puts(b, "null");
}

void format__chain_json(struct strbuf *b, const struct record *rec, struct symbolizer *sym)
{
	struct frame frames[FRAMES];
	u32 n = record_frames__named(sym, rec, frames, FRAMES), i;

	strbuf__putc(b, '[');
	for (i = 0; i < n; i++) {
		strbuf__printf(b, "%s{\"addr\":%" PRIu64 ",\"symbol\":", i ? "," : "", frames[i].addr);
		put_string(b, frames[i].symbol);
		strbuf__printf(b, ",\"offset\":%" PRIu64 ",\"kernel\":%s,\"dso\":", frames[i].offset,
			       frames[i].kernel ? "true" : "false");
		put_string(b, frames[i].dso);
		strbuf__putc(b, '}');
	}
	strbuf__putc(b, ']');
}
