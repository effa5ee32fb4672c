// SPDX-License-Identifier: GPL-2.0-only
/*
 * table_fold.c - values of CPUs and sides put together; histograms as buckets.
 */
#include "table_impl.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

static bool is_less(u64 a, u64 b, bool is_signed)
{
	return is_signed ? (s64)a < (s64)b : a < b;
}

static void fold_op(const struct table *t, int which, u64 *into, const u64 *from, bool empty)
{
	const struct table_op *op = &t->ops[which];
	bool is_signed = op->e->is_signed;

	for (u32 i = op->at; i < op->at + op->words; i++) {
		if (which == AGG_MIN || which == AGG_MAX) {
			if (empty || (which == AGG_MIN ? is_less(from[i], into[i], is_signed)
						       : is_less(into[i], from[i], is_signed)))
				into[i] = from[i];
		} else {
			into[i] += from[i];
		}
	}
}

void table__fold(const struct table *t, u64 *into, const u64 *from)
{
	bool empty = !into[0];

	if (!from[0])
		return;
	for (int op = 0; op < AGG_MAX_OP; op++)
		if (t->ops[op].e)
			fold_op(t, op, into, from, empty);
	into[0] += from[0];
}

void table__subtract(const struct table *t, u64 *from, const u64 *what)
{
	for (u32 i = 0; i < t->words; i++)
		from[i] -= what[i];
}

/* --- buckets --- */

static size_t add(struct bucket *out, size_t n, u64 low, u64 high, u64 count)
{
	if (!count)
		return n;
	out[n] = (struct bucket){.low = (s64)low, .high = (s64)high, .count = count};
	return n + 1;
}

static u64 highest(unsigned int slot)
{
	return slot >= 64 ? UINT64_MAX : (1ull << slot) - 1;
}

static u64 lowest(unsigned int slot)
{
	return slot ? 1ull << (slot - 1) : 0;
}

static size_t log2_buckets(const u64 *slots, bool is_signed, struct bucket *out)
{
	unsigned int top = is_signed ? LOG2_NEGATIVE : 64, k;
	size_t n = 0;

	/* from the largest magnitude; -2^63 has a bucket of its own */
	for (k = 64; is_signed && k; k--)
		n = add(out, n, k == 64 ? 1ull << 63 : -highest(k), -lowest(k),
			slots[LOG2_NEGATIVE + k]);
	for (k = 0; k <= top; k++)
		n = add(out, n, lowest(k), highest(k), slots[k]);
	return n;
}

static size_t linear_buckets(const struct table *t, const u64 *slots, u32 nr, bool is_signed,
			     struct bucket *out)
{
	const s64 *lhist = t->event->spec->lhist;
	u64 low = (u64)lhist[0], high = (u64)lhist[1], step = (u64)lhist[2], from, to;
	size_t n = add(out, 0, is_signed ? 1ull << 63 : 0, low - 1, slots[0]);

	for (u32 i = 1; i + 1 < nr; i++) {
		from = low + (i - 1) * step;
		to = i + 2 == nr ? high - 1 : from + step - 1;
		n = add(out, n, from, to, slots[i]);
	}
	return add(out, n, high, is_signed ? INT64_MAX : UINT64_MAX, slots[nr - 1]);
}

size_t table__buckets(const struct table *t, enum agg_op which, const u64 *value,
		      struct bucket *out)
{
	const struct table_op *op = &t->ops[which];

	if (which == AGG_HIST)
		return log2_buckets(value + op->at, op->e->is_signed, out);
	return linear_buckets(t, value + op->at, op->words, op->e->is_signed, out);
}

/* --- percentiles --- */

static double as_number(s64 v, bool is_signed)
{
	return is_signed ? (double)v : (double)(u64)v;
}

double hist__percentile(const struct hist *h, bool is_signed, double percent)
{
	double total = 0, want, seen = 0;
	size_t i;

	for (i = 0; i < h->nr; i++)
		total += (double)h->buckets[i].count;
	want = total * percent / 100;
	for (i = 0; i < h->nr; i++) {
		const struct bucket *b = &h->buckets[i];
		double low = as_number(b->low, is_signed), high = as_number(b->high, is_signed);

		if (seen + (double)b->count >= want || i + 1 == h->nr) {
			double part = b->count ? (want - seen) / (double)b->count : 0;

			return low + (high - low) * (part < 0 ? 0 : part > 1 ? 1 : part);
		}
		seen += (double)b->count;
	}
	return 0;
}
