/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file symbolizer_parts.h - what naming and unwinding share; for symbolizer.c and unwind.c.
 */
#ifndef TAMIS_SYMBOL_SYMBOLIZER_PARTS_H
#define TAMIS_SYMBOL_SYMBOLIZER_PARTS_H

#include "process.h"
#include "symbolizer.h"

struct unwinder;

/** One address that is looked for. */
struct query {
	struct process *process;
	u64 time; /**< never 0 */
	u64 addr; /**< inside of the instruction: one less than a return address */
};

struct process *symbolizer__process(struct symbolizer *s, u32 tgid, u64 time);
/** NULL: the address is in no executable memory. */
struct mapping *symbolizer__find_mapping(struct symbolizer *s, const struct query *q);
/** @return whether m->elf is there and can be read */
bool symbolizer__look_for_elf(struct symbolizer *s, struct process *p, struct mapping *m);
/** One reference; NULL: not for this mapping. */
struct elf_file *symbolizer__vdso(struct symbolizer *s, const struct mapping *m);
bool symbolizer__name_by_map(struct symbolizer *s, const struct query *q, struct frame *f,
			     const char **file);
/** Of the process, kept with it; the least used ones go when there are too many. NULL: no memory */
struct unwinder *symbolizer__unwinder(struct symbolizer *s, struct process *p);

#endif
