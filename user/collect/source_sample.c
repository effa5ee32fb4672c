// SPDX-License-Identifier: GPL-2.0-only
/* source_sample.c - --sample LIST: ip,addr,read=id:lost,regs_user=ip:sp,stack_user=8192,... */
#include <errno.h>
#include <string.h>
#include "../event/sample.h"
#include "source_opts.h"

/* A part of the list, or one of the names behind its '='. */
struct item {
	const char *s;
	size_t len, at; /* @at in the spec's text */
};

struct list {
	struct source_opts *o;
	const struct event_spec *spec;
	struct err *err;
};

struct bit {
	const char *name;
	u64 bit;
};

static const struct bit read_formats[] = {
	{"value", 0},
	{"time_enabled", PERF_FORMAT_TOTAL_TIME_ENABLED},
	{"time_running", PERF_FORMAT_TOTAL_TIME_RUNNING},
	{"id", PERF_FORMAT_ID},
	{"lost", SAMPLE_FORMAT_LOST},
	{"group", PERF_FORMAT_GROUP},
	{NULL, 0},
};

static const struct bit branches[] = {
	{"user", PERF_SAMPLE_BRANCH_USER},
	{"kernel", PERF_SAMPLE_BRANCH_KERNEL},
	{"hv", PERF_SAMPLE_BRANCH_HV},
	{"any", PERF_SAMPLE_BRANCH_ANY},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
	{"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
	{"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
	{"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
	{"cond", PERF_SAMPLE_BRANCH_COND},
	{"call_stack", PERF_SAMPLE_BRANCH_CALL_STACK},
	{"call", PERF_SAMPLE_BRANCH_CALL},
	{"no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS},
	{"no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES},
	{"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
	{"hw_index", PERF_SAMPLE_BRANCH_HW_INDEX},
	{"counter", SAMPLE_BRANCH_COUNTERS},
	{NULL, 0},
};

/* Cuts @rest at @sep. @return false: nothing is left */
static bool next_item(struct item *rest, char sep, struct item *item)
{
	const char *end;

	if (!rest->s)
		return false;
	end = memchr(rest->s, sep, rest->len);
	*item = *rest;
	if (!end) {
		rest->s = NULL;
		return true;
	}
	item->len = end - rest->s;
	rest->s += item->len + 1;
	rest->at += item->len + 1;
	rest->len -= item->len + 1;
	return true;
}

static bool item_is(const struct item *i, const char *name)
{
	return strlen(name) == i->len && !memcmp(i->s, name, i->len);
}

static const struct bit *find_bit(const struct bit *bits, const struct item *i)
{
	for (; bits->name; bits++)
		if (item_is(i, bits->name))
			return bits;
	return NULL;
}

static int bits_of(struct list *l, const struct bit *bits, struct item *value, const char *what,
		   u64 *v)
{
	const struct bit *b;
	struct item i;

	while (next_item(value, ':', &i)) {
		b = find_bit(bits, &i);
		if (!b)
			return source_opts__error(l->spec, i.at, i.len, l->err,
						  "no %s is called %.*s", what, (int)i.len, i.s);
		*v |= b->bit;
	}
	return 0;
}

static int regs_of(struct list *l, struct item *value, u64 *mask)
{
	u64 can = sample__reg_mask(sample__arch());
	struct item i;
	int bit;

	while (next_item(value, ':', &i)) {
		bit = sample__reg_bit(sample__arch(), i.s, i.len);
		if (bit < 0 || !(can >> bit & 1))
			return source_opts__error(l->spec, i.at, i.len, l->err,
						  "the kernel gives no register %.*s here",
						  (int)i.len, i.s);
		*mask |= 1ull << bit;
	}
	return 0;
}

static int bytes_of(struct list *l, struct item *value, u32 *bytes)
{
	u64 v;

	if (source_opts__number(value->s, value->len, &v) || !v || v > 65528)
		return source_opts__error(l->spec, value->at, value->len, l->err,
					  "a size in bytes, from 8 to 65528");
	*bytes = (v + 7) & ~7ull;
	return 0;
}

static int part_value(struct list *l, u64 bit, const struct item *part, struct item *value)
{
	switch (bit) {
	case PERF_SAMPLE_READ:
		return bits_of(l, read_formats, value, "part of read", &l->o->read_format);
	case PERF_SAMPLE_BRANCH_STACK:
		return bits_of(l, branches, value, "kind of branch", &l->o->branch);
	case PERF_SAMPLE_REGS_USER:
		return regs_of(l, value, &l->o->regs_user);
	case PERF_SAMPLE_REGS_INTR:
		return regs_of(l, value, &l->o->regs_intr);
	case PERF_SAMPLE_STACK_USER:
		return bytes_of(l, value, &l->o->stack_user);
	case PERF_SAMPLE_AUX:
		return bytes_of(l, value, &l->o->aux);
	default:
		return source_opts__error(l->spec, value->at, value->len, l->err,
					  "%.*s takes no value", (int)part->len, part->s);
	}
}

static u64 find_part(const struct item *i)
{
	u64 bit;

	if (item_is(i, "pid"))
		return PERF_SAMPLE_TID;
	if (item_is(i, "weight_struct"))
		return PERF_SAMPLE_WEIGHT_STRUCT;
	for (bit = 1; bit < 1u << 25; bit <<= 1)
		if (sample__part_name(bit) && item_is(i, sample__part_name(bit)))
			return bit;
	return 0;
}

static int add_part(struct list *l, struct item *part)
{
	struct item value = *part, name;
	u64 bit;

	next_item(&value, '=', &name);
	bit = find_part(&name);
	if (!bit)
		return source_opts__error(l->spec, name.at, name.len, l->err,
					  "no part of a sample is called %.*s; there are "
					  "identifier ip tid time addr id "
					  "stream_id cpu period read callchain raw branch_stack "
					  "regs_user stack_user weight "
					  "weight_struct data_src transaction regs_intr phys_addr "
					  "aux cgroup data_page_size "
					  "code_page_size",
					  (int)name.len, name.s);
	l->o->parts |= bit;
	l->o->chain |= bit == PERF_SAMPLE_CALLCHAIN;
	return value.s ? part_value(l, bit, &name, &value) : 0;
}

int source_sample__parse(struct source_opts *o, const struct event_spec *spec, const char *list,
			 size_t len, size_t at, struct err *err)
{
	struct list l = {o, spec, err};
	struct item rest = {list, len, at}, part;
	int ret;

	while (next_item(&rest, ',', &part)) {
		ret = add_part(&l, &part);
		if (ret)
			return ret;
	}
	if ((o->parts & PERF_SAMPLE_WEIGHT) && (o->parts & PERF_SAMPLE_WEIGHT_STRUCT))
		return source_opts__error(spec, at, len, err,
					  "weight and weight_struct exclude each other");
	return 0;
}
