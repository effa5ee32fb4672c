/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file symbolizer.h - names for addresses, of processes that live and of those that are gone.
 *
 * What happens to processes is told by the calls of the second part, in the order of time as far
 * as the caller knows it; what was not told is read from /proc when a process is first asked for.
 * Process ids are those of tamis's own pid namespace, times ns of CLOCK_MONOTONIC.
 * One thread at a time. Every string handed out lives as long as the symbolizer.
 */
#ifndef TAMIS_SYMBOL_SYMBOLIZER_H
#define TAMIS_SYMBOL_SYMBOLIZER_H

#include "../base/err.h"
#include "../base/types.h"

struct log;
struct strbuf;
struct symbolizer;

struct symbolizer_opts {
	bool raw_names;			/**< --no-demangle */
	const char *perf_map_dir;	/**< --perf-map-dir: instead of the /tmp of the process */
};

enum frame_kind {
	FRAME_NATIVE,	/**< in a file, the vdso, or nowhere known */
	FRAME_KERNEL,
	FRAME_JIT,	/**< named by a perf map file, or in anonymous executable memory */
	FRAME_PYTHON,	/**< the perf map name begins with "py::" */
};

struct frame {
	u64 addr;		/**< as it was given */
	const char *symbol;	/**< NULL: no name is known; demangled unless raw_names */
	/**
	 * addr - start of the symbol. Without one: the address as the file numbers it (what
	 * addr2line takes), in memory without a file: from the start of the mapping.
	 */
	u64 offset;
	/**
	 * Path as the process sees it, "[vdso]", "[anon]", "perf-PID.map", "[kernel.kallsyms]",
	 * "[module]"; NULL: the address is in no known mapping.
	 */
	const char *dso;
	enum frame_kind kind;
	bool kernel;
};

/** @opts may be NULL: the defaults. Its strings are copied. */
int symbolizer__new(struct symbolizer **ret, const struct symbolizer_opts *opts, struct log *log,
		    struct err *err);
/** NULL is fine. */
void symbolizer__free(struct symbolizer *s);

/**
 * Names a call chain of @tgid as it was at @time (0: now). @ips as the kernel gives it, leaf
 * first, PERF_CONTEXT_* marks allowed: they tell kernel from user and are not frames. Addresses
 * above a leaf are return addresses and belong to the call in front of them.
 * @out has room for @n frames. @return how many were filled
 */
u32 symbolizer__frames(struct symbolizer *s, u32 tgid, u64 time, const u64 *ips, u32 n,
		       struct frame *out);

/**
 * Names addresses of an ELF file, as the file numbers them: what nm prints. @out has room for
 * @n frames.
 */
int symbolizer__file(struct symbolizer *s, const char *path, const u64 *addrs, u32 n,
		     struct frame *out, struct err *err);

/** "name", "libx.so+0x12f0", "0x7f0012345678"; the name alone, for trees and folded stacks. */
void frame__name(const struct frame *f, struct strbuf *out);
/** "name+0x12 (/usr/lib/libx.so)": a line of a call chain. */
void frame__print(const struct frame *f, struct strbuf *out);

/* --- what happens to processes --- */

#define BUILD_ID_MAX 20

struct symbol_mmap {
	u32 tgid;
	u64 time;
	u64 start, len, pgoff;	/**< pgoff in bytes */
	u32 maj, min;		/**< of the file's device; with build_id_size both are unknown */
	u64 ino, ino_generation; /**< generation: ~0 where it is not known */
	u8 build_id[BUILD_ID_MAX];
	u8 build_id_size;	/**< 0: device and inode are given instead */
	bool exec;		/**< executable: others are ignored */
	const char *path;	/**< as the kernel says it: "/usr/bin/x", "//anon", "[vdso]" */
};

/** Reads every process of /proc that is not known yet: those that exist before the first record. */
void symbolizer__scan(struct symbolizer *s);
/** Reads the kernel's symbols (a tenth of a second), which the first kernel frame does otherwise. */
void symbolizer__load_kernel(struct symbolizer *s);
void symbolizer__mmap(struct symbolizer *s, const struct symbol_mmap *m);
/** A new process; not for new threads. */
void symbolizer__fork(struct symbolizer *s, u32 parent, u32 tgid, u64 time);
/** PERF_RECORD_COMM with PERF_RECORD_MISC_COMM_EXEC: what was mapped is gone. */
void symbolizer__exec(struct symbolizer *s, u32 tgid, u64 time);
/** The last thread of the process; not of single threads. */
void symbolizer__exit(struct symbolizer *s, u32 tgid, u64 time);
/** Some of these were lost: what is known of processes is made sure of by /proc before it is used. */
void symbolizer__lost(struct symbolizer *s);
/** PERF_RECORD_KSYMBOL; @gone with PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER. */
void symbolizer__ksymbol(struct symbolizer *s, u64 addr, u32 len, const char *name, bool gone,
			 u64 time);

/** Since it was made; for the summary and -v. */
struct symbolizer_stats {
	u64 frames, nameless;
	u64 late;		/**< nameless because the file could no longer be opened */
	u64 processes, files;	/**< in memory */
	u64 map_lines, map_bad_lines; /**< of perf map files */
	u64 map_refused;	/**< perf map files that were not read for safety */
	u64 bytes;		/**< of symbol tables and perf maps */
};

void symbolizer__stats(const struct symbolizer *s, struct symbolizer_stats *stats);

#endif
