/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file jit_files.h - the perf map files that are open, with bounds on memory and descriptors:
 * what was not used for longest goes first.
 */
#ifndef TAMIS_SYMBOL_JIT_FILES_H
#define TAMIS_SYMBOL_JIT_FILES_H

#include "perf_map_file.h"

struct jit_files;
struct jits_stats;

struct jit_file {
	struct map_file *f;
	int refs;
	u64 used, checked;	/**< checked: when it last was asked for news, ns */
	size_t bytes;
	u64 lines, bad_lines;	/**< as they were counted */
};

struct jit_files *jit_files__new(void);
void jit_files__free(struct jit_files *s);
/** Takes over @f. @return one reference; NULL without memory */
struct jit_file *jit_files__add(struct jit_files *s, struct map_file *f);
struct jit_file *jit_file__ref(struct jit_file *f);
/** NULL is fine. */
void jit_file__put(struct jit_files *s, struct jit_file *f);
/** The name that covers @addr. @fresh: the file may be looked at for news. */
const char *jit_file__find(struct jit_files *s, struct jit_file *f, u64 addr, bool fresh,
			   u64 *start);
void jit_files__stats(const struct jit_files *s, struct jits_stats *stats);

#endif
