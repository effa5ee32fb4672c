/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * maps.bpf.h - what programs share, and placeholders for what each event has of its own.
 *
 * The loader makes agg, starts, swap, stacks, counters and scratch itself, in the sizes that the events
 * need, and points the clones at them.
 */
#ifndef TAMIS_MAPS_BPF_H
#define TAMIS_MAPS_BPF_H

#define EEXIST 17

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 8);
	__uint(value_size, 8);
} agg SEC(".maps");

/* Where an event leaves the starts of intervals, and where one that ends them looks. */
#define STARTS(name)					\
	struct {					\
		__uint(type, BPF_MAP_TYPE_HASH);	\
		__uint(max_entries, 1);			\
		__uint(key_size, 8);			\
		__uint(value_size, sizeof(struct start)); \
	} name SEC(".maps")

#define TASK_STARTS(name)				\
	struct {					\
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE); \
		__uint(map_flags, BPF_F_NO_PREALLOC);	\
		__type(key, int);			\
		__type(value, struct start);		\
	} name SEC(".maps")

STARTS(starts);
STARTS(ends);
TASK_STARTS(task_starts);
TASK_STARTS(task_ends);

struct inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 8);
	__uint(value_size, 8);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 2);
	__type(key, u32);
	__array(values, struct inner);
} swap SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, struct stack_value);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct counters);
} counters SEC(".maps");

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);		/* possible CPUs; resized by the loader */
	__type(key, u32);
	__array(values, struct ring);
} rings SEC(".maps");

volatile struct control control;

/* The first value of any aggregation. Read-only, so larger than the stack may be. */
const volatile u8 zeroes[ZEROES] = {};

static __always_inline struct counters *counters_of(u32 cpu)
{
	u32 i = PATCHED(IMM_COUNTERS);

	i += cpu;
	return bpf_map_lookup_elem(&counters, &i);
}

static __always_inline struct counters *counters_here(void)
{
	return counters_of(bpf_get_smp_processor_id());
}

/* Atomic, because an interrupt may count in the middle of it. */
static __always_inline void count_in(struct counters *mine, enum counter c)
{
	__sync_fetch_and_add(&mine->c[c], 1);
}

static __always_inline void count(enum counter c)
{
	struct counters *mine = counters_here();

	if (mine)
		count_in(mine, c);
}

static __always_inline struct scratch *get_scratch(void)
{
	u32 i = PATCHED(IMM_SCRATCH);

	return bpf_map_lookup_elem(&scratch, &i);
}

#endif
