// SPDX-License-Identifier: GPL-2.0-only
/* session_transport.c - which way the records of each event travel: BPF, or perf. */
#include "base/log.h"
#include "session_state.h"

static int open_bpf(struct session *s, struct err *err)
{
	struct bpf_transport_opts opts = {
		.ring_bytes = s->opts.ring_bytes,
		.low_latency = s->opts.low_latency,
		.strict_text = s->opts.strict_text,
		.self = s->opts.self,
		.explain = session__wants_explaining(s),
		.scope = s->scope,
		.log = s->opts.log,
	};

	return bpf_transport__open(&s->bpf, &opts, err);
}

static int open_perf(struct session *s, struct err *err)
{
	struct perf_transport_opts opts = {
		.ring_bytes = s->opts.ring_bytes,
		.low_latency = s->opts.low_latency,
		.self = s->opts.self,
		.scope = s->scope,
		.log = s->opts.log,
	};

	return s->perf ? 0 : perf_transport__open(&s->perf, &opts, err);
}

/* What BPF alone can do: no notice makes up for its absence. */
static bool needs_bpf(const struct event *e)
{
	return e->kind != SPEC_SOURCE &&
	       (e->spec->transport == TRANSPORT_BPF || e->kind != SPEC_TRACEPOINT ||
		spec__aggregates(e->spec) || e->spec->is_start || e->spec->since);
}

static bool wants_bpf(const struct event *e)
{
	return e->kind != SPEC_SOURCE && e->spec->transport != TRANSPORT_PERF;
}

static bool filter_needs_perf(const struct session *s, const struct event *e)
{
	return sieve__needs_perf(s->sieve, e->index);
}

static int refuse_perf(const struct event *e, struct err *err)
{
	if (e->spec->transport == TRANSPORT_PERF)
		return err__usage(err, "%s: counting and pairing are done by BPF programs: leave "
				  "transport=perf out", e->label);
	return err__usage(err, "%s reads common_flags or common_preempt_count, which the kernel does "
			  "not give to BPF: this event cannot also count, pair or be transport=bpf",
			  e->label);
}

static int fall_back(struct session *s, const struct err *why, struct err *err)
{
	size_t i;

	for (i = 0; i < s->nr_events; i++)
		if (!s->events[i]->made && needs_bpf(s->events[i])) {
			*err = *why;
			return err__prefix(err, "%s needs BPF", s->events[i]->label);
		}
	log__once(s->opts.log, LOG_NOTICE, "BPF cannot be used (%s); events travel through perf",
		  why->text);
	for (i = 0; i < s->nr_events; i++)
		if (!s->events[i]->made)
			s->events[i]->transport = TRANSPORT_PERF;
	return open_perf(s, err);
}

int session__choose_transports(struct session *s, struct err *err)
{
	bool any_bpf = false, any_perf = false;
	struct err why = {0};
	size_t i;
	int ret;

	for (i = 0; i < s->nr_events; i++) {
		struct event *e = s->events[i];

		if (e->made)
			continue;
		e->transport = wants_bpf(e) && !filter_needs_perf(s, e) ? TRANSPORT_BPF
									 : TRANSPORT_PERF;
		if (e->transport == TRANSPORT_PERF && needs_bpf(e))
			return refuse_perf(e, err);
		any_bpf |= e->transport == TRANSPORT_BPF;
		any_perf |= e->transport == TRANSPORT_PERF;
	}
	if (any_bpf) {
		ret = open_bpf(s, &why);
		if (ret)
			return fall_back(s, &why, err);
	}
	return any_perf ? open_perf(s, err) : 0;
}

int session__need_perf(struct session *s, size_t event, struct err *err)
{
	struct event *e = s->events[event];
	int ret;

	if (e->transport == TRANSPORT_PERF || e->made)
		return 0;
	if (needs_bpf(e))
		return refuse_perf(e, err);
	ret = open_perf(s, err);
	if (!ret)
		e->transport = TRANSPORT_PERF;
	return ret;
}
