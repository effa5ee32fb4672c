// SPDX-License-Identifier: GPL-2.0-only
/* spec.c - the list of events of one -e, and one event of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "preset_expand.h"
#include "spec_parts.h"

struct event_spec *spec__new(const char *text, size_t len)
{
	struct event_spec *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->text = strndup(text, len);
	if (!s->text) {
		free(s);
		return NULL;
	}
	return s;
}

void spec__free_one(struct event_spec *s)
{
	size_t i;

	if (!s)
		return;
	free(s->text);
	free(s->system);
	free(s->name);
	free(s->file);
	free(s->filter.s);
	free(s->options.s);
	free(s->alias);
	free(s->cpus);
	free(s->preset);
	free(s->part);
	free(s->since);
	for (i = 0; i < AGG_MAX_OP; i++)
		free(s->op[i].s);
	spec_list__free(&s->ustring);
	spec_list__free(&s->by);
	spec_list__free(&s->key);
	spec_list__free(&s->keep);
	free(s);
}

void spec__free(struct event_specs *specs)
{
	size_t i;

	for (i = 0; i < specs->n; i++)
		spec__free_one(specs->v[i]);
	free(specs->v);
	*specs = (struct event_specs){0};
}

bool spec__aggregates(const struct event_spec *s)
{
	size_t i;

	for (i = 0; i < AGG_MAX_OP; i++)
		if (s->ops[i])
			return true;
	return false;
}

bool spec__emits(const struct event_spec *s)
{
	return s->emit || (!spec__aggregates(s) && !s->is_start);
}

/* --- an event's text --- */

void event_text__free(struct event_text *t)
{
	free(t->attrs);
	*t = (struct event_text){0};
}

static bool at_end(const struct span *rest)
{
	struct span r = span__trim(*rest);

	return !r.len || *span__s(&r) == ',';
}

/* FILTER/ATTR/ATTR/ and the comma behind it. */
static int take_slashes(struct event_text *t, struct span *rest, struct err *err)
{
	size_t room = 0, n = 0;
	struct span piece;
	int more;

	do {
		more = span__cut(rest, '/', &piece, err);
		if (more < 0)
			return more;
		piece = span__trim(piece);
		if (!n++)
			t->first = piece;
		else if (piece.len && array__push(t->attrs, t->nr_attrs, room, piece))
			return err__set(err, ENOMEM, "out of memory");
	} while (more && !at_end(rest));
	*rest = span__trim(*rest);
	if (!rest->len)
		return 0;
	rest->at++;
	rest->len--;
	return 1;
}

/* @return '/' or ',' or 0, whichever ends the head */
static int take_head(struct event_text *t, struct span *rest, struct err *err)
{
	struct span by_slash, by_comma, after_slash = *rest, after_comma = *rest;
	int slash = span__cut(&after_slash, '/', &by_slash, err);
	int comma = span__cut(&after_comma, ',', &by_comma, err);

	if (slash < 0 || comma < 0)
		return -EINVAL;
	slash = slash && by_slash.len <= by_comma.len;
	t->head = span__trim(slash ? by_slash : by_comma);
	*rest = slash ? after_slash : after_comma;
	return slash ? '/' : comma ? ',' : 0;
}

int event_text__take(struct event_text *t, struct span *rest, struct err *err)
{
	int end;

	*t = (struct event_text){0};
	end = take_head(t, rest, err);
	if (end < 0)
		return end;
	if (!t->head.len) {
		t->head.len = t->head.at < strlen(t->head.text);
		return span__error(&t->head, err, "an event is missing here");
	}
	return end == '/' ? take_slashes(t, rest, err) : end == ',';
}

/* --- one event --- */

/* Carets point into the event's own text, so pieces move with it. */
static struct span in_own_text(const struct event_spec *s, const struct span *p, size_t from)
{
	return (struct span){s->text, p->at - from, p->len};
}

static int take_first(struct event_spec *s, const struct span *first)
{
	struct spec_text *to = s->kind == SPEC_SOURCE ? &s->options : &s->filter;

	if (!first->len)
		return 0;
	to->s = span__dup(first);
	to->at = first->at;
	return to->s ? 0 : -ENOMEM;
}

static size_t end_of(const struct event_text *t)
{
	const struct span *last = t->nr_attrs	 ? &t->attrs[t->nr_attrs - 1]
				  : t->first.len ? &t->first
						 : &t->head;
	size_t end = last->at + last->len;

	/* the closing slash belongs to it */
	return end + (last != &t->head && t->head.text[end] == '/');
}

static int fill(struct event_spec *s, const struct event_text *t, u32 use, struct log *log,
		struct err *err)
{
	size_t i, from = t->head.at;
	struct span piece = in_own_text(s, &t->head, from);
	int ret = spec_head__parse(s, &piece, err);

	s->preset_use = use;
	piece = in_own_text(s, &t->first, from);
	if (!ret && take_first(s, &piece))
		ret = err__set(err, ENOMEM, "out of memory");
	for (i = 0; !ret && i < t->nr_attrs; i++) {
		piece = in_own_text(s, &t->attrs[i], from);
		ret = spec_attr__parse(s, &piece, log, err);
	}
	return ret ? ret : spec_attr__check(s, err);
}

int spec__from_text(struct event_specs *specs, const struct event_text *t, const char *preset,
		    u32 use, struct log *log, struct err *err)
{
	struct event_spec *s = spec__new(span__s(&t->head), end_of(t) - t->head.at);
	int ret;

	if (!s || (preset && !(s->preset = strdup(preset))))
		ret = err__set(err, ENOMEM, "out of memory");
	else
		ret = fill(s, t, use, log, err);
	if (!ret && array__push(specs->v, specs->n, specs->room, s))
		ret = err__set(err, ENOMEM, "out of memory");
	if (ret)
		spec__free_one(s);
	return ret;
}

static bool is_bare_name(const struct span *head)
{
	return !memchr(span__s(head), ':', head->len);
}

static int parse_one(struct event_specs *specs, const struct event_text *t,
		     const char *const *preset_dirs, struct log *log, struct err *err)
{
	int ret = -ENOENT;

	if (is_bare_name(&t->head))
		ret = preset__expand(specs, t, preset_dirs, log, err);
	if (ret == -ENOENT)
		ret = spec__from_text(specs, t, NULL, 0, log, err);
	return ret;
}

int spec__parse(struct event_specs *specs, const char *text, const char *const *preset_dirs,
		struct log *log, struct err *err)
{
	struct span rest = {text, 0, strlen(text)};
	struct event_text t;
	int more, ret;

	if (!span__trim(rest).len)
		return err__usage(err, "-e: an event is missing; see: tamis list");
	do {
		more = event_text__take(&t, &rest, err);
		ret = more < 0 ? more : parse_one(specs, &t, preset_dirs, log, err);
		event_text__free(&t);
	} while (!ret && more);
	return ret;
}
