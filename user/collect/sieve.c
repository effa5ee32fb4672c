// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "../base/log.h"
#include "../filter/compile.h"
#include "../filter/eval.h"
#include "../filter/holes.h"
#include "sieve_event.h"

static int parse_filter(struct sieve *s, struct sieve_event *se, struct err *err)
{
	const struct event_spec *spec = se->event->spec;
	struct expr *e;
	int ret;

	if (!spec || !spec->filter.s)
		return 0;
	ret = expr__parse(&e, se->event, &spec->filter, EXPR_WANT_INT, s->opts.world, s->opts.log,
			  err);
	if (ret)
		return ret;
	if (expr__split(e, &se->early, &se->late))
		return err__set(err, ENOMEM, "out of memory");
	/* where it may have to be evaluated here, records carry what it asks for */
	if (s->opts.user_filter)
		se->event->with |= expr__extras(se->early);
	return 0;
}

static int parse_event(struct sieve *s, struct sieve_event *se, struct err *err)
{
	int ret = parse_filter(s, se, err);

	if (!ret)
		ret = table__parse(&se->table, se->event, &s->sw, s->opts.world, s->opts.log, err);
	if (!ret)
		ret = pairing__parse(&se->pairing, se->event, &s->opts, err);
	return ret;
}

static int link_pairs(struct sieve *s, struct err *err)
{
	_cleanup_free_ struct pairing **all = calloc(s->nr + 1, sizeof(*all));
	int ret = 0;

	if (!all)
		return err__set(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < s->nr; i++)
		all[i] = &s->events[i].pairing;
	for (size_t i = 0; i < s->nr && !ret; i++)
		ret = pairing__link(all[i], all, s->nr, err);
	return ret;
}

int sieve__open(struct sieve **ret, struct event *const *events, size_t n,
		const struct sieve_opts *opts, struct err *err)
{
	struct sieve *s = calloc(1, sizeof(*s));
	int code = 0;

	*ret = NULL;
	if (s)
		s->events = calloc(n ? n : 1, sizeof(*s->events));
	if (!s || !s->events) {
		free(s);
		return err__set(err, ENOMEM, "out of memory");
	}
	s->opts = *opts;
	s->nr = n;
	for (size_t i = 0; i < n && !code; i++) {
		s->events[i].event = events[i];
		code = parse_event(s, &s->events[i], err);
	}
	if (!code)
		code = link_pairs(s, err);
	if (code) {
		sieve__close(s);
		return code;
	}
	*ret = s;
	return 0;
}

void sieve__close(struct sieve *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr; i++) {
		struct sieve_event *se = &s->events[i];

		expr__free(se->early);
		expr__free(se->late);
		compile_env__free(&se->env);
		table__free(se->table);
		pairing__free(&se->pairing);
	}
	kernel_types__free(&s->types);
	free(s->events);
	free(s);
}

bool sieve__needs_perf(const struct sieve *s, size_t i)
{
	return expr__uses(s->events[i].early) & EXPR_USES_COMMON;
}

const struct expr *sieve__filter(const struct sieve *s, size_t i)
{
	return s->events[i].early;
}

/* --- bpf --- */

/* With --user-filter what the kernel cannot do is done here, after a notice. */
static int fall_back(struct sieve *s, struct sieve_event *se, struct holes *h, struct err *err)
{
	if (!s->opts.user_filter || (err->code != E2BIG && err->code != EOPNOTSUPP))
		return -err->code;
	err->text[strcspn(err->text, "\n")] = 0; /* a notice is one line, without the caret */
	log__once(s->opts.log, LOG_NOTICE, "%s: its filter runs in user space: %s",
		  se->event->label, err->text);
	*err = (struct err){0};
	code__free(&h->filter);
	se->here = s->any_here = true;
	return 0;
}

static int fill_filter(struct sieve *s, struct sieve_event *se, struct holes *h, struct err *err)
{
	int ret = 0;

	if (se->early)
		ret = compile__filter(&h->filter, se->early, se->event, &se->env, err);
	if (ret && !se->table && !se->pairing.event)
		ret = fall_back(s, se, h, err);
	if (!ret && se->late)
		ret = compile__filter(&h->late, se->late, se->event, &se->env, err);
	return ret;
}

int sieve__fill(struct sieve *s, size_t i, struct holes *h, struct err *err)
{
	struct sieve_event *se = &s->events[i];
	int ret;

	se->env.strict_text = s->opts.strict_text;
	se->env.types = &s->types;
	se->env.ns_dev = s->kernel.ns_dev;
	se->env.ns_ino = s->kernel.ns_ino;
	ret = fill_filter(s, se, h, err);
	if (!ret && se->table)
		ret = table__fill(se->table, h, &se->env, err);
	if (!ret)
		ret = pairing__fill(&se->pairing, h, &s->kernel, &se->env, err);
	return ret;
}

void sieve__loaded(struct sieve *s)
{
	for (size_t i = 0; i < s->nr; i++)
		compile_env__free(&s->events[i].env);
	kernel_types__free(&s->types);
}

/* --- here --- */

bool sieve__any_here(const struct sieve *s)
{
	return s->any_here;
}

bool sieve__passes(const struct sieve *s, const struct record *rec, bool *unknown)
{
	const struct sieve_event *se = &s->events[rec->event->index];

	*unknown = false;
	if (!se->here)
		return true;
	return eval__filter(se->early, rec, unknown) && !(*unknown && s->opts.strict_text);
}

void sieve__kernel(struct sieve *s, const struct sieve_kernel *k)
{
	s->kernel = *k;
	s->sw.control = k->control;
	for (size_t i = 0; i < s->nr; i++)
		if (s->events[i].table)
			s->events[i].table->kernel = &s->kernel;
}

struct table *sieve__table(struct sieve *s, size_t i)
{
	return s->events[i].table;
}
