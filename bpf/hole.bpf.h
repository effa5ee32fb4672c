/* SPDX-License-Identifier: GPL-2.0-only */
/* hole.bpf.h - the places of the template that the loader fills in. */
#ifndef TAMIS_HOLE_BPF_H
#define TAMIS_HOLE_BPF_H

#define STR_(x) #x
#define STR(x) STR_(x)

/*
 * A hole; its contract is in template.h. The compiler has both operands where generated code
 * expects them, and leaves them there from one hole to the next.
 */
#define HOLE(mark, len, rec, w) ({						\
	register const void *__rec asm("r6") = (rec);				\
	register void *__work asm("r7") = (w);					\
	register u64 __res asm("r0");						\
	asm volatile("r0 = " STR(mark) "; r0 = 1;"				\
		     ".rept " STR(len) "; goto +0; .endr"			\
		     : "=r"(__res)						\
		     : "r"(__rec), "r"(__work)					\
		     : "r1", "r2", "r3", "r4", "r5", "memory");			\
	__res; })

/* A constant that the loader fills in; opaque to clang, known to the verifier. */
#define PATCHED(mark) ({							\
	u64 __imm;								\
	asm volatile("%0 = " STR(mark) "; %0 = 0" : "=r"(__imm));		\
	__imm; })

/*
 * Does the event do that? Asked of the immediate each time: a variable would have to be kept, on the
 * stack for the most part, and only the verifier finds out that it need not be.
 */
#define HAS(flags) (PATCHED(IMM_FLAGS) & (flags))

#define BPF_USER_STACK (1ull << 8)

/*
 * Flags of bpf_get_stack() for one side. What a raw_tp or tp_btf program takes begins with itself,
 * where a classic one begins with what called the tracepoint.
 */
static __always_inline u64 stack_flags(u64 side)
{
	return side & BPF_USER_STACK ? BPF_USER_STACK : PATCHED(IMM_SKIP);
}

/* First thing in a function that generated code calls. */
#define ENTRY(mark) asm volatile("r0 = " STR(mark) ::: "r0")

/* Hidden, not static: clang must not change the signature to suit its one caller. */
#define CALLABLE __attribute__((noinline, visibility("hidden")))

#endif
