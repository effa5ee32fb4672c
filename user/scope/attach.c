// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/guard.h"
#include "attach.h"

int attach_tracepoint(struct bpf_program *prog, u32 id, const char *what, struct bpf_link **link,
		      struct err *err)
{
	/* never enabled: the program runs for every task and CPU all the same */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	*link = fd < 0 ? NULL : bpf_program__attach_perf_event(prog, fd);
	if (*link)
		return 0;
	err__set(err, errno, "%s: %s cannot be attached: %s%s", what, bpf_program__name(prog),
		 strerror(errno),
		 errno == EACCES || errno == EPERM ? "; it needs CAP_PERFMON" : "");
	guard_close(&fd);
	return -err->code;
}
