// SPDX-License-Identifier: GPL-2.0-only
/* spec_attr.c - the attributes of an event. */
#include <errno.h>
#include <string.h>
#include "../base/log.h"
#include "../base/strbuf.h"
#include "../base/suggest.h"
#include "spec_attr_table.h"

static const struct attr *find_attr(const struct span *name)
{
	const struct attr *a;

	for (a = spec_attr_table; a->name; a++)
		if (span__is(name, a->name))
			return a;
	return NULL;
}

/* "count,sched:x//": the slash that ends an event may be left out only at the very end. */
static bool is_missing_slash(const struct span *name)
{
	const char *comma = memchr(span__s(name), ',', name->len);
	struct span before = *name;

	if (!comma)
		return false;
	before.len = comma - span__s(name);
	return find_attr(&before);
}

static int unknown_attr(const struct span *name, struct err *err)
{
	const char *names[SPEC_ATTRS];
	struct strbuf hints = {0};
	char word[32] = "";
	size_t i;

	if (is_missing_slash(name))
		return span__error(
			name, err,
			"a / is missing in front of the comma: only the last event can do "
			"without");
	for (i = 0; i < SPEC_ATTRS; i++)
		names[i] = spec_attr_table[i].name;
	memcpy(word, span__s(name), name->len < 31 ? name->len : 31);
	suggest__near(&hints, word, names, SPEC_ATTRS);
	span__error(name, err, "no such attribute%s", hints.s ? hints.s : "");
	strbuf__free(&hints);
	return -EINVAL;
}

static int check_form(const struct attr *a, const struct span *name, const struct span *value,
		      struct err *err)
{
	struct span here = *name;

	if (a->takes == FLAG && value)
		return span__error(value, err, "%s takes no value", a->name);
	if (a->takes == VALUE && !value)
		return span__error(name, err, "%s needs a value: %s=...", a->name, a->name);
	here.at += here.len + 1; /* behind the = */
	here.len = 1;
	if (value && !value->len)
		return span__error(&here, err, "the value of %s= is missing here", a->name);
	return 0;
}

/* Splits NAME=VALUE. @return NULL: a flag */
static const struct span *split_value(const struct span *attr, struct span *name,
				      struct span *value)
{
	const char *eq = memchr(span__s(attr), '=', attr->len);

	*name = *attr;
	if (!eq)
		return NULL;
	name->len = eq - span__s(attr);
	value->text = attr->text;
	value->at = eq + 1 - attr->text;
	value->len = attr->len - name->len - 1;
	*name = span__trim(*name);
	*value = span__trim(*value);
	return value;
}

int spec_attr__parse(struct event_spec *s, const struct span *attr, struct log *log,
		     struct err *err)
{
	struct span name, value_span;
	const struct span *value = split_value(attr, &name, &value_span);
	const struct attr *a = find_attr(&name);
	int foreign;

	if (!a) {
		foreign = foreign__attr(attr, &name, err);
		if (foreign > 0)
			log__once(log, LOG_NOTICE, "%.*s: perf-prof's attribute means nothing here",
				  (int)name.len, span__s(&name));
		return foreign > 0 ? 0 : foreign < 0 ? foreign : unknown_attr(&name, err);
	}
	if (check_form(a, &name, value, err))
		return -EINVAL;
	if (s->given & (1u << (a - spec_attr_table)))
		return span__error(attr, err, "%s stands twice", a->name);
	s->given |= 1u << (a - spec_attr_table);
	return a->set(s, a, value, err);
}

/* --- what does not go together --- */

static int misplaced(const struct event_spec *s, const struct spec_list *list, struct err *err,
		     const char *message)
{
	return err__caret(err, s->text, list->v[0].at, strlen(list->v[0].s), "%s", message);
}

int spec_attr__check(struct event_spec *s, struct err *err)
{
	if (s->part && !s->preset_use)
		return err__usage(err, "%s: part= is for the events of a preset", s->text);
	if (s->by.n && !spec__aggregates(s))
		return misplaced(
			s, &s->by, err,
			"by= is the key of count, sum=, min=, max=, avg=, hist= or lhist=; one of "
			"them is missing");
	if (s->since && !s->key.n)
		return err__caret(err, s->text, s->since_at, strlen(s->since),
				  "since= needs key=, which says what belongs together");
	if (s->keep.n && !s->key.n)
		return misplaced(
			s, &s->keep, err,
			"keep= is for an event that begins an interval, and key= is missing");
	if (s->nostr && s->ustring.n)
		return misplaced(s, &s->ustring, err, "ustring= and nostr exclude each other");
	return 0;
}
