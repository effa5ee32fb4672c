// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/guard.h"
#include "attach.h"
#include "privilege.h"

static int refused(struct err *err, int code, const char *event)
{
	char what[512];

	snprintf(what, sizeof(what), "cannot attach to %s", event);
	return privilege__explain(err, code, what);
}

/* The program runs for every CPU though the event is on one and disabled: perf counts nothing. */
static int open_perf(u32 id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
	};
	int cpu, fd = -1;

	/* CPU 0 may be offline; any one serves */
	for (cpu = 0; cpu < 64 && fd < 0; cpu++) {
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 && errno != ENODEV)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/* Links of perf events came with 5.15; EINVAL and EBADF are what kernels without them say. */
static bool without_links(int code)
{
	return code == EINVAL || code == EBADF || code == EOPNOTSUPP;
}

int attach__tracepoint(struct attachment *a, int prog, u32 id, const char *event, struct err *err)
{
	_cleanup_close_ int perf = open_perf(id);

	if (perf < 0)
		return refused(err, -perf, event);
	a->link = bpf_link_create(prog, perf, BPF_PERF_EVENT, NULL);
	if (a->link >= 0)
		return 0; /* it holds the perf event */
	if (!without_links(errno) || ioctl(perf, PERF_EVENT_IOC_SET_BPF, prog))
		return refused(err, errno, event);
	a->perf = steal_fd(&perf);
	return 0;
}

int attach__raw(struct attachment *a, int prog, const char *name, const char *event,
		struct err *err)
{
	a->link = bpf_raw_tracepoint_open(name, prog);
	return a->link < 0 ? refused(err, errno, event) : 0;
}

void attach__detach(struct attachment *a)
{
	if (a->link >= 0)
		close(a->link);
	if (a->perf >= 0)
		close(a->perf);
	*a = (struct attachment)ATTACHMENT_NONE;
}

void attach__wait_by_map(int outer, int inner)
{
	u32 first = 0;

	bpf_map_update_elem(outer, &first, &inner, BPF_ANY);
}

/* A grace period: programs run inside RCU read sections. */
void attach__wait(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}
