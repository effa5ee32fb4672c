// SPDX-License-Identifier: GPL-2.0-only
/* spec_attr.c - the attributes of an event. */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "../base/log.h"
#include "../base/suggest.h"
#include "catalog.h"
#include "spec_parts.h"

#define MAXLEN_MAX  4096
#define STACK_MAX   1024
#define ENTRIES_MAX (1u << 24)

struct attr {
	const char *name;
	enum { FLAG, VALUE, EITHER } takes;
	int (*set)(struct event_spec *s, const struct attr *a, const struct span *value,
		   struct err *err);
	size_t where; /* of the member, for the setters that serve several */
	s64 low, high;
};

#define MEMBER(m) offsetof(struct event_spec, m)

static void *member(struct event_spec *s, const struct attr *a)
{
	return (char *)s + a->where;
}

static int set_flag(struct event_spec *s, const struct attr *a, const struct span *value UNUSED,
		    struct err *err UNUSED)
{
	*(bool *)member(s, a) = true;
	return 0;
}

static int in_range(const struct attr *a, const struct span *value, s64 *n, struct err *err)
{
	if (span__number(value, n, err))
		return -EINVAL;
	if (*n >= a->low && *n <= a->high)
		return 0;
	return span__error(value, err, "%s= is a number from %lld to %lld", a->name,
			   (long long)a->low, (long long)a->high);
}

static int set_u32(struct event_spec *s, const struct attr *a, const struct span *value,
		   struct err *err)
{
	s64 n;

	if (in_range(a, value, &n, err))
		return -EINVAL;
	*(u32 *)member(s, a) = n;
	return 0;
}

static int set_u64(struct event_spec *s, const struct attr *a, const struct span *value,
		   struct err *err)
{
	s64 n;

	if (in_range(a, value, &n, err))
		return -EINVAL;
	*(u64 *)member(s, a) = n;
	return 0;
}

static int set_list(struct event_spec *s, const struct attr *a, const struct span *value,
		    struct err *err)
{
	return spec_list__parse(member(s, a), value, err);
}

static int set_name(struct event_spec *s, const struct attr *a, const struct span *value,
		    struct err *err)
{
	struct span c = {value->text, value->at, 1};

	for (; c.at < value->at + value->len; c.at++)
		if (!isalnum((u8)*span__s(&c)) && !strchr("_-.:", *span__s(&c)))
			return span__error(&c, err,
					   "%s= is a name of letters, digits and _ - . :", a->name);
	*(char **)member(s, a) = span__dup(value);
	if (a->where == MEMBER(since))
		s->since_at = value->at;
	return *(char **)member(s, a) ? 0 : err__set(err, ENOMEM, "out of memory");
}

/* --- words from a list --- */

struct word {
	const char *name;
	u32 bits;
};

static int match_word(const struct span *p, const char *what, const struct word *words, size_t n,
		      u32 *bits, struct err *err)
{
	struct span bare = *p;
	size_t i;

	if (bare.len > 1 && *span__s(&bare) == '_')
		bare.at++, bare.len--;
	for (i = 0; i < n; i++) {
		if (span__is(&bare, words[i].name)) {
			*bits |= words[i].bits;
			return 0;
		}
	}
	return span__error(p, err, "%s", what);
}

static int match_words(const struct span *value, const char *what, const struct word *words,
		       size_t n, u32 *bits, struct err *err)
{
	struct span rest = *value, piece;
	int more;

	do {
		more = span__cut(&rest, ',', &piece, err);
		piece = span__trim(piece);
		if (more < 0 || match_word(&piece, what, words, n, bits, err))
			return -EINVAL;
	} while (more);
	return 0;
}

static int set_stack(struct event_spec *s, const struct attr *a UNUSED, const struct span *value,
		     struct err *err)
{
	static const struct word words[] = {
		{"kernel", STACK_KERNEL},
		{"user", STACK_USER},
		{"dwarf", STACK_USER | STACK_DWARF},
	};

	if (!value) {
		s->stack = STACK_KERNEL | STACK_USER;
		s->stack_default = true;
		return 0;
	}
	return match_words(value, "stack= is kernel, user or dwarf", words, ARRAY_SIZE(words),
			   &s->stack, err);
}

static int set_with(struct event_spec *s, const struct attr *a UNUSED, const struct span *value,
		    struct err *err)
{
	static const struct word words[] = {
		{"comm", 1 << EXTRA_COMM},
		{"ppid", 1 << EXTRA_PPID},
		{"uid", 1 << EXTRA_UID},
		{"nspid", 1 << EXTRA_NSPID},
		{"nstid", 1 << EXTRA_NSTID},
		{"cgroup", 1 << EXTRA_CGROUP},
		{"container", 1 << EXTRA_CONTAINER},
	};

	return match_words(
		value, "no such extra; there are _comm _ppid _uid _nspid _nstid _cgroup _container",
		words, ARRAY_SIZE(words), &s->with, err);
}

static int set_transport(struct event_spec *s, const struct attr *a UNUSED,
			 const struct span *value, struct err *err)
{
	static const struct word words[] = {{"bpf", TRANSPORT_BPF}, {"perf", TRANSPORT_PERF}};
	u32 bits = 0;
	int ret = match_word(value, "transport= is bpf or perf", words, ARRAY_SIZE(words), &bits,
			     err);

	s->transport = bits;
	return ret;
}

/* --- CPUs --- */

static int check_range(struct span p, struct err *err)
{
	struct span rest = p, low;
	s64 from, to;
	int dash = span__cut(&rest, '-', &low, err);

	if (dash < 0 || span__number(&low, &from, err))
		return -EINVAL;
	to = from;
	if (dash && span__number(&rest, &to, err))
		return -EINVAL;
	if (from < 0 || to < from || to > 65535)
		return span__error(&p, err, "not a range of CPUs, which is like 0-3");
	return 0;
}

static int set_cpus(struct event_spec *s, const struct attr *a UNUSED, const struct span *value,
		    struct err *err)
{
	struct span rest = *value, piece;
	int more;

	do {
		more = span__cut(&rest, ',', &piece, err);
		if (more < 0 || check_range(span__trim(piece), err))
			return -EINVAL;
	} while (more);
	s->cpus = span__dup(value);
	return s->cpus ? 0 : err__set(err, ENOMEM, "out of memory");
}

/* --- aggregation --- */

static int set_count(struct event_spec *s, const struct attr *a UNUSED,
		     const struct span *value UNUSED, struct err *err UNUSED)
{
	s->ops[AGG_COUNT] = true;
	return 0;
}

static int set_op(struct event_spec *s, const struct attr *a, const struct span *value,
		  struct err *err)
{
	enum agg_op op = a->low;

	s->ops[op] = true;
	s->op[op].s = span__dup(value);
	s->op[op].at = value->at;
	return s->op[op].s ? 0 : err__set(err, ENOMEM, "out of memory");
}

static int lhist_bounds(struct event_spec *s, const struct span *bounds, struct err *err)
{
	struct span low_high = {bounds[0].text, bounds[0].at,
				bounds[1].at + bounds[1].len - bounds[0].at};
	int i;

	for (i = 0; i < 3; i++)
		if (span__number(&bounds[i], &s->lhist[i], err))
			return -EINVAL;
	if (s->lhist[0] >= s->lhist[1])
		return span__error(&low_high, err, "lhist= goes from a lower to a higher value");
	if (s->lhist[2] <= 0)
		return span__error(&bounds[2], err, "the step of lhist= is more than 0");
	return 0;
}

static int set_lhist(struct event_spec *s, const struct attr *a, const struct span *value,
		     struct err *err)
{
	struct span rest = *value, parts[4];
	size_t n = 0;
	int more;

	do {
		more = span__cut(&rest, ',', &parts[n], err);
		if (more < 0)
			return more;
		parts[n] = span__trim(parts[n]);
	} while (more && ++n < 4);
	if (more || n != 3 || !parts[0].len)
		return span__error(value, err, "lhist= is EXPR,LOW,HIGH,STEP");
	if (set_op(s, a, &parts[0], err))
		return -EINVAL;
	return lhist_bounds(s, &parts[1], err);
}

static const struct attr attrs[] = {
	{"alias", VALUE, set_name, .where = MEMBER(alias)},
	{"stack", EITHER, .set = set_stack},
	{"max-stack", VALUE, set_u32, .where = MEMBER(max_stack), .low = 1, .high = STACK_MAX},
	{"cpus", VALUE, .set = set_cpus},
	{"transport", VALUE, .set = set_transport},
	{"ustring", VALUE, set_list, .where = MEMBER(ustring)},
	{"nostr", FLAG, set_flag, .where = MEMBER(nostr)},
	{"with", VALUE, .set = set_with},
	{"maxlen", VALUE, set_u32, .where = MEMBER(maxlen), .low = 1, .high = MAXLEN_MAX},
	{"sample", VALUE, set_u64, .where = MEMBER(sample), .low = 1, .high = UINT32_MAX},
	{"rate", VALUE, set_u64, .where = MEMBER(rate), .low = 1, .high = UINT32_MAX},
	{"count", FLAG, .set = set_count},
	{"sum", VALUE, set_op, .low = AGG_SUM},
	{"min", VALUE, set_op, .low = AGG_MIN},
	{"max", VALUE, set_op, .low = AGG_MAX},
	{"avg", VALUE, set_op, .low = AGG_AVG},
	{"hist", VALUE, set_op, .low = AGG_HIST},
	{"lhist", VALUE, set_lhist, .low = AGG_LHIST},
	{"by", VALUE, set_list, .where = MEMBER(by)},
	{"top", VALUE, set_u32, .where = MEMBER(top), .low = 1, .high = ENTRIES_MAX},
	{"entries", VALUE, set_u32, .where = MEMBER(entries), .low = 1, .high = ENTRIES_MAX},
	{"emit", FLAG, set_flag, .where = MEMBER(emit)},
	{"key", VALUE, set_list, .where = MEMBER(key)},
	{"since", VALUE, set_name, .where = MEMBER(since)},
	{"keep", VALUE, set_list, .where = MEMBER(keep)},
	{"part", VALUE, set_name, .where = MEMBER(part)},
};
_Static_assert(ARRAY_SIZE(attrs) <= 32, "event_spec.given has a bit for each");

static const struct attr *find_attr(const struct span *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		if (span__is(name, attrs[i].name))
			return &attrs[i];
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
	const char *names[ARRAY_SIZE(attrs)], *near[3];
	char word[32] = "";
	size_t i;
	int n;

	if (is_missing_slash(name))
		return span__error(
			name, err,
			"a / is missing in front of the comma: only the last event can do without");
	for (i = 0; i < ARRAY_SIZE(attrs); i++)
		names[i] = attrs[i].name;
	memcpy(word, span__s(name), name->len < 31 ? name->len : 31);
	n = suggest__nearest(word, names, ARRAY_SIZE(attrs), near, 3);
	return span__error(name, err, "no such attribute%s%s%s%s%s%s", n ? "; near: " : "",
			   n ? near[0] : "", n > 1 ? ", " : "", n > 1 ? near[1] : "",
			   n > 2 ? ", " : "", n > 2 ? near[2] : "");
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
	if (s->given & (1u << (a - attrs)))
		return span__error(attr, err, "%s stands twice", a->name);
	s->given |= 1u << (a - attrs);
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
