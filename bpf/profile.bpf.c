// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile.bpf.c - runs on each tick of a sampling event and counts where the CPU was.
 *
 * Stacks are keyed by a hash of 64 bits over their addresses instead of bpf_get_stackid(), whose
 * table drops a stack, however hot, when another one has its slot.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "record.h"
#include "template.h"
#include "profile.h"
#include "hole.bpf.h"
#include "glob.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before loading. */
const volatile u64 own_ns_dev, own_ns_ino;	/* tamis's pid namespace; 0: the initial one */
const volatile bool with_kernel = true, with_user = true;
const volatile u32 max_frames = PROFILE_FRAMES;
const volatile bool unwind_all;

/* Mapped by the collector. */
volatile u32 side;
u64 counters[PROFILE_MAX];

struct stacks {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* set before loading */
	__type(key, u64);
	__type(value, struct profile_stack);
} stacks0 SEC(".maps"), stacks1 SEC(".maps");

struct counts {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* set before loading */
	__type(key, struct profile_key);
	__type(value, struct profile_count);
} counts0 SEC(".maps"), counts1 SEC(".maps");

/* The stack of the current tick: too large for the program's own. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct profile_stack);
} scratch SEC(".maps");

/* Processes whose stacks are not to be followed by frame pointers; those that still run are kept. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PROFILE_UNWOUND);
	__type(key, u32);
	__type(value, u32);
} unwound SEC(".maps");

/* Their samples; perf adds the registers and a copy of the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);		/* set before loading */
	__type(key, u32);
	__type(value, u32);
} samples SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct profile_sample);
} raw SEC(".maps");

static __always_inline void count(enum profile_counter c)
{
	__sync_fetch_and_add(&counters[c], 1);
}

/* The finalizer of MurmurHash3 over each word; 0 means "no stack". */
static __always_inline u64 hash_stack(const struct profile_stack *s, u32 n)
{
	u64 h = n;
	u32 i;

	for (i = 0; i < PROFILE_FRAMES; i++) {
		if (i >= n)
			break;
		h ^= s->ips[i];
		h *= 0xff51afd7ed558ccdull;
		h ^= h >> 33;
		h *= 0xc4ceb9fe1a85ec53ull;
		h ^= h >> 33;
	}
	return h ? h : 1;
}

static __always_inline bool keep_stack(void *map, u64 hash, const struct profile_stack *s)
{
	if (bpf_map_lookup_elem(map, &hash))
		return true;
	if (!bpf_map_update_elem(map, &hash, s, BPF_NOEXIST))
		return true;
	return bpf_map_lookup_elem(map, &hash); /* another CPU was faster */
}

/* @return false: the stack is lost. *hash 0: there is none */
static __always_inline bool take_stack(void *ctx, void *map, u64 flags, u64 *hash, bool *cut)
{
	struct profile_stack *s;
	u32 zero = 0, n;
	long bytes;

	*hash = 0;
	s = bpf_map_lookup_elem(&scratch, &zero);
	if (!s)
		return false;
	bytes = bpf_get_stack(ctx, s->ips, sizeof(s->ips), flags);
	if (bytes <= 0)
		return true;
	n = bytes / 8;
	if (flags & BPF_F_USER_STACK) {
		count(PROFILE_USER);
		if (n <= 2)
			count(PROFILE_SHALLOW);
	}
	if (n >= max_frames)
		*cut = true;
	*hash = hash_stack(s, n);
	if (keep_stack(map, *hash, s))
		return true;
	count(PROFILE_STACK_FULL);
	return false;
}

static __always_inline u32 own_tgid(void)
{
	struct bpf_pidns_info ids = {};

	if (!own_ns_ino)
		return bpf_get_current_pid_tgid() >> 32;
	if (bpf_get_ns_current_pid_tgid(own_ns_dev, own_ns_ino, &ids, sizeof(ids)))
		return 0;
	return ids.tgid;
}

static __always_inline void add(void *map, const struct profile_key *key)
{
	struct profile_count first = {1, bpf_ktime_get_ns()}, *c;

	c = bpf_map_lookup_elem(map, key);
	if (!c) {
		if (!bpf_map_update_elem(map, key, &first, BPF_NOEXIST))
			return;
		c = bpf_map_lookup_elem(map, key);
	}
	if (!c) {
		count(PROFILE_COUNT_FULL);
		return;
	}
	__sync_fetch_and_add(&c->samples, 1);
	c->last = first.last;
}

static __always_inline void emit(void *ctx, u32 tgid)
{
	struct profile_sample *s;
	u64 size = sizeof(*s) - sizeof(s->kernel);
	long bytes = 0;
	u32 zero = 0;

	s = bpf_map_lookup_elem(&raw, &zero);
	if (!s)
		return;
	s->tgid = tgid;
	bpf_get_current_comm(s->comm, sizeof(s->comm));
	if (with_kernel)
		bytes = bpf_get_stack(ctx, s->kernel, sizeof(s->kernel), 0);
	s->nr_kernel = bytes > 0 ? (u64)bytes / 8 : 0;
	size += bytes > 0 ? bytes : 0;
	asm volatile("" : "+r"(size)); /* else 6.1 sees the check of a copy */
	if (size > sizeof(*s))
		size = sizeof(*s);
	if (bpf_perf_event_output(ctx, &samples, BPF_F_CURRENT_CPU, s, size))
		count(PROFILE_RING_FULL);
}

static __always_inline void sample(void *ctx, u32 tgid, void *stacks, void *counts)
{
	struct profile_key key = {};
	bool cut = false;

	if (with_kernel && !take_stack(ctx, stacks, 0, &key.kernel, &cut))
		return;
	if (with_user && !take_stack(ctx, stacks, BPF_F_USER_STACK, &key.user, &cut))
		return;
	if (cut)
		count(PROFILE_TRUNCATED);
	key.tgid = tgid;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	add(counts, &key);
}

/* Never runs; keeps the function that the scope's code may call. */
static __always_inline void keep_callable(void)
{
	u64 never, any;

	asm volatile("%0 = 0; %1 = 0" : "=r"(never), "=r"(any));
	if (never)
		glob_match((void *)any, any, (void *)any);
}

SEC("perf_event")
int tick(void *ctx)
{
	struct work w;
	u64 scope;
	u32 tgid;

	keep_callable();
	w.ctx = (u64)ctx;
	scope = HOLE(MARK_SCOPE, SCOPE_ROOM, ctx, &w);
	if (scope != SCOPE_IN) {
		count(scope == SCOPE_OWN ? PROFILE_OWN : PROFILE_OUT);
		return 0;
	}
	count(PROFILE_SAMPLES);
	tgid = own_tgid();
	if (with_user && (unwind_all || bpf_map_lookup_elem(&unwound, &tgid)))
		emit(ctx, tgid);
	else if (side)
		sample(ctx, tgid, &stacks1, &counts1);
	else
		sample(ctx, tgid, &stacks0, &counts0);
	return 0;
}
