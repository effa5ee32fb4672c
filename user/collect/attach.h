/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file attach.h - a loaded program, and the tracepoint that runs it.
 */
#ifndef TAMIS_COLLECT_ATTACH_H
#define TAMIS_COLLECT_ATTACH_H

#include "../base/err.h"
#include "../base/types.h"

/** Descriptors, -1 where none is held. */
struct attachment {
	int link;
	int perf; /**< only where the kernel has no links of perf events (before 5.15) */
};

#define ATTACHMENT_NONE \
	{               \
		-1, -1  \
	}

/** @id is the tracepoint's, @event its name for messages. */
int attach__tracepoint(struct attachment *a, int prog, u32 id, const char *event, struct err *err);
/** @name of a raw tracepoint; NULL for a tp_btf program, which knows its own. */
int attach__raw(struct attachment *a, int prog, const char *name, const char *event,
		struct err *err);
static inline bool attach__is(const struct attachment *a)
{
	return a->link >= 0 || a->perf >= 0;
}

/**
 * Detaches all of @a from several threads: each waits for grace periods that others can share.
 * @progress is called by this thread with how many are left; may be NULL.
 */
void attach__detach_all(struct attachment **a, size_t n, void (*progress)(void *ctx, int left),
			void *ctx);
/** The program may still be running on another CPU when this returns. */
void attach__detach(struct attachment *a);
/**
 * Waits until no BPF program that was detached before is still running.
 * @outer an array of maps, @inner what its element 0 is: setting that again waits for programs
 */
void attach__wait_by_map(int outer, int inner);
/** The same without a map; takes longer. */
void attach__wait(void);

#endif
