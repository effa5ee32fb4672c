// SPDX-License-Identifier: GPL-2.0-only
/*
 * table_stacks.c - the frames of stacks that are parts of keys.
 *
 * The kernel keeps each stack once, under a number made of its frames, and adds it again when it
 * is missing. Clearing a table moves all of them here: rows that were written before may still
 * name them, so the ones of the last clearing are kept until the next.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "table_impl.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

struct cached {
	u64 id;
	u32 nr;
	u64 *ips; /* owned */
};

struct stack_cache {
	struct cached *v; /* sorted by id */
	size_t nr, room;
};

void stack_cache__free(struct stack_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nr; i++)
		free(c->v[i].ips);
	free(c->v);
	free(c);
}

static int compare_id(const void *a, const void *b)
{
	u64 x = ((const struct cached *)a)->id, y = ((const struct cached *)b)->id;

	return x < y ? -1 : x > y;
}

static int add(struct stack_cache *c, u64 id, const struct stack_value *v)
{
	u32 nr = v->nr < STACK_KEY_MAX ? (u32)v->nr : STACK_KEY_MAX;
	struct cached one = {.id = id, .nr = nr, .ips = malloc(8 * (nr ? nr : 1))};

	if (!one.ips)
		return -ENOMEM;
	memcpy(one.ips, v->ips, 8 * nr);
	if (array__push(c->v, c->nr, c->room, one)) {
		free(one.ips);
		return -ENOMEM;
	}
	return 0;
}

int table__stack(const struct table *t, u64 id, u64 *ips, u32 max)
{
	struct stack_value v;
	struct cached key = {.id = id}, *found;

	if (t->stacks < 0)
		return -ENOENT;
	if (!bpf_map_lookup_elem(t->stacks, &id, &v)) {
		u32 nr = v.nr < max ? (u32)v.nr : max;

		memcpy(ips, v.ips, 8 * nr);
		return (int)nr;
	}
	found = t->cache && t->cache->nr
			? bsearch(&key, t->cache->v, t->cache->nr, sizeof(key), compare_id)
			: NULL;
	if (!found || found->nr > max)
		return -ENOENT;
	memcpy(ips, found->ips, 8 * found->nr);
	return (int)found->nr;
}

int table__take_stacks(struct table *t, struct err *err)
{
	struct stack_cache *c = calloc(1, sizeof(*c));
	struct stack_value v;
	u64 id;
	int ret = c ? 0 : -ENOMEM;

	while (!ret && !bpf_map_get_next_key(t->stacks, NULL, &id)) {
		if (!bpf_map_lookup_elem(t->stacks, &id, &v))
			ret = add(c, id, &v);
		bpf_map_delete_elem(t->stacks, &id);
	}
	if (ret) {
		stack_cache__free(c);
		return err__set(err, ENOMEM, "out of memory");
	}
	if (c->nr)
		qsort(c->v, c->nr, sizeof(*c->v), compare_id);
	stack_cache__free(t->cache);
	t->cache = c;
	return 0;
}
