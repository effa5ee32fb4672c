/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file compiler.h - what the files of the compiler share.
 *
 * Registers: a value is computed into rD from rD..r4; r1..rD-1 hold values that are in use. r0
 * and r5 are scratch. What calls a helper loses r0 to r5, so nothing is in use when it begins:
 * the binary operators save their left side in w->tmp first.
 */
#ifndef TAMIS_FILTER_COMPILER_H
#define TAMIS_FILTER_COMPILER_H

#include <stddef.h>
#include "compile.h"
#include "glob.h"

#define TMP(i)	  ((int)(offsetof(struct work, tmp) + 8 * (i)))
#define TMP_SLOTS ((int)(sizeof(((struct work *)0)->tmp) / 8))

typedef int label_t;

struct jump {
	int at;
	label_t label;
};

struct compiler {
	struct code *c;
	const struct event *event;
	struct compile_env *env;
	struct err *err;
	const struct expr *whole;
	u32 static_size;
	int tmp; /**< slots of w->tmp in use */
	bool dead; /**< behind a jump: nothing is emitted until a label is bound */
	int *target; /**< of labels, -1: not bound */
	size_t nr_labels, labels_room;
	struct jump *jumps;
	size_t nr_jumps, jumps_room;
};

/* --- instructions; nothing comes of them where no path leads --- */

#define EMIT(cp, insn)             \
	do {                       \
		if (!(cp)->dead) { \
			insn;      \
		}                  \
	} while (0)

label_t compiler__label(struct compiler *cp);
void compiler__bind(struct compiler *cp, label_t l);
void compiler__goto(struct compiler *cp, label_t l);
/** Jump to @l if @reg @op @imm; r5 is lost where imm needs 64 bits. */
void compiler__jump(struct compiler *cp, int op, int reg, u64 imm, label_t l);
void compiler__jump_reg(struct compiler *cp, int op, int reg, int other, label_t l);
void compiler__const(struct compiler *cp, int reg, u64 v);
/** Makes what is in @reg canonical in a type of @bits. */
void compiler__canonical(struct compiler *cp, int reg, unsigned int bits, bool is_signed);
/** @return false, with the error set: no slot of w->tmp is left */
bool compiler__push(struct compiler *cp, int slots);
/** An error under @e with its own code, so that the caller can fall back to user space. */
int compiler__refuse(struct compiler *cp, const struct expr *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** Where the three outcomes of a condition go. */
struct targets {
	label_t yes, no, unknown;
	label_t next; /**< the one that is bound right behind */
};

/** Jumps to one of the targets; registers from @d on are free. */
void compiler__test(struct compiler *cp, const struct expr *e, int d, struct targets t);
/** The value of @e into rD; something unknown jumps to @unknown. */
void compiler__value(struct compiler *cp, const struct expr *e, int d, label_t unknown);
/** The same for what is read: a field, an element, an operand. */
void compiler__read(struct compiler *cp, const struct expr *e, int d, label_t unknown);
/** Both sides of a binary operator: the left in rD. @return the register of the right */
int compiler__operands(struct compiler *cp, const struct expr *e, int d, label_t unknown);
void compiler__match(struct compiler *cp, const struct expr *e, int d, struct targets t);
/** The cpumask comparison. */
void compiler__mask(struct compiler *cp, const struct expr *e, struct targets t);
/** Does the code of @e call something? */
bool compiler__calls(const struct compiler *cp, const struct expr *e);

/** @size bytes of the record at @off, canonical. Calls if compiler__load_calls(). */
void compiler__load(struct compiler *cp, int reg, u32 off, u32 size, bool is_signed);
bool compiler__load_calls(const struct compiler *cp, u32 off, u32 size);

void compiler__init(struct compiler *cp, struct code *c, const struct expr *e,
		    const struct event *event, struct compile_env *env, struct err *err);
/** Resolves the jumps. @return 0 or -errno, with @err set */
int compiler__finish(struct compiler *cp);

#endif
