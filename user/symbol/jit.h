/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file jit.h - the perf map files of processes: which file is whose, and what it says.
 *
 * One struct jit for each process from its fork or exec to its next exec. A child that has not
 * called exec knows its parent's, as it was when the child was forked.
 */
#ifndef TAMIS_SYMBOL_JIT_H
#define TAMIS_SYMBOL_JIT_H

#include "ns_root.h"
#include "perf_map_file.h"

struct jit;
struct jits;
struct log;
struct strpool;

struct jits_stats {
	u64 lines, bad_lines, refused, bytes;
};

/** @dir NULL: /tmp */
struct jits *jits__new(const char *dir, struct strpool *pool, struct log *log);
void jits__free(struct jits *s);
void jits__stats(const struct jits *s, struct jits_stats *stats);

/** @started ns of CLOCK_REALTIME. @return one reference */
struct jit *jit__new(u32 pid, u64 started);
/** After an exec; until the process is seen itself, it is taken to be where it was @before. */
struct jit *jit__after(struct jit *before, u32 pid, u64 started);
/** A child: what it has of its parent until it calls exec. */
struct jit *jit__fork(struct jit *parent, u32 pid, u64 started);
/** @j was forked from @parent before anybody looked. */
void jit__adopt(struct jits *s, struct jit *j, struct jit *parent);
/** NULL is fine. */
void jit__put(struct jits *s, struct jit *j);

/**
 * Opens the process's root and notes its user and its pid in its own namespace, while it runs;
 * nothing once that was done.
 */
void jit__sight(struct jits *s, struct jit *j);
/** The process maps code that no file holds: its map file is opened early. */
void jit__expect(struct jits *s, struct jit *j);
/** Its root; NULL: not known */
struct ns_root *jit__root(const struct jit *j);

/**
 * @round counts the call chains that were named: a file is looked at for news once a round.
 * @return the name that covers @addr, of the pool; *start where it begins, *file "perf-PID.map"
 */
const char *jit__find(struct jits *s, struct jit *j, u64 addr, u64 round, u64 *start,
		      const char **file);

#endif
