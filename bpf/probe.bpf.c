// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.bpf.c - one program, compiled once, cloned for every event. Nothing here knows a field of
 * any event; template.h says how the clones come to know theirs.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include "record.h"
#include "template.h"
#include "stages.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * The result decides whether perf events on the same tracepoint see the event: with 0, anybody's
 * perf record beside us would get nothing.
 */
SEC("tp")
int classic(void *ctx)
{
	run_event(ctx, ctx);
	return 1;
}
