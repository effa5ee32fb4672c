// SPDX-License-Identifier: GPL-2.0-only
/* cgroup_names.bpf.c - tells of every cgroup2 that is made: its id and its path. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "cgroup_names.h"

char LICENSE[] SEC("license") = "GPL";

/* Where this kernel's record of cgroup:cgroup_mkdir has its fields; set before loading. */
const volatile u32 root_at, id_at, path_at;

u64 lost; /* that found no room */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 * 1024);
} made SEC(".maps");

SEC("tp/cgroup/cgroup_mkdir")
int on_mkdir(void *ctx)
{
	struct cgroup_made *m;
	u32 root, loc;
	long len;

	/* hierarchy 0 is cgroup2 */
	if (bpf_probe_read_kernel(&root, sizeof(root), ctx + root_at) || root)
		return 1;
	m = bpf_ringbuf_reserve(&made, sizeof(*m), 0);
	if (!m) {
		__sync_fetch_and_add(&lost, 1);
		return 1;
	}
	bpf_probe_read_kernel(&m->id, sizeof(m->id), ctx + id_at);
	bpf_probe_read_kernel(&loc, sizeof(loc), ctx + path_at);
	len = bpf_probe_read_kernel_str(m->path, sizeof(m->path), ctx + (loc & 0xffff));
	m->len = len < 0 ? 0 : len;
	m->unused = 0;
	bpf_ringbuf_submit(m, BPF_RB_NO_WAKEUP);
	return 1;
}
