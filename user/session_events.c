// SPDX-License-Identifier: GPL-2.0-only
/* session_events.c - what was asked for: arguments parsed, defaults applied, met with what exists. */
#include <errno.h>
#include <stdlib.h>
#include "collect/privilege.h"
#include "event/expand.h"
#include "session_state.h"

static int parse_events(struct session *s, struct err *err)
{
	const char *const *e;
	int ret;

	for (e = s->opts.events; e && *e; e++) {
		ret = spec__parse(&s->specs, *e, s->opts.preset_dirs, s->opts.log, err);
		if (ret)
			return ret;
	}
	if (!s->specs.n)
		return err__usage(err, "no event: name one with -e, for example -e sched:sched_switch");
	return spec__link(&s->specs, err);
}

/* What holds for every event unless it says otherwise. */
static void apply_defaults(struct session *s)
{
	size_t i;

	for (i = 0; i < s->specs.n; i++) {
		struct event_spec *spec = s->specs.v[i];

		if (s->opts.stack && !spec->stack)
			spec->stack = s->opts.stack;
		if (s->opts.stack_default && spec->stack_default)
			spec->stack = s->opts.stack_default;
		spec->stack &= ~s->opts.stack_off;
		if (spec->transport == TRANSPORT_AUTO)
			spec->transport = s->opts.transport;
		spec->nostr |= s->opts.nostr;
		spec->with |= s->opts.with;
		spec->only_grows = s->opts.only_grow;
		if (s->opts.count && spec->kind != SPEC_SOURCE && !spec->is_start && !spec->emit &&
		    !spec__aggregates(spec))
			spec->ops[AGG_COUNT] = true;
	}
}

int session__resolve_events(struct session *s, struct err *err)
{
	int ret = parse_events(s, err);

	if (ret)
		return ret;
	apply_defaults(s);
	if (events__need_catalog(&s->specs)) {
		ret = catalog__open(&s->catalog, s->opts.tracefs, s->opts.log, err);
		if (ret == -EACCES || ret == -EPERM)
			privilege__add(err);	/* one message for all that is missing */
		if (ret)
			return ret;
	}
	ret = events__resolve(s->catalog, &s->specs, s->clock, &s->events, &s->nr_events, err);
	if (ret)
		return ret;
	s->counted = calloc(s->nr_events, sizeof(*s->counted));
	s->reported = calloc(s->nr_events, sizeof(*s->reported));
	return s->counted && s->reported ? 0 : err__set(err, ENOMEM, "out of memory");
}
