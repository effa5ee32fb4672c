// SPDX-License-Identifier: GPL-2.0-only
/* test_counts.c - totals and intervals of counters, and the lines that are made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "../../user/collect/counts.h"

static struct counts *filled(void)
{
	struct counts *c = counts__new();

	counts__event(c, "kvm_exit");
	counts__event(c, "kvm_never");
	counts__set(c, "kvm_exit", NULL, 10, 100);
	counts__set(c, "kvm_exit", "kvm_exit(HLT)", 10, 70);
	counts__set(c, "kvm_exit", "kvm_exit(IO)", 10, 30);
	counts__set(c, "kvm_exit", NULL, 11, 50);
	counts__set(c, "kvm_exit", "kvm_exit(IO)", 11, 50);
	counts__set(c, "kvm_pio", NULL, 11, 500);
	counts__tick(c, 1000000000);
	return c;
}

static void expect(const struct lines *l, size_t i, const char *name, u64 total, u64 delta)
{
	assert_true(i < l->n);
	assert_string_equal(l->v[i].name, name);
	assert_int_equal(l->v[i].total, total);
	assert_int_equal(l->v[i].delta, delta);
}

static void by_total(void **state)
{
	struct counts *c = filled();
	struct view v = {0};
	struct lines l;

	assert_int_equal(counts__lines(c, &v, &l), 0);
	assert_int_equal(l.n, 3);
	expect(&l, 0, "kvm_pio", 500, 500);
	expect(&l, 1, "kvm_exit", 150, 150);
	expect(&l, 2, "kvm_never", 0, 0);
	assert_int_equal(l.total, 650);
	lines__free(&l);
	counts__free(c);
}

static void children(void **state)
{
	struct counts *c = filled();
	struct view v = {.children = true};
	struct lines l;

	assert_int_equal(counts__lines(c, &v, &l), 0);
	assert_int_equal(l.n, 5);
	expect(&l, 1, "kvm_exit", 150, 150);
	expect(&l, 2, "kvm_exit(IO)", 80, 80);
	expect(&l, 3, "kvm_exit(HLT)", 70, 70);
	assert_true(l.v[2].child);
	assert_int_equal(l.total, 650);	/* children are not added to their parent */
	lines__free(&l);
	counts__free(c);
}

static void filtered(void **state)
{
	struct counts *c = filled();
	struct view v = {.children = true};
	struct lines l;
	regex_t re;

	assert_int_equal(regcomp(&re, "^kvm_exit\\(", REG_EXTENDED | REG_NOSUB), 0);
	v.fields = &re;
	assert_int_equal(counts__lines(c, &v, &l), 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.total, 150);	/* without their parent they count themselves */
	lines__free(&l);
	regfree(&re);
	counts__free(c);
}

static void one_process(void **state)
{
	struct counts *c = filled();
	struct view v = {.tgid = 10};
	struct lines l;

	assert_int_equal(counts__lines(c, &v, &l), 0);
	assert_int_equal(l.n, 2);	/* kvm_exit and the declared kvm_never; kvm_pio is another's */
	expect(&l, 0, "kvm_exit", 100, 100);
	lines__free(&l);
	counts__free(c);
}

static void guests(void **state)
{
	struct counts *c = filled();
	struct view v = {.children = true};
	struct lines l;

	assert_int_equal(counts__guests(c, &v, &l), 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.v[0].tgid, 11);
	assert_int_equal(l.v[0].total, 550);
	assert_int_equal(l.v[1].tgid, 10);
	assert_int_equal(l.v[1].total, 100);
	assert_int_equal(l.total, 650);
	lines__free(&l);
	counts__free(c);
}

static void intervals(void **state)
{
	struct counts *c = filled();
	struct view v = {.by_rate = true};
	struct lines l;

	assert_int_equal(counts__interval(c), 0);
	counts__set(c, "kvm_exit", NULL, 10, 110);
	counts__set(c, "kvm_pio", NULL, 11, 500);
	counts__tick(c, 1500000000);
	assert_int_equal(counts__interval(c), 500000000);
	assert_int_equal(counts__lines(c, &v, &l), 0);
	expect(&l, 0, "kvm_exit", 160, 10);
	expect(&l, 1, "kvm_pio", 500, 0);
	lines__free(&l);
	counts__reset(c);
	counts__set(c, "kvm_pio", NULL, 11, 507);
	counts__tick(c, 2500000000);
	assert_int_equal(counts__by_name(c, &v, &l), 0);
	expect(&l, 0, "kvm_exit", 0, 0);
	expect(&l, 2, "kvm_pio", 7, 7);
	assert_ptr_equal(lines__find(&l, "kvm_pio"), &l.v[2]);
	assert_null(lines__find(&l, "kvm_p"));
	lines__free(&l);
	counts__free(c);
}

static void nothing(void **state)
{
	struct counts *c = counts__new();
	struct view v = {0};
	struct lines l;

	counts__tick(c, 1);
	assert_int_equal(counts__lines(c, &v, &l), 0);
	assert_int_equal(l.n, 0);
	lines__free(&l);
	assert_int_equal(counts__guests(c, &v, &l), 0);
	assert_int_equal(l.n, 0);
	lines__free(&l);
	counts__free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_total), cmocka_unit_test(children), cmocka_unit_test(filtered),
		cmocka_unit_test(one_process), cmocka_unit_test(guests), cmocka_unit_test(intervals),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
