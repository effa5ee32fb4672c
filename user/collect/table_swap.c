// SPDX-License-Identifier: GPL-2.0-only
/*
 * table_swap.c - reads the rows of a table, and takes them out so that no update is lost.
 *
 * Programs write to one of two sides, which a switch in shared memory names. To clear, the switch
 * is thrown, the programs that still saw the old position are waited for, and only then the old
 * side is read and emptied. All tables share the switch, so the other side may hold rows too,
 * from before another table was cleared: then it is thrown twice.
 *
 * An array without min= and max= has one side: what was in it is subtracted.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "table_impl.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define BATCH_BYTES (1u << 20)

void raw_rows__free(struct raw_rows *rows)
{
	free(rows->keys);
	free(rows->values);
	*rows = (struct raw_rows){0};
}

static int make_room(const struct table *t, struct raw_rows *rows)
{
	size_t room = rows->room ? 2 * rows->room : 256;
	void *keys, *values;

	if (rows->nr < rows->room)
		return 0;
	keys = realloc(rows->keys, room * t->key.size);
	if (!keys)
		return -ENOMEM;
	rows->keys = keys;
	values = realloc(rows->values, room * t->words * 8);
	if (!values)
		return -ENOMEM;
	rows->values = values;
	rows->room = room;
	return 0;
}

/* One row of all CPUs; empty ones are left out. */
static int add_row(const struct table *t, struct raw_rows *rows, const u8 *key, const u64 *cpus)
{
	u64 *value;

	if (make_room(t, rows))
		return -ENOMEM;
	value = rows->values + rows->nr * t->words;
	memset(value, 0, 8 * t->words);
	for (int cpu = 0; cpu < t->nr_cpus; cpu++)
		table__fold(t, value, cpus + (size_t)cpu * t->words);
	if (!value[0])
		return 0;
	memcpy(rows->keys + rows->nr * t->key.size, key, t->key.size);
	rows->nr++;
	return 0;
}

/* --- one side --- */

struct batch {
	u8 *keys;
	u64 *values;
	u32 max;
};

static int batch_init(struct batch *b, const struct table *t, u32 max)
{
	size_t row = 8ull * t->words * t->nr_cpus;

	b->max = max;
	b->keys = calloc(max, t->key.size);
	b->values = calloc(max, row);
	return b->keys && b->values ? 0 : -ENOMEM;
}

static void batch_free(struct batch *b)
{
	free(b->keys);
	free(b->values);
}

static u32 batch_rows(const struct table *t)
{
	u64 row = t->key.size + 8ull * t->words * t->nr_cpus, n = BATCH_BYTES / row;

	if (n < 64)
		n = 64;
	return n < t->entries ? (u32)n : t->entries;
}

/* A bucket of the kernel's hash that holds more than @max rows needs a larger batch: -ENOSPC. */
static int read_batches(const struct table *t, int fd, bool take, struct batch *b,
			struct raw_rows *rows)
{
	size_t row = (size_t)t->words * t->nr_cpus;
	u64 position[64] = {0}; /* holds a key of any size */
	void *from = NULL;
	u32 n;
	int ret;

	do {
		n = b->max;
		if (take)
			ret = bpf_map_lookup_and_delete_batch(fd, from, position, b->keys,
							      b->values, &n, NULL);
		else
			ret = bpf_map_lookup_batch(fd, from, position, b->keys, b->values, &n,
						   NULL);
		if (ret && errno != ENOENT)
			return -errno;
		for (u32 i = 0; i < n; i++)
			if (add_row(t, rows, b->keys + (size_t)i * t->key.size,
				    b->values + i * row))
				return -ENOMEM;
		from = position;
	} while (!ret);
	return 0;
}

static int read_hash(const struct table *t, int fd, bool take, struct raw_rows *rows)
{
	u32 max = batch_rows(t);
	size_t before = rows->nr;
	struct batch b;
	int ret;

	for (;;) {
		ret = batch_init(&b, t, max);
		if (!ret)
			ret = read_batches(t, fd, take, &b, rows);
		batch_free(&b);
		/* what was taken out already must not be read again, nor forgotten */
		if (ret != -ENOSPC)
			return ret;
		if (!take)
			rows->nr = before;
		max *= 4;
	}
}

static int read_array(const struct table *t, int fd, bool take, struct raw_rows *rows)
{
	size_t row = (size_t)t->words * t->nr_cpus;
	u64 *value = calloc(row, 8), *zero = calloc(row, 8);
	int ret = value && zero ? 0 : -ENOMEM;

	for (u32 i = 0; i < t->entries && !ret; i++) {
		size_t before = rows->nr;

		if (bpf_map_lookup_elem(fd, &i, value))
			ret = -errno;
		else
			ret = add_row(t, rows, (const u8 *)&i, value);
		if (!ret && take && rows->nr > before && bpf_map_update_elem(fd, &i, zero, BPF_ANY))
			ret = -errno;
	}
	free(value);
	free(zero);
	return ret;
}

static int read_side(const struct table *t, int side, bool take, struct raw_rows *rows)
{
	if (t->key.index)
		return read_array(t, t->side[side], take, rows);
	return read_hash(t, t->side[side], take, rows);
}

/* --- both sides --- */

/* Throws the switch, and waits for the programs that saw its old position. */
static int flip(struct table *t)
{
	u32 zero = 0;

	t->sw->flips++;
	t->sw->control->selector = (u32)(t->sw->flips & 1);
	/* an update of a map of maps returns when no running program can hold the old map */
	return bpf_map_update_elem(t->outer, &zero, &t->side[0], 0) ? -errno : 0;
}

static int flip_and_take(struct table *t, struct raw_rows *rows)
{
	int side = (int)(t->sw->flips & 1), ret = flip(t);

	if (!ret)
		ret = read_side(t, side, true, rows);
	if (!ret)
		t->cleared[side] = (s64)t->sw->flips;
	return ret;
}

static int take_both(struct table *t, struct raw_rows *rows)
{
	int other = !(t->sw->flips & 1);
	bool is_used = (s64)t->sw->flips > t->cleared[other];
	int ret = flip_and_take(t, rows);

	if (!ret && is_used)
		ret = flip_and_take(t, rows);
	return ret;
}

struct by_key {
	const struct table *t;
	const struct raw_rows *rows;
};

static int compare_keys(const void *a, const void *b, void *ctx)
{
	const struct by_key *by = ctx;
	u32 size = by->t->key.size;

	return memcmp(by->rows->keys + *(const size_t *)a * size,
		      by->rows->keys + *(const size_t *)b * size, size);
}

/* Rows of the same key become one. */
static int merge(const struct table *t, struct raw_rows *rows)
{
	struct by_key by = {.t = t, .rows = rows};
	size_t *order = calloc(rows->nr + 1, sizeof(*order)), i, last;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < rows->nr; i++)
		order[i] = i;
	qsort_r(order, rows->nr, sizeof(*order), compare_keys, &by);
	for (i = 1, last = 0; i < rows->nr; i++) {
		if (compare_keys(&order[last], &order[i], &by)) {
			last = i;
			continue;
		}
		u64 *dup = rows->values + order[i] * t->words;

		table__fold(t, rows->values + order[last] * t->words, dup);
		dup[0] = 0; /* an empty row is no row */
	}
	free(order);
	return 0;
}

/* --- one side, nothing taken out --- */

static int subtract_base(struct table *t, bool clear, struct raw_rows *rows)
{
	u64 *now = clear ? calloc((size_t)t->entries * t->words, 8) : NULL;
	u32 index;

	if (clear && !now)
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr; i++) {
		u64 *value = rows->values + i * t->words;

		memcpy(&index, rows->keys + i * t->key.size, sizeof(index));
		if (clear)
			memcpy(now + (size_t)index * t->words, value, 8 * t->words);
		if (t->base)
			table__subtract(t, value, t->base + (size_t)index * t->words);
	}
	if (clear) {
		free(t->base);
		t->base = now;
	}
	return 0;
}

int table__read_raw(struct table *t, bool clear, struct raw_rows *rows, struct err *err)
{
	int ret;

	if (t->side[0] < 0)
		return err__set(err, EINVAL, "%s: its table exists once the session is attached",
				t->event->label);
	if (clear && !t->swap && !t->key.index)
		return err__set(err, EINVAL, "%s: its table was made never to be cleared",
				t->event->label);
	if (!t->swap) {
		ret = read_side(t, 0, false, rows);
		if (!ret)
			ret = subtract_base(t, clear, rows);
	} else {
		if (clear && t->sw->control) {
			ret = take_both(t, rows);
		} else {
			ret = read_side(t, 0, false, rows);
			if (!ret)
				ret = read_side(t, 1, false, rows);
		}
		if (!ret)
			ret = merge(t, rows);
	}
	if (!ret)
		return 0;
	return err__set(err, -ret, "%s: its table cannot be read: %s", t->event->label,
			strerror(-ret));
}
