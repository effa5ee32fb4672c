// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/types.h"
#include "bpf/record.h"
#include "bpf/template.h"
#include "bpf/profile.h"
#include "bpf/profile.skel.h"
#include "attach.h"
#include "profile_table.h"

int profile_table__init(struct profile_table *t, struct profile_bpf *skel, u32 entries,
			struct err *err)
{
	t->skel = skel;
	t->room = entries;
	t->hashes = calloc(entries, sizeof(*t->hashes));
	t->stacks = calloc(entries, sizeof(*t->stacks));
	t->order = calloc(entries, sizeof(*t->order));
	t->keys = calloc(entries, sizeof(*t->keys));
	t->counts = calloc(entries, sizeof(*t->counts));
	if (t->hashes && t->stacks && t->order && t->keys && t->counts)
		return 0;
	return err__set(err, ENOMEM, "profile: out of memory");
}

void profile_table__fini(struct profile_table *t)
{
	free(t->hashes);
	free(t->stacks);
	free(t->order);
	free(t->keys);
	free(t->counts);
}

/* Nobody writes the map any more, so that reading and deleting in batches is exact. */
static int take_all(struct bpf_map *map, void *keys, void *values, u32 room, u32 *n)
{
	size_t key_size = bpf_map__key_size(map), value_size = bpf_map__value_size(map);
	u64 batch = 0;
	bool first = true;
	int ret = 0;

	for (*n = 0; !ret && *n < room; first = false) {
		u32 got = room - *n;

		ret = bpf_map_lookup_and_delete_batch(bpf_map__fd(map), first ? NULL : &batch,
						      &batch, (char *)keys + *n * key_size,
						      (char *)values + *n * value_size, &got, NULL);
		if (!ret || ret == -ENOENT)
			*n += got;
	}
	return ret == -ENOENT ? 0 : ret;
}

static int by_hash(const void *a, const void *b, void *hashes)
{
	u64 x = ((u64 *)hashes)[*(const u32 *)a], y = ((u64 *)hashes)[*(const u32 *)b];

	return x < y ? -1 : x > y;
}

static const struct profile_stack *find(const struct profile_table *t, u32 n, u64 hash)
{
	u32 lo = 0, hi = n;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (t->hashes[t->order[mid]] < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && t->hashes[t->order[lo]] == hash ? &t->stacks[t->order[lo]] : NULL;
}

static u32 depth(const struct profile_stack *s)
{
	u32 n = 0;

	while (s && n < PROFILE_FRAMES && s->ips[n])
		n++;
	return n;
}

static int report(const struct profile_table *t, u32 nr_stacks, u32 i, stack_count_fn fn, void *ctx)
{
	const struct profile_key *k = &t->keys[i];
	const struct profile_stack *kernel = find(t, nr_stacks, k->kernel);
	const struct profile_stack *user = find(t, nr_stacks, k->user);
	char comm[PROFILE_COMM + 1];
	struct stack_count c = {
		.tgid = k->tgid,
		.comm = comm,
		.samples = t->counts[i].samples,
		.last = t->counts[i].last,
		.kernel = kernel ? kernel->ips : NULL,
		.user = user ? user->ips : NULL,
		.nr_kernel = depth(kernel),
		.nr_user = depth(user),
	};

	memcpy(comm, k->comm, PROFILE_COMM);
	comm[PROFILE_COMM] = 0;
	return fn(ctx, &c);
}

int profile_table__read(struct profile_table *t, stack_count_fn fn, void *ctx, struct err *err)
{
	u32 side = t->skel->bss->side, nr_stacks, nr_counts, i;
	int ret;

	t->skel->bss->side = !side;
	attach__wait();
	ret = take_all(side ? t->skel->maps.stacks1 : t->skel->maps.stacks0, t->hashes, t->stacks,
		       t->room, &nr_stacks);
	if (!ret)
		ret = take_all(side ? t->skel->maps.counts1 : t->skel->maps.counts0, t->keys,
			       t->counts, t->room, &nr_counts);
	if (ret)
		return err__set(err, -ret, "profile: cannot read the counted stacks: %s",
				strerror(-ret));
	for (i = 0; i < nr_stacks; i++)
		t->order[i] = i;
	qsort_r(t->order, nr_stacks, sizeof(*t->order), by_hash, t->hashes);
	for (i = 0; i < nr_counts && !ret; i++)
		ret = report(t, nr_stacks, i, fn, ctx);
	return ret;
}
