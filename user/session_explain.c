// SPDX-License-Identifier: GPL-2.0-only
/* session_explain.c - why nothing is seen: after 3 s of silence one line an event. */
#include "base/log.h"
#include "session_state.h"

#define SILENCE 3000000000ull /* ns */

static void explain_event(struct session *s, size_t i)
{
	const struct event *e = s->events[i];
	struct event_stats st;

	session__stats(s, i, &st);
	if (st.delivered || !spec__emits(e->spec) || e->transport == TRANSPORT_PERF)
		return;
	if (!st.fired)
		log__say(s->opts.log, LOG_NOTICE, "%s: never fired so far", e->label);
	else
		log__say(s->opts.log, LOG_NOTICE,
			 "%s: no record so far: fired %llu, out of scope %llu, own %llu, rejected by the "
			 "filter %llu", e->label, (unsigned long long)st.fired,
			 (unsigned long long)st.out_of_scope, (unsigned long long)st.own,
			 (unsigned long long)st.rejected);
}

bool session__wants_explaining(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_events; i++)
		if (spec__emits(s->events[i]->spec))
			return true;
	return s->opts.verbose;
}

void session__explain_silence(struct session *s, u64 now)
{
	size_t i;

	if (s->explained || (!s->delivered && now - s->attached_at < SILENCE))
		return;
	s->explained = true;
	for (i = 0; i < s->nr_events && !s->delivered; i++)
		explain_event(s, i);
	if (s->bpf && !s->opts.verbose)
		bpf_transport__explain(s->bpf, false);
}
