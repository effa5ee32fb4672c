/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file profiler.h - where CPUs spend their time: samples, counted by stack in the kernel.
 *
 *	open -> attach -> (read, once an interval) -> detach -> read -> close
 */
#ifndef TAMIS_COLLECT_PROFILER_H
#define TAMIS_COLLECT_PROFILER_H

#include "../base/err.h"
#include "../base/types.h"

struct log;
struct profiler;
struct scope;

struct profiler_opts {
	u32 freq;		/**< samples a second and CPU */
	bool no_kernel, no_user; /**< stacks of that side */
	bool self;		/**< tamis's own samples too */
	u64 user_regs;		/**< registers that unwinding by tables needs; 0: it cannot be done */
	bool unwind_all;	/**< unwind all processes that way, none by frame pointers */
	u32 entries;		/**< room for distinct stacks an interval; 0: enough for every sample */
	const struct scope *scope; /**< armed; NULL: everything */
	struct log *log;
};

/** What is needed to unwind a user stack by tables. */
struct stack_copy {
	u64 abi, mask;		/**< of the registers, as perf has them */
	const u64 *regs;
	const void *stack;
	u64 stack_size;
};

/** How often one pair of stacks was seen; borrowed until the callback returns. */
struct stack_count {
	u32 tgid;		/**< in tamis's own pid namespace; 0: not visible there */
	const char *comm;	/**< of the thread */
	u64 samples;
	u64 last;		/**< when the last of them was taken, ns of CLOCK_MONOTONIC */
	const u64 *kernel, *user; /**< leaf first, without PERF_CONTEXT_* marks */
	u32 nr_kernel, nr_user;
	const struct stack_copy *copy; /**< instead of user; NULL: there is none */
};

typedef int (*stack_count_fn)(void *ctx, const struct stack_count *c);

struct profiler_stats {
	u64 samples;		/**< in scope and not left out */
	u64 own, out_of_scope;
	u64 lost;		/**< in scope, and their stacks found no room */
	u64 truncated;		/**< samples whose stack was cut */
	u64 user, shallow;	/**< samples with a user stack; of one or two frames */
	u32 max_frames;		/**< what a stack is cut to */
};

/** @return 0; -EPERM, ...: BPF cannot be used, with the cause in @err */
int profiler__open(struct profiler **ret, const struct profiler_opts *opts, struct err *err);
int profiler__attach(struct profiler *p, struct err *err);
/** From now on the stacks of @tgid come as copies. @return 0 or -errno */
int profiler__unwind(struct profiler *p, u32 tgid, struct err *err);
/** By frame pointers again. */
void profiler__unwind_no_more(struct profiler *p, u32 tgid);
/** Takes the copies that have come, which need more room than counts: call it every 50 ms. */
int profiler__read_copies(struct profiler *p, stack_count_fn fn, void *ctx);
/** How long samples can be left in the kernel so that none is lost, ms. */
int profiler__interval(const struct profiler *p);
/**
 * Takes what was counted since the last call. @return 0, what @fn returned first that is not 0,
 * or -errno
 */
int profiler__read(struct profiler *p, stack_count_fn fn, void *ctx, struct err *err);
/** CPUs that came online since are sampled too. */
void profiler__rescan(struct profiler *p);
void profiler__detach(struct profiler *p);
void profiler__stats(const struct profiler *p, struct profiler_stats *stats);
/** NULL is fine. */
void profiler__close(struct profiler *p);

#endif
