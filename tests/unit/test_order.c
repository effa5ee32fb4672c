// SPDX-License-Identifier: GPL-2.0-only
/* Merging by time: two made-up streams, one of them locally out of order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "user/collect/order.h"

struct fake {
	struct stream stream;
	const u64 *times;
	int n, peeked;
	u64 released;
};

static int fake_peek(struct stream *s, struct record *out, u64 *ends, int max,
		     const struct loss_sink *losses)
{
	struct fake *f = (struct fake *)s;
	int i;

	(void)losses;
	for (i = 0; i < max && f->peeked < f->n; i++, f->peeked++) {
		out[i] = (struct record){.time = f->times[f->peeked], .data = f};
		ends[i] = f->peeked + 1;
	}
	return i;
}

static void fake_release(struct stream *s, u64 end)
{
	struct fake *f = (struct fake *)s;

	assert_true(end > f->released);
	f->released = end;
}

static const struct stream_ops ops = {fake_peek, fake_release};

#define FAKE(t) {.stream = {&ops}, .times = (t), .n = ARRAY_SIZE(t)}

static void merges_within_the_window(void **state)
{
	static const u64 a[] = {10, 30, 25, 50}, b[] = {5, 20, 40, 45, 90};
	static const u64 want[] = {5, 10, 20, 25, 30, 40, 45, 50};
	struct fake fa = FAKE(a), fb = FAKE(b);
	struct order *o = order__new(20);
	struct record out[16];
	int i, n;

	(void)state;
	order__add(o, &fa.stream);
	order__add(o, &fb.stream);
	assert_int_equal(order__gather(o, NULL), 9);
	n = order__take(o, 70, out, 16);
	assert_int_equal(n, 8);
	for (i = 0; i < n; i++) {
		assert_int_equal(out[i].time, want[i]);
		assert_int_equal(out[i].flags, 0);
	}
	order__release(o);
	assert_int_equal(fa.released, 4);
	assert_int_equal(fb.released, 4);
	assert_int_equal(order__pending(o), 1);
	assert_int_equal(order__take(o, 70, out, 16), 0);
	assert_int_equal(order__take(o, UINT64_MAX, out, 16), 1);
	order__release(o);
	assert_int_equal(fb.released, 5);
	order__free(o);
}

/* Bytes are released in the order of the ring, so a record that waits holds those behind it. */
static void releases_in_ring_order(void **state)
{
	static const u64 a[] = {100, 10, 20};
	struct fake fa = FAKE(a);
	struct order *o = order__new(20);
	struct record out[4];

	(void)state;
	order__add(o, &fa.stream);
	order__gather(o, NULL);
	assert_int_equal(order__take(o, 60, out, 4), 2);
	order__release(o);
	assert_int_equal(fa.released, 0);
	assert_int_equal(order__take(o, UINT64_MAX, out, 4), 1);
	order__release(o);
	assert_int_equal(fa.released, 3);
	order__free(o);
}

static void marks_what_comes_late(void **state)
{
	static const u64 a[] = {100}, b[] = {50};
	struct fake fa = FAKE(a), fb = FAKE(b);
	struct order *o = order__new(10);
	struct record out[4];

	(void)state;
	order__add(o, &fa.stream);
	order__gather(o, NULL);
	assert_int_equal(order__take(o, 200, out, 4), 1);
	order__release(o);
	order__add(o, &fb.stream);
	order__gather(o, NULL);
	assert_int_equal(order__take(o, 200, out, 4), 1);
	assert_int_equal(out[0].time, 50);
	assert_true(out[0].flags & RECORD_LATE);
	order__release(o);
	order__free(o);
}

/* Random times with inversions smaller than the window come out sorted, each exactly once. */
static void sorts_many(void **state)
{
	enum { N = 200000 };
	u64 *a = malloc(N * sizeof(*a)), last = 0, total = 0;
	struct record *out = malloc(4096 * sizeof(*out));
	struct order *o = order__new(1000);
	struct fake fa = {.stream = {&ops}, .times = a, .n = N};
	int i, n;

	(void)state;
	srandom(1);
	for (i = 0; i < N; i++)
		a[i] = 1000 + i * 10 + random() % 500;
	order__add(o, &fa.stream);
	do {
		order__gather(o, NULL);
		n = order__take(o, fa.peeked < N ? a[fa.peeked - 1] : UINT64_MAX, out, 4096);
		for (i = 0; i < n; i++) {
			assert_true(out[i].time >= last);
			assert_int_equal(out[i].flags, 0);
			last = out[i].time;
		}
		total += n;
		order__release(o);
	} while (n);
	assert_int_equal(total, N);
	assert_int_equal(fa.released, N);
	order__free(o);
	free(out);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges_within_the_window),
		cmocka_unit_test(releases_in_ring_order),
		cmocka_unit_test(marks_what_comes_late),
		cmocka_unit_test(sorts_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
