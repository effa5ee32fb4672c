/* SPDX-License-Identifier: GPL-2.0-only */
/* hole.bpf.h - the places of the template that the loader fills in. */
#ifndef TAMIS_HOLE_BPF_H
#define TAMIS_HOLE_BPF_H

#define STR_(x) #x
#define STR(x) STR_(x)

/*
 * A hole; its contract is in template.h. r6 and r7 are clobbers rather than operands, so that
 * the compiler saves its own values and generated code can rely on the names across calls.
 */
#define HOLE(mark, len, rec, w) ({						\
	u64 __res;								\
	asm volatile("r6 = %[r]; r7 = %[v]; r0 = " STR(mark) "; r0 = 1;"	\
		     ".rept " STR(len) "; goto +0; .endr; %[out] = r0"		\
		     : [out] "=r"(__res)					\
		     : [r] "r"(rec), [v] "r"(w)					\
		     : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "memory"); \
	__res; })

/* A constant that the loader fills in; opaque to clang, known to the verifier. */
#define PATCHED(mark) ({							\
	u64 __imm;								\
	asm volatile("%0 = " STR(mark) "; %0 = 0" : "=r"(__imm));		\
	__imm; })

/* First thing in a function that generated code calls. */
#define ENTRY(mark) asm volatile("r0 = " STR(mark) ::: "r0")

/* Hidden, not static: clang must not change the signature to suit its one caller. */
#define CALLABLE __attribute__((noinline, visibility("hidden")))

#endif
