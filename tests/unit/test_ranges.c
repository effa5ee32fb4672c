// SPDX-License-Identifier: GPL-2.0-only
/* ranges.c against a plain array that says for each byte which range was last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "user/symbol/ranges.h"

#define BYTES 2000

struct last {
	u32 name;
	u64 origin;
};

static void compare(struct ranges *r, const struct last *model)
{
	u64 a;

	for (a = 0; a < BYTES; a++) {
		const struct range *got = ranges__find(r, a);

		assert_int_equal(got ? got->name : 0, model[a].name);
		if (got)
			assert_int_equal(got->origin, model[a].origin);
	}
}

static void random_ranges_agree_with_model(void **state)
{
	unsigned int seed, i, j;

	for (seed = 0; seed < 200; seed++) {
		struct last model[BYTES] = {0};
		struct ranges r = {0};

		srand(seed);
		for (i = 1; i < 120; i++) {
			u64 start = rand() % (BYTES - 200);
			u32 len = 1 + rand() % (seed % 2 ? 200 : 8);

			assert_int_equal(ranges__add(&r, start, len, i), 0);
			for (j = 0; j < len; j++)
				model[start + j] = (struct last){i, start};
			if (rand() % 10 == 0)
				compare(&r, model);
		}
		compare(&r, model);
		ranges__free(&r);
	}
}

static void older_stays_valid_for_the_rest(void **state)
{
	struct ranges r = {0};

	ranges__add(&r, 0x1000, 0x100, 1);
	ranges__add(&r, 0x1040, 0x10, 2);
	assert_int_equal(ranges__find(&r, 0x103f)->name, 1);
	assert_int_equal(ranges__find(&r, 0x1040)->name, 2);
	assert_int_equal(ranges__find(&r, 0x104f)->name, 2);
	assert_int_equal(ranges__find(&r, 0x1050)->name, 1);
	assert_int_equal(ranges__find(&r, 0x1050)->origin, 0x1000);
	assert_null(ranges__find(&r, 0x1100));
	assert_null(ranges__find(&r, 0xfff));
	ranges__free(&r);
}

static void top_of_the_address_space(void **state)
{
	struct ranges r = {0};

	ranges__add(&r, UINT64_MAX - 16, 16, 1);
	ranges__add(&r, UINT64_MAX - 8, 8, 2);
	assert_int_equal(ranges__find(&r, UINT64_MAX - 9)->name, 1);
	assert_int_equal(ranges__find(&r, UINT64_MAX - 1)->name, 2);
	assert_null(ranges__find(&r, UINT64_MAX));
	ranges__free(&r);
}

static void many_in_any_order_stay_small(void **state)
{
	const u32 n = 500000;
	struct ranges r = {0};
	u32 i;

	for (i = 0; i < n; i++) /* a permutation: 7919 is prime to n */
		ranges__add(&r, (u64)(i * 7919ull % n) * 64, 64, i * 7919ull % n + 1);
	for (i = 0; i < n; i += 999)
		assert_int_equal(ranges__find(&r, i * 64ull + 63)->name, i + 1);
	assert_true(ranges__bytes(&r) < n * 40ull);
	ranges__free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_ranges_agree_with_model),
		cmocka_unit_test(older_stays_valid_for_the_rest),
		cmocka_unit_test(top_of_the_address_space),
		cmocka_unit_test(many_in_any_order_stay_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
