// SPDX-License-Identifier: GPL-2.0-only
#include <fnmatch.h>
#include <string.h>
#include "context.h"

struct place {
	const char *system, *name;
};

/* Always on behalf of the task that runs. */
static const struct place in_task[] = {
	{"syscalls", "*"},
	{"raw_syscalls", "*"},
	{"exceptions", "page_fault_user"},
	{"filelock", "*"},
	{"fs_dax", "*"},
	{"ext4", "ext4_*_write_*"},
	{"xfs", "xfs_file_*"},
	{"btrfs", "btrfs_sync_file"},
	{"mmap", "*"},
	{"mmap_lock", "*"},
};

/*
 * May interrupt a program that runs on the same CPU, which makes classic tracepoint programs miss
 * runs. What is not here may still do so now and then; then the missed runs are counted.
 */
static const struct place in_interrupt[] = {
	{"irq", "*"},
	{"irq_vectors", "*"},
	{"irq_matrix", "*"},
	{"timer", "*"},
	{"nmi", "*"},
	{"ipi", "*"},
	{"rcu", "*"},
	{"net", "*"},
	{"napi", "*"},
	{"skb", "*"},
	{"tcp", "*"},
	{"udp", "*"},
	{"sock", "*"},
	{"qdisc", "*"},
	{"xdp", "*"},
	{"neigh", "*"},
	{"bridge", "*"},
	{"fib", "*"},
	{"fib6", "*"},
	{"icmp", "*"},
	{"page_pool", "*"},
	{"kmem", "*"},
	{"block", "block_rq_*"},
	{"block", "block_bio_*"},
	{"scsi", "*"},
	{"nvme", "*"},
	{"libata", "*"},
	{"sched", "sched_wak*"},
	{"sched", "sched_stat_*"},
	{"sched", "sched_pi_*"},
	{"sched", "ipi_*"},
	{"workqueue", "*"},
	{"signal", "*"},
	{"preemptirq", "*"},
	{"lock", "*"},
	{"dma_fence", "*"},
	{"msr", "*"},
	{"tlb", "*"},
	{"power", "*"},
	{"thermal", "*"},
	{"mce", "*"},
	{"watchdog", "*"},
	{"csd", "*"},
	{"cgroup", "cgroup_rstat_*"},
	{"printk", "*"},
};

/* Functions that a system call enters. */
static const char *const syscall_functions[] = {"__x64_sys_*", "__ia32_*sys_*", "__arm64_sys_*",
						"ksys_*",      "do_sys_*",	"vfs_*"};

static bool is_in(const struct place *places, size_t n, const char *system, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(places[i].system, system) && !fnmatch(places[i].name, name, 0))
			return true;
	return false;
}

static bool is_syscall_function(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(syscall_functions); i++)
		if (!fnmatch(syscall_functions[i], name, 0))
			return true;
	return false;
}

static bool happens_in_task(const struct event *e)
{
	switch (e->kind) {
	case SPEC_TRACEPOINT:
		return is_in(in_task, ARRAY_SIZE(in_task), e->format->system, e->format->name);
	case SPEC_UPROBE:
	case SPEC_URETPROBE:
	case SPEC_USDT:
		return true;
	case SPEC_SOURCE:
		return false;
	default:
		return is_syscall_function(e->format->name);
	}
}

void event__find_context(struct event *e)
{
	/* leaving out "current" would drop the other end of another task's interval */
	e->task_context = happens_in_task(e) && !(e->spec && (e->spec->key.n || e->spec->since));
	e->interrupt_context = e->kind == SPEC_TRACEPOINT &&
			       is_in(in_interrupt, ARRAY_SIZE(in_interrupt), e->format->system,
				     e->format->name);
}
