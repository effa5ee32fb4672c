// SPDX-License-Identifier: GPL-2.0-only
/*
 * follow.bpf.c - keeps the set of tasks that -p --follow, -t --follow and a workload include.
 *
 * A child is added by its thread number in sched_process_fork, before it runs its first
 * instruction. The number of a process is that of its first thread; the numbers of further threads
 * are added too, since the tracepoint does not tell them apart. They do no harm: while such a
 * thread lives no process can have its number.
 *
 * An entry leaves with sched_process_free, not with sched_process_exit: an exiting task still has
 * events, and the first thread may exit long before its process does. But the number of a task that
 * has ended can be used again before it is freed, by a stranger or by a followed one, and the free
 * tells the number only. So a free counts only for as many tasks as were seen to exit under that
 * number, and only the last of them takes the entry out. When a thread other than the first calls
 * exec, the two swap numbers between exit and free: the entry then stays behind. So does one whose
 * free the kernel skipped. That costs room, nothing else: whoever uses the number next sets it
 * right, and user space sweeps.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "follow.h"

char LICENSE[] SEC("license") = "GPL";

/* Where this kernel's records have the numbers; set before loading. */
const volatile u32 child_pid_at, freed_pid_at;
const volatile bool by_thread;
/* Namespaces that the seeds' numbers are of; none: the kernel's own numbers. */
const volatile u32 nr_namespaces;
const volatile u64 ns_dev[FOLLOW_NAMESPACES], ns_ino[FOLLOW_NAMESPACES];

u64 full; /* tasks that found no room */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before loading */
	__type(key, u32);
	__type(value, struct followed);
} tasks SEC(".maps");

/* By number and, in the upper half, inode of the namespace. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before loading */
	__type(key, u64);
	__type(value, u32);
} seeds SEC(".maps");

/*
 * struct bpf_pidns_info, which is fixed. The one of vmlinux.h asks for relocation, and libbpf would
 * read all of the kernel's BTF for that: 20 ms at every start.
 */
struct pidns_ids {
	u32 pid, tgid;
};

static __always_inline bool is_seed(void)
{
	struct pidns_ids ids = {};
	u64 key;
	u32 i;

#pragma unroll
	for (i = 0; i < FOLLOW_NAMESPACES; i++) {
		if (i >= nr_namespaces)
			break;
		if (bpf_get_ns_current_pid_tgid(ns_dev[i], ns_ino[i], (void *)&ids, sizeof(ids)))
			continue;
		key = (by_thread ? ids.pid : ids.tgid) | ns_ino[i] << 32;
		if (bpf_map_lookup_elem(&seeds, &key))
			return true;
	}
	return false;
}

static __always_inline bool parent_is_followed(void)
{
	u64 id = bpf_get_current_pid_tgid();
	u32 key = by_thread ? id : id >> 32;
	struct followed *f = bpf_map_lookup_elem(&tasks, &key);

	return (f && f->followed) || is_seed();
}

/* In the parent. */
SEC("tp/sched/sched_process_fork")
int on_fork(void *ctx)
{
	struct followed first = {.followed = 1}, *f;
	bool follow = parent_is_followed();
	u32 child;

	if (bpf_probe_read_kernel(&child, sizeof(child), ctx + child_pid_at))
		return 1;
	f = bpf_map_lookup_elem(&tasks, &child);
	if (f) {
		f->exited = 0;
		f->followed = follow;
	} else if (follow && bpf_map_update_elem(&tasks, &child, &first, BPF_ANY)) {
		__sync_fetch_and_add(&full, 1);
	}
	return 1;
}

/* In the task itself. */
SEC("tp/sched/sched_process_exit")
int on_exit(void *ctx)
{
	u32 tid = bpf_get_current_pid_tgid();
	struct followed *f = bpf_map_lookup_elem(&tasks, &tid);

	if (f) {
		f->exited = 1;
		__sync_fetch_and_add(&f->pending, 1);
	}
	return 1;
}

/* In an RCU callback: current is anybody. */
SEC("tp/sched/sched_process_free")
int on_free(void *ctx)
{
	struct followed *f;
	u32 pid;

	if (bpf_probe_read_kernel(&pid, sizeof(pid), ctx + freed_pid_at))
		return 1;
	f = bpf_map_lookup_elem(&tasks, &pid);
	if (!f || !f->pending)
		return 1;
	__sync_fetch_and_add(&f->pending, -1);
	if (!f->pending && f->exited)
		bpf_map_delete_elem(&tasks, &pid);
	return 1;
}
