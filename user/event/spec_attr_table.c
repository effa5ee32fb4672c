// SPDX-License-Identifier: GPL-2.0-only
/* spec_attr_table.c - what each attribute does to a specification. */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "spec_attr_table.h"

#define MAXLEN_MAX  4096
#define STACK_MAX   1024
#define ENTRIES_MAX (1u << 24)

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

const struct attr spec_attr_table[] = {
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
	{0},
};
_Static_assert(ARRAY_SIZE(spec_attr_table) == SPEC_ATTRS + 1, "SPEC_ATTRS is their number");
