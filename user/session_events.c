// SPDX-License-Identifier: GPL-2.0-only
/* session_events.c - what was asked for: arguments parsed, defaults applied, met with what exists. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "collect/privilege.h"
#include "event/expand.h"
#include "scope/scope.h"
#include "kvm_feed.h"
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

/* Binaries are looked for where the scoped processes see them. */
static void find_root(struct session *s, char root[64])
{
	struct stat own, other;
	u32 pid = events__need_root(&s->specs) ? scope__any_pid(s->scope) : 0;

	root[0] = 0;
	if (!pid)
		return;
	snprintf(root, 64, "/proc/%u/root", pid);
	if (stat(root, &other) || stat("/", &own) ||
	    (own.st_dev == other.st_dev && own.st_ino == other.st_ino))
		root[0] = 0;
}

static int open_kvm(struct session *s, struct err *err)
{
	size_t i;

	for (i = 0; i < s->nr_events; i++) {
		struct event *e = s->events[i];

		if (e->kind != SPEC_SOURCE || strcmp(e->spec->name, "kvmstat"))
			continue;
		if (s->kvm)
			return err__usage(err, "%s: one kvmstat a session", e->label);
		if (!s->catalog && catalog__open(&s->catalog, s->opts.tracefs, s->opts.log, err))
			return -err->code;
		if (kvm_feed__open(&s->kvm, e, &s->opts, s->catalog, err))
			return -err->code;
	}
	return 0;
}

int session__resolve_events(struct session *s, struct err *err)
{
	char root[64];
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
	find_root(s, root);
	ret = events__resolve(s->catalog, &s->specs, root, s->clock, &s->events, &s->nr_events, err);
	if (ret)
		return ret;
	ret = open_kvm(s, err);
	if (ret)
		return ret;
	s->counted = calloc(s->nr_events, sizeof(*s->counted));
	s->reported = calloc(s->nr_events, sizeof(*s->reported));
	return s->counted && s->reported ? 0 : err__set(err, ENOMEM, "out of memory");
}
