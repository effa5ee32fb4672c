// SPDX-License-Identifier: GPL-2.0-only
/* test_catalog.c - every event of this kernel: its fields, its names, any bytes as its record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <traceevent/event-parse.h>
#include <unistd.h>
#include "user/base/err.h"
#include "user/base/strbuf.h"
#include "user/event/catalog.h"
#include "user/event/event_fields.h"
#include "user/event/expand.h"
#include "user/format/format.h"

static struct catalog *catalog;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int open_catalog(void **state)
{
	struct err err = {0};

	if (catalog__open(&catalog, NULL, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	return 0;
}

static int close_catalog(void **state)
{
	catalog__close(catalog);
	return 0;
}

/* --- names, sizes and offsets are what libtraceevent reads in the same file --- */

static int compare(void *ctx, const char *system, const char *name)
{
	struct event_format *f;
	struct err err = {0};
	struct tep_format_field *want;
	struct tep_event *tep;
	size_t i = 0;

	if (catalog__format(catalog, system, name, &f, &err))
		fail_msg("%s:%s: %s", system, name, err.text);
	tep = event_format__tep(f);
	for (want = tep ? tep->format.fields : NULL; want; want = want->next, i++) {
		if (i >= f->nr_fields || strcmp(f->fields[i].name, want->name) ||
		    (int)f->fields[i].offset != want->offset ||
		    (int)f->fields[i].room != want->size)
			fail_msg("%s:%s: field %s", system, name, want->name);
	}
	if (tep) {
		assert_int_equal(i, f->nr_fields);
		assert_int_equal(tep->id, f->id);
		++*(int *)ctx;
	}
	event_format__put(f);
	return 0;
}

static void test_fields(void **state)
{
	struct err err = {0};
	int n = 0;

	assert_int_equal(catalog__each(catalog, "*", "*", compare, &n, &err), 0);
	assert_true(n > 200);
	printf("%d events compared\n", n);
}

/* --- any bytes --- */

static u32 seed = 3;

static u32 any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* Lengths and offsets that fit now and then, so that the kernel's print format is reached. */
static void fill(const struct event_format *f, u8 *raw, u32 size)
{
	u32 i, loc;

	for (i = 0; i < size; i++)
		raw[i] = any() % 3 ? any() : 0;
	for (i = 0; i < f->nr_fields; i++) {
		const struct field *field = &f->fields[i];

		if (field->where != FIELD_STATIC && any() % 8) {
			loc = (f->size + any() % 64) | (any() % 100) << 16;
			if (field->where == FIELD_REL_LOC)
				loc -= field->offset + 4;
			memcpy(raw + field->offset, &loc, 4);
		} else if (field->where == FIELD_STATIC && field->kind == FIELD_INT && any() % 2) {
			memset(raw + field->offset, 0, field->room);
			raw[field->offset] = any();
		}
	}
}

static int print_any(void *ctx, const char *system, const char *name)
{
	struct event e = {.label = "x:y", .transport = TRANSPORT_BPF, .layout.raw = 32};
	u32 size, round;
	struct strbuf b = {0};
	struct record rec = {.event = &e};
	struct err err = {0};
	u8 *bytes;

	if (catalog__format(catalog, system, name, &e.format, &err) ||
	    event_fields__make(&e, NULL, &err))
		fail_msg("%s:%s: %s", system, name, err.text);
	size = 32 + e.format->size + 200;
	bytes = malloc(size);
	rec.data = bytes;
	for (round = 0; round < 8; round++) {
		memset(bytes, 0, 32);
		fill(e.format, bytes + 32, size - 32);
		rec.size = round ? size : any() % size;
		strbuf__reset(&b);
		format__line(&b, &rec, &(struct format_opts){.terminal = true});
		if (strpbrk(b.s, "\n\r\33") || b.len > 1 << 16)
			fail_msg("%s:%s: %zu bytes of text", system, name, b.len);
		format__json(&b, &rec, NULL);
	}
	++*(int *)ctx;
	strbuf__free(&b);
	free(bytes);
	free(e.fields);
	event_format__put(e.format);
	return 0;
}

static void test_any_bytes(void **state)
{
	struct err err = {0};
	int n = 0;

	assert_int_equal(catalog__each(catalog, "*", "*", print_any, &n, &err), 0);
	assert_true(n > 200);
}

/* --- wildcards find what glob(3) finds in tracefs --- */

static int count(void *ctx, const char *system, const char *name)
{
	++*(int *)ctx;
	return 0;
}

static void test_wildcards(void **state)
{
	static const char *const globs[][2] = {
		{"sched", "*"}, {"*", "sched_*"}, {"s*", "*wake*"}, {"sched", "sched_[sw]*"},
		{"syscalls", "sys_enter_open?t"}, {"no", "*"},
	};
	char pattern[128];
	struct err err = {0};
	size_t i;
	glob_t g;
	int n, dir = dup(catalog__dirfd(catalog));

	assert_int_equal(fchdir(dir), 0);
	for (i = 0; i < ARRAY_SIZE(globs); i++) {
		n = 0;
		assert_int_equal(catalog__each(catalog, globs[i][0], globs[i][1], count, &n, &err), 0);
		snprintf(pattern, sizeof(pattern), "events/%s/%s/id", globs[i][0], globs[i][1]);
		if (glob(pattern, 0, NULL, &g))
			g.gl_pathc = 0;
		assert_int_equal(n, g.gl_pathc);
		if (g.gl_pathc)
			globfree(&g);
	}
	assert_int_equal(chdir("/"), 0);
	close(dir);
}

/* One format must not cost what all of them do. */
static void test_cost(void **state)
{
	struct catalog *c;
	struct event_format *f;
	struct err err = {0};
	double start, best = 1e9;
	int i;

	for (i = 0; i < 10; i++) {
		start = now_ms();
		assert_int_equal(catalog__open(&c, NULL, NULL, &err), 0);
		assert_int_equal(catalog__format(c, "sched", "sched_switch", &f, &err), 0);
		if (now_ms() - start < best)
			best = now_ms() - start;
		event_format__put(f);
		catalog__close(c);
	}
	printf("a catalog and one format: %.3f ms\n", best);
	assert_true(best < 1);
}

/* --- A14 --- */

static void expect_message(const char *text, const char *want)
{
	struct event_specs specs = {0};
	struct event **events = NULL;
	struct wall_clock clock = {.refs = 1};
	struct err err = {0};
	size_t n = 0;

	assert_int_equal(spec__parse(&specs, text, NULL, NULL, &err), 0);
	assert_int_equal(events__resolve(catalog, &specs, "", &clock, &events, &n, &err), -EINVAL);
	assert_true(err.usage);
	assert_int_equal(clock.refs, 1);
	if (!strstr(err.text, want))
		fail_msg("%s", err.text);
	spec__free(&specs);
}

static void test_unknown(void **state)
{
	expect_message("syscalls:sys_enter_opan", "near: syscalls:sys_enter_open, "
						  "syscalls:sys_enter_openat");
	expect_message("syscalls:nosuch", "see: tamis list 'syscalls:*'");
	expect_message("nosys:x", "no such system");
	expect_message("sched:sched_wakup,sched:sched_switch", "near: sched:sched_wakeup");
	expect_message("sched:x*", "no event matches sched:x*");
	expect_message("sched:sys_enter_openat", "near: syscalls:sys_enter_openat");
	expect_message("sched_wakeup", "near: sched:sched_wakeup");
	expect_message("profil", "near: profile");
	expect_message("syscalls:sys_enter_write//ustring=bfu/", "near: buf");
	expect_message("syscalls:sys_enter_write//ustring=fd/", "fd is unsigned int");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	  cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_wildcards), cmocka_unit_test(test_cost),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, open_catalog, close_catalog);
}
