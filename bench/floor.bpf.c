// SPDX-License-Identifier: GPL-2.0-only
/*
 * floor.bpf.c - for each row of the bench the least that the kernel side can do: same key, same
 * kind of map, same record, written by hand. What tamis adds to these is its own.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "floor.h"

char LICENSE[] SEC("license") = "GPL";

const volatile u64 cgroup_id;
const volatile u32 cgroup_level;
const volatile u32 own_tgid;
u32 reader_asleep;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 512);
	__type(key, u32);
	__type(value, u64);
} by_id SEC(".maps");

struct comm {
	char name[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct comm);
	__type(value, u64);
} by_comm SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, u32);
	__type(value, u64);
} latencies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, u64);
} woken SEC(".maps");

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, MAX_CPUS);
	__type(key, u32);
	__array(values, struct ring);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_COUNTERS);
	__type(key, u32);
	__type(value, u64);
} counters SEC(".maps");

static __always_inline void add(void *map, u32 key, u64 n)
{
	u64 *value = bpf_map_lookup_elem(map, &key);

	if (value)
		*value += n;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(count_by_id, struct pt_regs *regs, long id)
{
	add(&by_id, (u32)id & 511, 1);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(count_others_by_id, struct pt_regs *regs, long id)
{
	if (bpf_get_current_pid_tgid() >> 32 != own_tgid)
		add(&by_id, (u32)id & 511, 1);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(count_in_cgroup, struct pt_regs *regs, long id)
{
	if (bpf_get_current_ancestor_cgroup_id(cgroup_level) == cgroup_id)
		add(&by_id, (u32)id & 511, 1);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(count_by_comm, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct comm key;
	u64 one = 1, *value;

	__builtin_memcpy(key.name, prev->comm, 16);
	value = bpf_map_lookup_elem(&by_comm, &key);
	if (value)
		*value += 1;
	else
		bpf_map_update_elem(&by_comm, &key, &one, BPF_NOEXIST);
	return 0;
}

static __always_inline void submit(void *ring, void *record)
{
	u64 flags = BPF_RB_NO_WAKEUP;

	if (reader_asleep || bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) >= WAKE_BYTES)
		flags = BPF_RB_FORCE_WAKEUP;
	bpf_ringbuf_submit(record, flags);
}

static __always_inline void fill_head(struct floor_record *r, u32 cpu, u64 id)
{
	r->time = bpf_ktime_get_ns();
	r->tgid = id >> 32;
	r->tid = id;
	r->size = sizeof(*r);
	r->event = 0;
	r->cpu = cpu;
	r->lost = 0;
	r->flags = 0;
	r->chain = 0;
	r->common = 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(emit, struct pt_regs *regs, long id)
{
	u64 task = bpf_get_current_pid_tgid();
	u32 cpu = bpf_get_smp_processor_id();
	struct floor_record *r;
	void *ring;

	/* The reader's own calls would feed back. */
	if (task >> 32 == own_tgid)
		return 0;
	ring = bpf_map_lookup_elem(&rings, &cpu);
	if (!ring)
		return 0;
	r = bpf_ringbuf_reserve(ring, sizeof(*r), 0);
	if (!r) {
		add(&counters, COUNTER_LOST, 1);
		return 0;
	}
	fill_head(r, cpu, task);
	r->id = id;
	r->args[0] = PT_REGS_PARM1_SYSCALL(regs);
	r->args[1] = PT_REGS_PARM2_SYSCALL(regs);
	r->args[2] = PT_REGS_PARM3_SYSCALL(regs);
	r->args[3] = PT_REGS_PARM4_SYSCALL(regs);
	r->args[4] = PT_REGS_PARM5_SYSCALL(regs);
#ifdef __TARGET_ARCH_x86
	r->args[5] = regs->r9;
#else
	r->args[5] = PT_REGS_PARM6_SYSCALL(regs);
#endif
	submit(ring, r);
	return 0;
}

const volatile char wanted[64];
const volatile u32 wanted_len;

SEC("tracepoint/syscalls/sys_enter_openat")
int open_by_name(struct trace_event_raw_sys_enter *ctx)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct floor_open *r;
	char name[64];
	void *ring;
	long n;
	int i;

	n = bpf_probe_read_user_str(name, sizeof(name), (void *)ctx->args[1]);
	if (n != wanted_len)
		return 0;
	for (i = 0; i < 64 && i < wanted_len; i++)
		if (name[i] != wanted[i])
			return 0;
	ring = bpf_map_lookup_elem(&rings, &cpu);
	if (!ring)
		return 0;
	r = bpf_ringbuf_reserve(ring, sizeof(*r), 0);
	if (!r) {
		add(&counters, COUNTER_LOST, 1);
		return 0;
	}
	fill_head(&r->head, cpu, bpf_get_current_pid_tgid());
	r->head.size = sizeof(*r);
	__builtin_memcpy(r->name, name, sizeof(name));
	bpf_get_current_comm(r->comm, sizeof(r->comm));
	submit(ring, r);
	return 0;
}

static __always_inline int wake(struct task_struct *p)
{
	u64 now = bpf_ktime_get_ns();
	u32 pid = p->pid;

	bpf_map_update_elem(&woken, &pid, &now, BPF_ANY);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(wakeup, struct task_struct *p)
{
	return wake(p);
}

static __always_inline u32 log2_slot(u64 v)
{
	u32 slot = 0, shift;

	shift = (v > 0xffffffff) << 5; v >>= shift; slot |= shift;
	shift = (v > 0xffff) << 4; v >>= shift; slot |= shift;
	shift = (v > 0xff) << 3; v >>= shift; slot |= shift;
	shift = (v > 0xf) << 2; v >>= shift; slot |= shift;
	shift = (v > 0x3) << 1; v >>= shift; slot |= shift;
	return slot | (v >> 1);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u32 pid = next->pid;
	u64 *start;

	start = bpf_map_lookup_elem(&woken, &pid);
	if (!start)
		return 0;
	add(&latencies, log2_slot(bpf_ktime_get_ns() - *start) & 63, 1);
	bpf_map_delete_elem(&woken, &pid);
	return 0;
}
