/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sideband.h - what happens to processes, as the kernel tells perf users beside their samples.
 *
 * Rings of their own, so that what is lost there is never taken for a lost sample. One thread at a
 * time. Numbers of processes are those of tamis's own pid namespace, times ns of CLOCK_MONOTONIC.
 */
#ifndef TAMIS_COLLECT_SIDEBAND_H
#define TAMIS_COLLECT_SIDEBAND_H

#include "../base/err.h"
#include "../base/types.h"

struct log;
struct sideband;

enum sideband_kind {
	SIDEBAND_COMM,		/**< a thread has got a new name */
	SIDEBAND_FORK,		/**< a new thread; a new process where tgid differs from parent_tgid */
	SIDEBAND_EXIT,		/**< a thread has ended; the process when it was the last one */
	SIDEBAND_MMAP,		/**< executable memory was mapped */
	SIDEBAND_KSYMBOL,	/**< a function of the kernel came or went: BPF, ftrace trampolines */
	SIDEBAND_CGROUP,	/**< a cgroup was made */
	SIDEBAND_LOST,		/**< records are missing here */
};

/** Strings and bytes are borrowed until the callback returns. */
struct sideband_record {
	enum sideband_kind kind;
	u64 time;
	u32 tgid, tid;
	u16 cpu;
	union {
		struct {
			const char *name;
			bool exec;	/**< by an exec: what was mapped is gone */
		} comm;
		struct {
			u32 parent_tgid, parent_tid;
		} fork;
		struct {
			u64 start, len, pgoff;	/**< pgoff in bytes */
			u32 maj, min;		/**< of the file; 0 with a build id */
			u64 ino, ino_generation;
			u32 prot, flags;
			const u8 *build_id;
			u8 build_id_size;	/**< 0: device and inode are given */
			const char *path;	/**< "/usr/bin/x", "//anon", "[vdso]" */
		} mmap;
		struct {
			u64 addr;
			u32 len;
			u16 type;		/**< PERF_RECORD_KSYMBOL_TYPE_* */
			bool gone;
			const char *name;
		} ksymbol;
		struct {
			u64 id;
			const char *path;
		} cgroup;
		u64 lost;
	};
};

typedef void (*sideband_fn)(void *ctx, const struct sideband_record *rec);

struct sideband_opts {
	bool maps;		/**< mmap and ksymbol records too, not only names, forks and exits */
	u64 ring_bytes;		/**< per CPU; 0: the default */
	struct log *log;
};

/** Opened and counting when it returns. @return 0; -EACCES, ...: go without, by /proc alone */
int sideband__open(struct sideband **ret, const struct sideband_opts *opts, struct err *err);
/** NULL is fine. */
void sideband__close(struct sideband *sb);
/** CPUs that came online since: watches them, too. Call on a timer; what fails is left out. */
void sideband__rescan(struct sideband *sb);
/** Readable when a ring is filling up. */
int sideband__fd(const struct sideband *sb);
/**
 * Hands over what happened up to @until (UINT64_MAX: all of it), ordered by time over all CPUs, but
 * for the rare record whose task was preempted between its time and its place in the ring.
 * Call it with the time of a sample before that sample is named.
 */
void sideband__read(struct sideband *sb, u64 until, sideband_fn fn, void *ctx);
/** Records that were lost so far. */
u64 sideband__lost(const struct sideband *sb);

#endif
