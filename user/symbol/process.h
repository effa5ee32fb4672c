/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file process.h - the processes by pid and time, with what each had mapped.
 *
 * A struct process is one life of a pid between two execs: a pid that was used twice, or a
 * program that became another one, are two of them. Those that have ended stay known, bounded.
 */
#ifndef TAMIS_SYMBOL_PROCESS_H
#define TAMIS_SYMBOL_PROCESS_H

#include "jit.h"
#include "maps.h"

struct processes;

struct process {
	struct process *older;	/**< next in the table; of one pid, the life before */
	u32 tgid;
	u64 since, until;	/**< ns of CLOCK_MONOTONIC; until 0: it is there */
	u64 ticks;		/**< start time in /proc; 0: not known */
	struct maps *maps;
	bool read;		/**< /proc/PID/maps was read, or all of it was told since its exec */
	bool ended;		/**< it has exited (not only become another program) */
	struct jit *jit;
	u64 doubt, checked;	/**< when it was last made sure that it is still what it was */
	u64 refreshed;		/**< when its mappings were last read for an unknown address, ns */
	struct unwinder *unwinder; /**< NULL: not needed so far, or dropped */
	u64 unwound;		/**< when it was last used, in uses; for the choice of what to drop */
	size_t unwinder_old;	/**< maps->nr_old when it was made: replaced mappings make it wrong */
	struct process *newer_dead, *older_dead;
};

struct processes_env {
	struct file_cache *files;
	struct jits *jits;
	struct strpool *pool;
};

struct processes *processes__new(const struct processes_env *env);
void processes__free(struct processes *s);
const struct processes_env *processes__env(const struct processes *s);
size_t processes__nr(const struct processes *s);

/** What @tgid was at @time, read from /proc if it was not known. NULL: it never was seen */
struct process *processes__at(struct processes *s, u32 tgid, u64 time);
/** The newest, made empty if it is not known. NULL without memory */
struct process *processes__newest(struct processes *s, u32 tgid, u64 time);
struct process *processes__fork(struct processes *s, u32 parent, u32 tgid, u64 time);
struct process *processes__exec(struct processes *s, u32 tgid, u64 time);
void processes__exit(struct processes *s, u32 tgid, u64 time);
/** Some of all this was lost: what is known is made sure of before it is used again. */
void processes__doubt(struct processes *s);
/** Is it, this same one, still running? Asks /proc. */
bool process__alive(const struct process *p);
/** Reads /proc/PID/maps, once more if it was read. @return false: it is gone */
bool processes__read(struct processes *s, struct process *p);
/** NULL without memory. */
struct unwinder *processes__unwinder(struct processes *s, struct process *p);
/** Every process there is. */
void processes__scan(struct processes *s);
/** A mapping as told by a record, or with time 0 by a line of /proc. */
int process__map(struct processes *s, struct process *p, const struct symbol_mmap *m);

#endif
