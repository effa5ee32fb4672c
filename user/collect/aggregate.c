// SPDX-License-Identifier: GPL-2.0-only
/*
 * aggregate.c - what an event sums up: its operators and key, parsed and laid out.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "table_impl.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define DEFAULT_ENTRIES 16384
#define INDEX_MAX	65536 /* longest array: keys of two bytes */
#define SYSCALL_NUMBERS 1024
#define WORDS_MAX	(ZEROES / 8)

static int parse_ops(struct table *t, const struct expr_world *world, struct log *log,
		     struct err *err)
{
	const struct event_spec *spec = t->event->spec;
	int ret = 0;

	for (int op = 0; op < AGG_MAX_OP && !ret; op++) {
		t->has[op] = spec->ops[op];
		if (t->has[op] && op != AGG_COUNT)
			ret = expr__parse(&t->ops[op].e, t->event, &spec->op[op], EXPR_WANT_INT,
					  world, log, err);
	}
	return ret;
}

static u64 lhist_buckets(const struct event_spec *spec)
{
	u64 width = (u64)spec->lhist[1] - (u64)spec->lhist[0], step = (u64)spec->lhist[2];

	return width / step + !!(width % step);
}

/* The words that an operator keeps. */
static u64 op_words(const struct table *t, int op)
{
	switch (op) {
	case AGG_COUNT:
		return 0;
	case AGG_HIST:
		return sizeof(struct agg_log2) / 8;
	case AGG_LHIST:
		return lhist_buckets(t->event->spec) + 2;
	default:
		return 1;
	}
}

static int place_ops(struct table *t, struct err *err)
{
	const struct event_spec *spec = t->event->spec;
	u64 words;

	t->words = 1;
	for (int op = 0; op < AGG_MAX_OP; op++) {
		if (!t->has[op])
			continue;
		words = op_words(t, op);
		if (words > WORDS_MAX - t->words)
			return err__caret(
				err, spec->text, spec->op[op].at, t->ops[op].e->len,
				"%llu words for a row: there is room for %u, take a larger step",
				(unsigned long long)words, WORDS_MAX);
		t->ops[op].at = t->words;
		t->ops[op].words = (u32)words;
		t->words += (u32)words;
	}
	return 0;
}

static bool is_syscall_number(const struct table *t, const struct expr *e)
{
	const struct event_format *f = t->event->format;

	return e->op == EXPR_FIELD && !strcmp(f->system, "raw_syscalls") &&
	       !strcmp(e->field->name, "id");
}

/* Numbers that are known to be small: they index an array, which is faster than a hash. */
static u32 index_limit(const struct table *t, const struct expr *e)
{
	if (e->op == EXPR_OPERAND && e->operand == OPERAND_CPU)
		return (u32)t->nr_cpus;
	if (is_syscall_number(t, e))
		return SYSCALL_NUMBERS;
	if (e->op == EXPR_FIELD && e->field->where == FIELD_STATIC && !e->field->is_signed &&
	    e->field->size <= 2)
		return 1u << 8 * e->field->size;
	return 0;
}

/*
 * To fill an array of maps takes a grace period, so what is never cleared has one side.
 * Rows of an array are never freed, so what was there can be subtracted instead of cleared; but
 * the smallest and largest value of a time can not.
 */
static void choose_maps(struct table *t)
{
	const struct event_spec *spec = t->event->spec;

	t->entries = spec->entries ? spec->entries : DEFAULT_ENTRIES;
	if (!t->key.nr) {
		t->key.index = true;
		t->key.limit = 1;
	} else if (t->key.nr == 1 && t->key.slots[0].kind <= PART_UINT) {
		t->key.limit = index_limit(t, t->key.slots[0].e);
		t->key.index = t->key.limit && (u64)t->key.limit * t->words < INDEX_MAX;
	}
	if (t->key.index) {
		t->key.size = 4;
		t->entries = t->key.limit;
	}
	t->swap = !spec->only_grows && (!t->key.index || t->has[AGG_MIN] || t->has[AGG_MAX]);
}

static int parse(struct table *t, const struct expr_world *world, struct log *log, struct err *err)
{
	const struct event_spec *spec = t->event->spec;
	int ret = parse_ops(t, world, log, err);

	if (!ret)
		ret = key__parse(&t->key, t->event, &spec->by, EXPR_WANT_KEY, world, log, err);
	if (!ret)
		ret = key__place(&t->key, t->event, KEY_TEXT, err);
	if (!ret)
		ret = place_ops(t, err);
	if (!ret)
		choose_maps(t);
	return ret;
}

int table__parse(struct table **ret, struct event *event, struct table_switch *sw,
		 const struct expr_world *world, struct log *log, struct err *err)
{
	struct table *t;
	int code;

	*ret = NULL;
	if (!event->spec || !spec__aggregates(event->spec))
		return 0;
	if (event->kind == SPEC_SOURCE)
		return err__usage(
			err,
			"%s: samples are not counted in the kernel: tamis profile sums them up",
			event->label);
	t = calloc(1, sizeof(*t));
	if (!t)
		return err__set(err, ENOMEM, "out of memory");
	t->event = event;
	t->sw = sw;
	t->side[0] = t->side[1] = t->outer = t->stacks = -1;
	t->cleared[0] = -1;
	t->nr_cpus = libbpf_num_possible_cpus();
	code = parse(t, world, log, err);
	if (code) {
		table__free(t);
		return code;
	}
	*ret = t;
	return 0;
}

static void close_map(int fd)
{
	if (fd >= 0)
		close(fd);
}

void table__free(struct table *t)
{
	if (!t)
		return;
	for (int op = 0; op < AGG_MAX_OP; op++)
		expr__free(t->ops[op].e);
	key__free(&t->key);
	close_map(t->side[0]);
	close_map(t->side[1]);
	close_map(t->outer);
	close_map(t->stacks);
	stack_cache__free(t->cache);
	free(t->base);
	free(t);
}
