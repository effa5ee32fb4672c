/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file unwinder.h - the unwind tables of one process, for unwind.c; kept with the process.
 */
#ifndef TAMIS_SYMBOL_UNWINDER_H
#define TAMIS_SYMBOL_UNWINDER_H

#include "maps.h"
#include "unwind.h"

#define UNWIND_REGS 33	/* by DWARF number, of the machine with the most */

struct unwinder;

struct unwind_state {
	u64 regs[UNWIND_REGS];
	u64 known;		/**< bit: the register has a value */
	u64 pc;
};

/** DWARF numbers and their use on this machine. */
struct unwind_arch {
	int nr_regs;
	int sp, fp, pc;		/**< pc: -1 where it has no number */
	const s8 *perf_to_dwarf; /**< by PERF_REG_*; -1: not of interest */
	int nr_perf;
};

/** NULL: this machine cannot be unwound. */
const struct unwind_arch *unwind_arch__host(void);
/** @return false: stack pointer or program counter are missing */
bool unwind_state__from_perf(struct unwind_state *st, const struct unwind_sample *u);

struct unwinder *unwinder__new(void);
/** NULL is fine. */
void unwinder__free(struct unwinder *w);
/** Makes the tables of @m known, whose content is @elf. @return false: it has none */
bool unwinder__add(struct unwinder *w, const struct mapping *m, struct elf_file *elf);

struct unwind_run {
	struct unwinder *w;
	const struct unwind_sample *sample;
	struct unwind_state st;	/**< of the frame to go on from */
	bool leaf;		/**< st is the interrupted frame itself */
	u64 *ips;
	u32 n, max;
};

/** A word of the copied stack. */
bool unwind_run__read(const struct unwind_run *r, u64 addr, u64 *value);
/**
 * Goes up through frames whose tables are known, and appends their return addresses. @return
 * true: r->st is a frame of a file or JIT that is not known yet; false: this is the end
 */
bool unwinder__walk(struct unwind_run *r);

#endif
