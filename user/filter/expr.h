/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file expr.h - an expression of the event language as a typed tree (spec/events.md).
 *
 * parse.c builds it, type.c resolves names and gives every node its C type. Two back ends read
 * it: eval.c (a value for a record, in user space) and compile.c (BPF instructions).
 *
 * Values are 64 bits, canonical in the type of their node: sign-extended where it is signed,
 * zero-extended where not. Types are int, unsigned int, long and unsigned long; narrower fields
 * are promoted when they are read. Signed overflow wraps, a shift count is taken modulo the
 * width, x / 0 and x % 0 are 0.
 */
#ifndef TAMIS_FILTER_EXPR_H
#define TAMIS_FILTER_EXPR_H

#include "../base/err.h"
#include "../event/event.h"

struct log;
struct expr_world;

enum expr_op {
	EXPR_NUM, /**< num */
	EXPR_FIELD, /**< an integer field */
	EXPR_ELEM, /**< field[a]; 0 where the index is outside a field of variable length */
	EXPR_OPERAND, /**< operand */
	EXPR_TEXT, /**< text: a field, COMM, or (field NULL, operand OPERAND_NONE) the literal */
	EXPR_MATCH, /**< a is text and equals, or with @glob matches, text b */
	EXPR_MASK, /**< cpumask field: num is MASK_*, text the wanted words (u64 each) */
	EXPR_CAST, /**< a, converted to the type of this node */
	EXPR_NEG,
	EXPR_BITNOT,
	EXPR_NOT,
	EXPR_MUL,
	EXPR_DIV,
	EXPR_MOD,
	EXPR_ADD,
	EXPR_SUB,
	EXPR_SHL,
	EXPR_SHR,
	EXPR_LT,
	EXPR_LE,
	EXPR_GT,
	EXPR_GE,
	EXPR_EQ,
	EXPR_NE,
	EXPR_AND,
	EXPR_XOR,
	EXPR_OR,
	EXPR_ANDAND,
	EXPR_OROR,
	EXPR_COND, /**< a ? b : c */
	/* only between parse.c and type.c */
	EXPR_WORD,
	EXPR_INDEX,
	EXPR_SUFFIX,
	EXPR_GLOB,
	EXPR_CPUS,
	EXPR_CALL,
};

enum expr_operand {
	OPERAND_NONE,
	OPERAND_PID,
	OPERAND_TID,
	OPERAND_CPU,
	OPERAND_TIME,
	OPERAND_COMM,
	OPERAND_UID,
	OPERAND_PPID,
	OPERAND_CGROUP,
	OPERAND_CONTAINER,
	OPERAND_LATENCY,
	OPERAND_STACK,
	OPERAND_USTACK, /**< keys only */
};

enum { MASK_EQ, MASK_INTERSECTS };

struct expr {
	enum expr_op op;
	u8 bits; /**< 32 or 64: width of the value; 0: text, or no value (stack) */
	bool is_signed;
	bool glob; /**< of EXPR_MATCH */
	bool may_be_unknown; /**< depends on text that may be unreadable */
	enum expr_operand operand;
	const struct field *field; /**< borrowed from the event */
	u64 num;
	char *text; /**< owned; NUL-terminated, text_len bytes */
	size_t text_len;
	size_t at, len; /**< where it stands in event->spec->text, for carets */
	struct expr *a, *b, *c; /**< owned */
};

enum expr_want {
	EXPR_WANT_INT, /**< filters and values */
	EXPR_WANT_TEXT, /**< integers and text */
	EXPR_WANT_KEY, /**< integers, text, stack, ustack */
};

/** What an expression reads beyond plain fields; bits. */
enum expr_use {
	EXPR_USES_LATENCY = 1,
	EXPR_USES_USER_TEXT = 2,
	EXPR_USES_COMMON = 4, /**< common_flags, common_preempt_count: the perf transport's only */
	EXPR_USES_TASK = 8, /**< an operand that describes the current task */
};

/**
 * Parses @text of @event, a piece of its spec->text (which carets then show; without a spec
 * @text is shown). Comparisons that cannot be true and cut comm names are said through @log.
 * @world may be NULL: this machine.
 */
int expr__parse(struct expr **ret, const struct event *event, const struct spec_text *text,
		enum expr_want want, const struct expr_world *world, struct log *log,
		struct err *err);
/** NULL is fine. */
void expr__free(struct expr *e);

/** EXPR_USES_* of the whole tree. */
unsigned int expr__uses(const struct expr *e);
/** 1 << EXTRA_*: what a record must carry so that eval gives an answer. */
u32 expr__extras(const struct expr *e);
/** Does it use latency or _time as they are, so that its value is a time in ns? */
bool expr__is_time(const struct expr *e);

/**
 * Takes a filter apart at its top-level &&: the parts that do not use latency in @early, the
 * others in @late; NULL where there are none. @e is consumed.
 */
int expr__split(struct expr *e, struct expr **early, struct expr **late);

/** One arithmetic, bitwise or comparing operator on canonical values of a type. */
u64 expr__arith(enum expr_op op, unsigned int bits, bool is_signed, u64 a, u64 b);
/** The value as the type holds it: truncated, then sign- or zero-extended. */
u64 expr__canonical(unsigned int bits, bool is_signed, u64 v);

#endif
