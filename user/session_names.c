// SPDX-License-Identifier: GPL-2.0-only
/* session_names.c - names that go with records: of tasks and of addresses. */
#include "session_state.h"
#include "symbol/symbolizer.h"

const char *session__comm(struct session *s, u32 tid)
{
	(void)s;
	(void)tid;
	return NULL;
}

struct symbolizer *session__symbolizer(struct session *s)
{
	struct symbolizer_opts opts = {s->opts.raw_names, s->opts.perf_map_dir};
	struct err err = {0};

	if (!s->symbolizer)
		symbolizer__new(&s->symbolizer, &opts, s->opts.log, &err);
	return s->symbolizer;
}
