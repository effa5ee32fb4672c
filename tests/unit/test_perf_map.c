// SPDX-License-Identifier: GPL-2.0-only
/* The lines of perf map files, as real writers and broken ones leave them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "user/symbol/perf_map.h"

static void feed_all(struct perf_map *m, const char *text, size_t len)
{
	assert_int_equal(perf_map__init(m), 0);
	assert_true(perf_map__feed(m, text, len) >= 0);
}

static const char *name_at(struct perf_map *m, u64 addr)
{
	u64 start;

	return perf_map__find(m, addr, &start);
}

#define FEED(m, text) feed_all(m, text, sizeof(text) - 1)

static void prefix_0x_is_optional(void **state)
{
	struct perf_map m;
	u64 start = 0;

	FEED(&m, "0x00007f0000001000 0x0000000000000020 Interpreter\n"
		 "7F0000002000 40 lower\n0X7f0000003000 0X10 upper\n");
	assert_string_equal(name_at(&m, 0x7f000000101full), "Interpreter");
	assert_string_equal(perf_map__find(&m, 0x7f0000002005ull, &start), "lower");
	assert_int_equal(start, 0x7f0000002000ull);
	assert_string_equal(name_at(&m, 0x7f0000003000ull), "upper");
	assert_null(name_at(&m, 0x7f0000001020ull));
	assert_int_equal(m.lines, 3);
	assert_int_equal(m.bad_lines, 0);
	perf_map__fini(&m);
}

static void names_are_kept_whole(void **state)
{
	static const char *const names[] = {
		"void a.b(int, long)", "Lcom/x/Y;::z", "RegExp:(^|;)\\s", "%s%n", "a\tb",
		"py::fib:/tmp/fib.py", "JS:*foo file:///a b.js:1:2", "\xff\xfe", "x ",
	};
	struct perf_map m;
	char text[4096];
	size_t i, at = 0;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		at += sprintf(text + at, "%zx 10 %s%s\n", 0x1000 + i * 16, names[i],
			      i % 2 ? "\r" : "");
	feed_all(&m, text, at);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(name_at(&m, 0x1000 + i * 16 + 15), names[i]);
	assert_int_equal(m.bad_lines, 0);
	perf_map__fini(&m);
}

static void broken_lines_are_skipped_and_counted(void **state)
{
	static const char bad[][64] = {
		"", "1000", "1000 10", "1000 10 ", "xyz 10 n", "1000 zz n", "1000 0 size0",
		"ffffffffffffffff 10 overflow", "fffffffffffffff0 10 overflow_by_one",
		"10000000000000000 10 wide", "-1000 10 minus", "0x 10 n", "1000:10:n", "c.py",
		"1000 100000000 too_long",
	};
	char text[2048];
	struct perf_map m;
	size_t i, at = 0, n = sizeof(bad) / sizeof(*bad);

	for (i = 0; i < n; i++)
		at += sprintf(text + at, "%s\n", bad[i]);
	at += sprintf(text + at, "1000 10 good\n");
	feed_all(&m, text, at);
	assert_string_equal(name_at(&m, 0x1008), "good");
	assert_int_equal(m.lines, 1);
	assert_int_equal(m.bad_lines, n);
	assert_int_equal(m.ranges.n, 1);
	perf_map__fini(&m);
}

static void nul_bytes(void **state)
{
	struct perf_map m;

	FEED(&m, "1000 10 a\0b\n\0\0\0\0" "2000 10 behind_hole\n\0\n");
	assert_null(name_at(&m, 0x1000));
	assert_string_equal(name_at(&m, 0x2000), "behind_hole");
	assert_int_equal(m.bad_lines, 3);
	perf_map__fini(&m);
}

static void last_line_waits_for_its_newline(void **state)
{
	static const char text[] = "1000 10 whole\n2000 10 par";
	static const char rest[] = "2000 10 partial\n";
	struct perf_map m;

	perf_map__init(&m);
	assert_int_equal(perf_map__feed(&m, text, sizeof(text) - 1), 14);
	assert_null(name_at(&m, 0x2000));
	assert_int_equal(perf_map__feed(&m, rest, sizeof(rest) - 1), 16);
	assert_string_equal(name_at(&m, 0x2000), "partial");
	perf_map__fini(&m);
}

/* 70,000 characters, offered in pieces as a reader with a small buffer would. */
static void long_line_then_good_line(void **state)
{
	char *text = malloc(80000);
	size_t len, at = 0, end = 0;
	struct perf_map m;

	len = sprintf(text, "1000 10 ");
	memset(text + len, 'x', 70000);
	len += 70000;
	len += sprintf(text + len, "\n1000 10 good\n");
	perf_map__init(&m);
	while (end < len) {
		end = end + 20000 < len ? end + 20000 : len;
		at += perf_map__feed(&m, text + at, end - at);
	}
	assert_int_equal(at, len);
	assert_string_equal(name_at(&m, 0x1000), "good");
	assert_int_equal(m.bad_lines, 1);
	perf_map__fini(&m);
	free(text);
}

static void later_line_wins(void **state)
{
	struct perf_map m;
	u64 start;

	FEED(&m, "1000 100 old\n1080 10 new\n1000 10 first\n");
	assert_string_equal(name_at(&m, 0x1000), "first");
	assert_string_equal(perf_map__find(&m, 0x1010, &start), "old");
	assert_int_equal(start, 0x1000);
	assert_string_equal(name_at(&m, 0x1085), "new");
	assert_string_equal(name_at(&m, 0x10ff), "old");
	perf_map__fini(&m);
}

/* Whatever the bytes and however they are cut: no crash, and what is left is less than a line. */
static void random_bytes(void **state)
{
	static const char alphabet[] = "0123456789abcdefxX \t\n\n\n\r;:%\0~\xff";
	unsigned int seed;

	for (seed = 0; seed < 300; seed++) {
		size_t len = 4000, i, at = 0, end = 0;
		char text[4000];
		struct perf_map m;

		srand(seed);
		for (i = 0; i < len; i++)
			text[i] = seed % 3 ? alphabet[rand() % (sizeof(alphabet) - 1)] : rand();
		perf_map__init(&m);
		while (end < len) {
			end += 1 + rand() % 100;
			end = end < len ? end : len;
			at += perf_map__feed(&m, text + at, end - at);
			assert_true(at <= end);
			name_at(&m, rand());
		}
		assert_null(memchr(text + at, '\n', len - at));
		perf_map__fini(&m);
	}
}

static void two_million_lines_are_small(void **state)
{
	static const char *const names[] = {"LazyCompile:~a", "Builtin:b", "c"};
	const u32 n = 2000000, batch = 10000;
	char *text = malloc(batch * 64);
	struct perf_map m;
	u32 i, at = 0;

	perf_map__init(&m);
	for (i = 0; i < n; i++) {
		at += sprintf(text + at, "%llx %x %s\n",
			      0x7f0000000000ull + (i * 104729ull % n) * 128, 100, names[i % 3]);
		if ((i + 1) % batch == 0) {
			assert_int_equal(perf_map__feed(&m, text, at), at);
			at = 0;
		}
	}
	assert_string_equal(name_at(&m, 0x7f0000000000ull), names[0]);
	assert_int_equal(m.lines, n);
	assert_true(perf_map__bytes(&m) < 80 << 20);
	perf_map__fini(&m);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefix_0x_is_optional),
		cmocka_unit_test(names_are_kept_whole),
		cmocka_unit_test(broken_lines_are_skipped_and_counted),
		cmocka_unit_test(nul_bytes),
		cmocka_unit_test(last_line_waits_for_its_newline),
		cmocka_unit_test(long_line_then_good_line),
		cmocka_unit_test(later_line_wins),
		cmocka_unit_test(random_bytes),
		cmocka_unit_test(two_million_lines_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
