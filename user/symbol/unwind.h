/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file unwind.h - user call chains from registers and a copy of the stack (stack=dwarf).
 *
 * For programs without frame pointers: libdw follows the unwind tables of the mapped files. Code of
 * JITs has none; it is stepped over by its frame pointer, and CPython's perf trampolines by their
 * known layout. The chain ends where nothing is known for sure.
 */
#ifndef TAMIS_SYMBOL_UNWIND_H
#define TAMIS_SYMBOL_UNWIND_H

#include "symbolizer.h"

struct unwind_sample {
	u64 time;
	u64 abi;		/**< PERF_SAMPLE_REGS_ABI_*; only 64-bit ones can be unwound */
	u64 mask;		/**< registers that were taken */
	const u64 *regs;	/**< in the order of the mask's bits */
	const void *stack;	/**< bytes from the stack pointer upwards */
	u64 stack_size;		/**< that are stack, not room */
};

/** Registers that unwinding needs, for attr.sample_regs_user; 0: not on this machine */
u64 unwind__regs(void);

/**
 * The user frames of a sample of @tgid, leaf first, as the kernel would give them: for
 * symbolizer__frames(). @return how many
 */
u32 symbolizer__unwind(struct symbolizer *s, u32 tgid, const struct unwind_sample *u, u64 *ips,
		       u32 max);

#endif
