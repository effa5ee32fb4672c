// SPDX-License-Identifier: GPL-2.0-only
/*
 * probe.bpf.c - one program, compiled once, cloned for every event. Nothing here knows a field of
 * any event; template.h says how the clones come to know theirs. The sections are no program types:
 * what is loaded from here are maps, programs only as clones.
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
SEC("stencil/classic")
int classic(void *ctx)
{
	run_event(ctx, ctx);
	return 1;
}

SEC("stencil/classic_emit")
int classic_emit(void *ctx)
{
	run_emit(ctx, ctx);
	return 1;
}

/*
 * The same stages for tracepoints whose arguments tell all that their record holds. Loaded as a
 * raw_tp program, or as tp_btf where the arguments are followed into kernel types: neither is
 * skipped when it fires inside another program, as classic ones are. Probes of functions and USDT
 * probes are such programs too: their record is made of registers or arguments.
 */
SEC("stencil/raw")
int raw(u64 *ctx)
{
	struct rebuilt rec;

	HOLE(MARK_REBUILD, REBUILD_ROOM, ctx, &rec);
	run_event(ctx, &rec);
	return PATCHED(IMM_RESULT);
}

SEC("stencil/raw_emit")
int raw_emit(u64 *ctx)
{
	struct rebuilt rec;

	HOLE(MARK_REBUILD, REBUILD_ROOM, ctx, &rec);
	run_emit(ctx, &rec);
	return PATCHED(IMM_RESULT);
}
