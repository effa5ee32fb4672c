// SPDX-License-Identifier: GPL-2.0-only
/* test_source.c - the options of sampling sources as perf_event_attr, and their mistakes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "../../user/event/sample.h"
#include "../../user/collect/source.h"

/* "name/options/" as the event's text, the way spec__parse() leaves it. */
static int init(struct source *s, const char *text, struct err *err)
{
	static char name[64], options[256];
	struct event_spec spec = {.text = (char *)text, .kind = SPEC_SOURCE, .name = name};
	struct event event = {.spec = &spec, .label = name};

	memset(err, 0, sizeof(*err));
	options[0] = 0;
	sscanf(text, "%63[^/]/%255[^/]", name, options);
	if (strchr(text, '/'))
		spec.options = (struct spec_text){options, strchr(text, '/') + 1 - text};
	return source__init(s, &event, err);
}

static struct perf_event_attr good(const char *text)
{
	struct perf_event_attr attr;
	struct source s;
	struct err err;

	if (init(&s, text, &err))
		fail_msg("%s: %s", text, err.text);
	attr = s.attr;
	source__fini(&s);
	return attr;
}

/* The caret must stand under @bad. */
static void wrong(const char *text, const char *bad, const char *says)
{
	struct source s;
	struct err err;
	const char *line, *caret;

	assert_int_equal(init(&s, text, &err), -EINVAL);
	source__fini(&s);
	assert_true(err.usage);
	if (!strstr(err.text, says))
		fail_msg("'%s' does not say '%s'", err.text, says);
	line = strstr(err.text, text);
	assert_non_null(line);
	caret = strchr(line + strlen(text), '^');
	assert_non_null(caret);
	/* both lines are indented by the same */
	assert_int_equal(caret - (strchr(line, '\n') + 3), strstr(text, bad) - text);
}

static void defaults(void **state)
{
	struct perf_event_attr a = good("profile");

	assert_int_equal(a.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(a.config, PERF_COUNT_SW_CPU_CLOCK);
	assert_true(a.freq);
	assert_int_equal(a.sample_freq, 99);
	assert_int_equal(a.sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD);
	assert_true(a.use_clockid);
	assert_int_equal(a.clockid, CLOCK_MONOTONIC);
	assert_true(a.disabled);
	assert_true(a.watermark);

	assert_int_equal(good("cpu-clock").sample_freq, 99);
	a = good("page-faults");
	assert_false(a.freq);
	assert_int_equal(a.sample_period, 1);
	assert_true(a.sample_type & PERF_SAMPLE_ADDR);
	assert_int_equal(good("context-switches").sample_period, 1);
	assert_int_equal(good("cpu-migrations").config, PERF_COUNT_SW_CPU_MIGRATIONS);
	assert_int_equal(good("cs").config, PERF_COUNT_SW_CONTEXT_SWITCHES);
}

static void hardware(void **state)
{
	struct perf_event_attr a = good("cycles");

	assert_int_equal(a.type, PERF_TYPE_HARDWARE);
	assert_int_equal(a.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_true(a.freq);
	a = good("L1-dcache-load-misses");
	assert_int_equal(a.type, PERF_TYPE_HW_CACHE);
	assert_int_equal(a.config, PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 |
				   PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	a = good("dTLB-stores");
	assert_int_equal(a.config, PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_WRITE << 8);
	a = good("r01c2");
	assert_int_equal(a.type, PERF_TYPE_RAW);
	assert_int_equal(a.config, 0x1c2);
	assert_int_equal(source__lookup("r", &a), -ENOENT);
	assert_int_equal(source__lookup("r0123456789abcdef0", &a), -ENOENT);
	assert_int_equal(source__lookup("ruby", &a), -ENOENT);
}

static void rates(void **state)
{
	assert_int_equal(good("profile/-F 997 -g/").sample_freq, 997);
	assert_int_equal(good("profile/-F997/").sample_freq, 997);
	assert_int_equal(good("profile/--freq=997/").sample_freq, 997);
	assert_int_equal(good("profile/-F \"997\"/").sample_freq, 997);
	assert_int_equal(good("cpu-clock/-c 1ms/").sample_period, 1000000);
	assert_int_equal(good("page-faults/-c 10/").sample_period, 10);
	assert_false(good("cycles/-c 1M/").freq);
	assert_int_equal(good("cycles/-c 1M/").sample_period, 1 << 20);
}

static void stacks(void **state)
{
	struct perf_event_attr a = good("profile/-g/");

	assert_true(a.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(a.exclude_callchain_user);
	assert_false(a.exclude_callchain_kernel);
	a = good("profile/-g --no-user-callchain --max-stack 16/");
	assert_true(a.exclude_callchain_user);
	assert_int_equal(a.sample_max_stack, 16);
	a = good("profile/--user-callchain/");
	assert_true(a.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(a.exclude_callchain_kernel);
	a = good("profile/--call-graph=dwarf,4096/");
	assert_true(a.sample_type & PERF_SAMPLE_REGS_USER);
	assert_int_equal(a.sample_stack_user, 4096);
	assert_true(a.exclude_callchain_user);
	assert_false(a.exclude_callchain_kernel);
	assert_int_equal(good("profile/-g=dwarf/").sample_stack_user, 8192);
	a = good("profile/--no-user-callchain --no-kernel-callchain/");
	assert_false(a.sample_type & PERF_SAMPLE_CALLCHAIN);
}

static void parts(void **state)
{
	struct perf_event_attr a = good("cpu-clock/--sample ip,addr,read,regs_user,stack_user=8192,"
					"phys_addr,cgroup,data_page_size,weight/");

	assert_true(a.sample_type & PERF_SAMPLE_ADDR);
	assert_true(a.sample_type & PERF_SAMPLE_CGROUP);
	assert_int_equal(a.sample_stack_user, 8192);
	assert_int_equal(a.read_format, PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_ID |
					PERF_FORMAT_TOTAL_TIME_RUNNING | SAMPLE_FORMAT_LOST);
	assert_int_equal(a.sample_regs_user, sample__reg_mask(sample__arch()));
	a = good("cpu-clock/--sample read=value:time_running/");
	assert_int_equal(a.read_format, PERF_FORMAT_TOTAL_TIME_RUNNING);
	a = good("cycles/--sample=branch_stack=any_call:user/");
	assert_int_equal(a.branch_sample_type, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(good("cycles/--sample branch_stack/").branch_sample_type,
			 PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(good("profile/--sample stack_user=1001/").sample_stack_user, 1008);
	a = good("profile/--sample callchain/");
	assert_true(a.sample_type & PERF_SAMPLE_CALLCHAIN);
}

static void registers(void **state)
{
	if (sample__arch() != SAMPLE_X86_64)
		skip();
	assert_int_equal(good("profile/--sample regs_user=ip:sp:bp/").sample_regs_user,
			 1 << 8 | 1 << 7 | 1 << 6);
	wrong("profile/--sample regs_intr=ip:lr/", "lr", "no register lr");
	wrong("profile/--sample regs_user=fs/", "fs", "no register fs");
}

static void groups(void **state)
{
	struct source s;
	struct err err;

	assert_int_equal(init(&s, "cpu-clock/--sample read --group=page-faults,cs/", &err), 0);
	assert_true(s.group);
	assert_int_equal(s.nr_members, 2);
	assert_int_equal(s.members[0].config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_int_equal(s.members[1].config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	assert_int_equal(s.members[1].sample_period, 0);
	assert_true(s.attr.read_format & PERF_FORMAT_GROUP);
	source__fini(&s);
	assert_int_equal(init(&s, "cpu-clock/--group/", &err), 0);
	assert_true(s.group);
	assert_false(s.attr.read_format & PERF_FORMAT_GROUP);
	source__fini(&s);
}

static void mistakes(void **state)
{
	wrong("profile/-F 0/", "0", "frequency");
	wrong("profile/-F fast -g/", "fast", "frequency");
	wrong("profile/-F 2000000000/", "2000000000", "perf_event_max_sample_rate");
	wrong("profile/-F/", "-F", "needs a value");
	wrong("profile/-g -x 3/", "-x", "unknown option");
	wrong("profile/-F 99 -c 5/", "-F 99", "exclude each other");
	wrong("profile/--exclude-user=1/", "--exclude-user=1", "takes no value");
	wrong("profile/--sample ip,adr/", "adr", "no part of a sample is called adr");
	wrong("profile/--sample ip=3/", "3", "takes no value");
	wrong("profile/--sample read=id:x/", "x", "no part of read is called x");
	wrong("profile/--sample stack_user=70000/", "70000", "65528");
	wrong("profile/--sample weight,weight_struct/", "weight,", "exclude each other");
	wrong("profile/--call-graph=lbr/", "lbr", "fp, kernel, user, dwarf");
	wrong("profile/--group=page-faults,nosuch/", "nosuch", "no source is called nosuch");
	wrong("nosuch/-F 9/", "nosuch", "no source is called nosuch");
	wrong("profile/--precise 4/", "4", "0, 1, 2 or 3");
}

static void tracepoints(void **state)
{
	struct event_format format = {.id = 42};
	struct event_spec spec = {.stack = STACK_KERNEL, .max_stack = 8};
	struct event event = {.format = &format, .spec = &spec, .with = 1 << EXTRA_CGROUP};
	struct source s;

	source__init_tracepoint(&s, &event);
	assert_int_equal(s.attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(s.attr.config, 42);
	assert_int_equal(s.attr.sample_period, 1);
	assert_true(s.attr.sample_type & PERF_SAMPLE_RAW);
	assert_true(s.attr.sample_type & PERF_SAMPLE_CGROUP);
	assert_true(s.attr.exclude_callchain_user);
	assert_int_equal(s.attr.sample_max_stack, 8);
	source__fini(&s);
}

static void every_name(void **state)
{
	const char *const *name;
	struct perf_event_attr attr;

	for (name = source__names(); *name; name++) {
		assert_int_equal(source__lookup(*name, &attr), 0);
		assert_non_null(source__help(*name));
	}
	assert_null(source__help("nosuch"));
}

static void open_errors(void **state)
{
	struct event event = {.label = (char *)"cycles"};
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE};
	struct err err = {0};

	assert_int_equal(source__open_error(&event, &attr, ENOENT, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cycles"));
	assert_non_null(strstr(err.text, "cpu-clock"));
	memset(&err, 0, sizeof(err));
	assert_int_equal(source__open_error(&event, &attr, EACCES, &err), -EACCES);
	assert_non_null(strstr(err.text, "perf_event_paranoid is"));
	assert_non_null(strstr(err.text, "CAP_PERFMON"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults), cmocka_unit_test(hardware), cmocka_unit_test(rates),
		cmocka_unit_test(stacks), cmocka_unit_test(parts), cmocka_unit_test(registers),
		cmocka_unit_test(groups), cmocka_unit_test(mistakes), cmocka_unit_test(tracepoints),
		cmocka_unit_test(every_name), cmocka_unit_test(open_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
