// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../event/sample.h"
#include "source.h"
#include "source_opts.h"

#define CLOCK_HZ    99 /* not a divisor of what others do at round frequencies */
#define HARDWARE_HZ 4000

/* What tells the events of a ring apart, and what a record is made of. */
#define BASE_PARTS                                                                       \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_PERIOD)

static bool is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_fault(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && (a->config == PERF_COUNT_SW_PAGE_FAULTS ||
						 a->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						 a->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

/*
 * Asked for the period of each sample, the kernel gives every hit of a software event and ignores
 * how many there should be to a sample; so those that are counted off go without.
 */
void source__set_period(struct perf_event_attr *a, u64 period)
{
	a->sample_period = period;
	if (period > 1 &&
	    (a->type == PERF_TYPE_TRACEPOINT || (a->type == PERF_TYPE_SOFTWARE && !is_clock(a))))
		a->sample_type &= ~(u64)PERF_SAMPLE_PERIOD;
}

static void set_rate(struct perf_event_attr *a, const struct event_spec *spec,
		     const struct source_opts *o)
{
	if (o->period || (spec->sample && !o->freq)) {
		source__set_period(a, o->period ?: spec->sample);
		return;
	}
	if (!o->freq && a->type == PERF_TYPE_SOFTWARE && !is_clock(a)) {
		a->sample_period = 1;
		return;
	}
	a->freq = 1;
	a->sample_freq = o->freq ?: is_clock(a) ? CLOCK_HZ : HARDWARE_HZ;
}

static void set_registers(struct perf_event_attr *a, u64 user, u64 intr)
{
	u64 all = sample__reg_mask(sample__arch());

	if (a->sample_type & PERF_SAMPLE_REGS_USER)
		a->sample_regs_user = user ?: all;
	if (a->sample_type & PERF_SAMPLE_REGS_INTR)
		a->sample_regs_intr = intr ?: all;
}

/* The dump replaces the user part of the chain, that the kernel would unwind by frame pointers. */
static void set_stack(struct perf_event_attr *a, unsigned int stack, unsigned int max_stack,
		      u32 dump)
{
	if (stack & STACK_DWARF) {
		a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		dump = dump ?: STACK_DUMP;
	}
	if (a->sample_type & PERF_SAMPLE_STACK_USER)
		a->sample_stack_user = dump ?: STACK_DUMP;
	if (!(stack & (STACK_KERNEL | STACK_USER)))
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->exclude_callchain_kernel = !(stack & STACK_KERNEL);
	a->exclude_callchain_user = !(stack & STACK_USER);
	a->sample_max_stack = max_stack;
}

/* A source's chain has both sides unless some option chooses. */
static unsigned int stack_of(const struct event_spec *spec, const struct source_opts *o)
{
	unsigned int stack = o->stack;

	if (!stack && spec->stack && !spec->stack_default)
		stack = spec->stack;
	if (!stack && (o->chain || spec->stack || o->no_stack))
		stack = STACK_KERNEL | STACK_USER;
	return stack & ~o->no_stack;
}

static void set_read(struct perf_event_attr *a, const struct source_opts *o)
{
	a->read_format = SAMPLE_FORMAT_LOST;
	if (a->sample_type & PERF_SAMPLE_READ)
		a->read_format = o->read_format
					 ?: PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_ID |
						    PERF_FORMAT_TOTAL_TIME_RUNNING |
						    SAMPLE_FORMAT_LOST;
	if (o->group && a->sample_type & PERF_SAMPLE_READ)
		a->read_format |= PERF_FORMAT_GROUP | PERF_FORMAT_ID;
}

static void set_excludes(struct perf_event_attr *a, const struct source_opts *o)
{
	a->exclude_user = o->exclude_user;
	a->exclude_kernel = o->exclude_kernel;
	a->exclude_hv = o->exclude_hv;
	a->exclude_idle = o->exclude_idle;
	a->exclude_host = o->exclude_host;
	a->exclude_guest = o->exclude_guest;
	a->precise_ip = o->precise;
}

static void set_common(struct perf_event_attr *a)
{
	a->size = sizeof(*a);
	a->disabled = 1;
	a->sample_id_all = 1;
	a->watermark = 1;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
}

static void fill(struct source *s, const struct event *event, const struct source_opts *o)
{
	struct perf_event_attr *a = &s->attr;

	set_common(a);
	a->sample_type = BASE_PARTS | PERF_SAMPLE_IP | o->parts;
	set_rate(a, event->spec, o);
	a->sample_type &= ~(u64)PERF_SAMPLE_CALLCHAIN;
	if (is_fault(a))
		a->sample_type |= PERF_SAMPLE_ADDR;
	if (event->with & 1 << EXTRA_CGROUP)
		a->sample_type |= PERF_SAMPLE_CGROUP;
	set_stack(a, stack_of(event->spec, o), o->max_stack ?: event->spec->max_stack,
		  o->stack_user);
	set_registers(a, o->regs_user, o->regs_intr);
	set_read(a, o);
	set_excludes(a, o);
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		a->branch_sample_type = o->branch ?: PERF_SAMPLE_BRANCH_ANY;
	if (a->sample_type & PERF_SAMPLE_AUX)
		a->aux_sample_size = o->aux ?: 4096;
	s->group = o->group;
}

static int unknown(const struct event_spec *spec, const char *name, size_t at, size_t len,
		   struct err *err)
{
	return source_opts__error(
		spec, at, len, err,
		"no source is called %.*s; there are profile, cpu-clock, task-clock, "
		"page-faults, context-switches, cpu-migrations, cycles, instructions and "
		"the other generic hardware events, rNNN",
		(int)len, name);
}

static int add_member(struct source *s, const struct event_spec *spec, const char *name, size_t len,
		      size_t at, size_t *room, struct err *err)
{
	_cleanup_free_ char *text = strndup(name, len);
	struct perf_event_attr attr = {0};

	if (!text)
		return err__set(err, ENOMEM, "out of memory");
	if (source__lookup(text, &attr))
		return unknown(spec, name, at, len, err);
	set_common(&attr); /* a group has one clock */
	attr.disabled = 0;
	/* Never read on their own, and older kernels let nobody inherit what reads a group. */
	attr.read_format = s->attr.read_format & ~(u64)PERF_FORMAT_GROUP;
	return array__push(s->members, s->nr_members, *room, attr)
		       ? err__set(err, ENOMEM, "out of memory")
		       : 0;
}

static int add_members(struct source *s, const struct event_spec *spec, const struct source_opts *o,
		       struct err *err)
{
	const char *at = o->members.s;
	size_t room = 0, len;
	int ret;

	while (at) {
		len = strcspn(at, ",");
		ret = add_member(s, spec, at, len, o->members.at + (at - o->members.s), &room, err);
		if (ret)
			return ret;
		at = at[len] ? at + len + 1 : NULL;
	}
	return 0;
}

int source__init(struct source *s, const struct event *event, struct err *err)
{
	_cleanup_(source_opts__fini) struct source_opts o = {0};
	const struct event_spec *spec = event->spec;
	int ret;

	memset(s, 0, sizeof(*s));
	if (source__lookup(spec->name, &s->attr))
		return unknown(spec, spec->name, 0, strlen(spec->name), err);
	ret = source_opts__parse(&o, spec, err);
	if (ret)
		return ret;
	fill(s, event, &o);
	return add_members(s, spec, &o, err);
}

void source__init_tracepoint(struct source *s, const struct event *event)
{
	struct perf_event_attr *a = &s->attr;
	const struct event_spec *spec = event->spec;

	memset(s, 0, sizeof(*s));
	set_common(a);
	a->type = PERF_TYPE_TRACEPOINT;
	a->config = event->format->id;
	a->sample_period = 1;
	a->sample_type = BASE_PARTS | PERF_SAMPLE_RAW;
	a->read_format = SAMPLE_FORMAT_LOST;
	if (event->with & 1 << EXTRA_CGROUP)
		a->sample_type |= PERF_SAMPLE_CGROUP;
	set_stack(a, spec->stack, spec->max_stack, 0);
	set_registers(a, 0, 0);
}

void source__fini(struct source *s)
{
	free(s->members);
	memset(s, 0, sizeof(*s));
}

void source__layout(const struct perf_event_attr *attr, struct sample_layout *layout)
{
	layout->sample_type = attr->sample_type;
	layout->read_format = attr->read_format;
	layout->regs_user = attr->sample_regs_user;
	layout->regs_intr = attr->sample_regs_intr;
	layout->branch_type = attr->branch_sample_type;
}
