/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file tree.h - what the files of the expression parser share.
 */
#ifndef TAMIS_FILTER_TREE_H
#define TAMIS_FILTER_TREE_H

#include "expr.h"

/** What an expression is parsed and resolved with. */
struct parser {
	const struct event *event;
	const struct expr_world *world;
	struct log *log;
	struct err *err;
	const char *s; /**< the expression */
	const char *subject; /**< what carets show; s begins at subject_at */
	size_t subject_at;
};

/** The tree as written, nothing looked up; nodes have at and len. NULL: @p->err is set */
struct expr *parse__tree(struct parser *p);
/** Looks names up, gives every node its type, folds constants, warns. @return 0 or -errno */
int type__resolve(struct parser *p, struct expr *e, enum expr_want want);

/** A node and what is below it, where an integer is wanted. */
int type__resolve_node(struct parser *p, struct expr *e);
/** A field or operand by its name. type_leaf.c */
int type__word(struct parser *p, struct expr *e);
/** field[i] */
int type__index(struct parser *p, struct expr *e);
/** start.FIELD. @return false: @e is none, and is left as it is */
bool type__kept(struct parser *p, struct expr *e);
/** An operand that only a key can be: stack, ustack, _container. @return false: @e is none */
bool type__key_operand(struct parser *p, struct expr *e);

void expr__set_type(struct expr *e, unsigned int bits, bool is_signed);
/** Takes over from what is below whether the value may be unknown. */
void expr__inherit(struct expr *e);
struct expr *expr__new(enum expr_op op, struct expr *a, struct expr *b);
/** Makes @e a constant and frees what is below it. */
void expr__make_const(struct expr *e, unsigned int bits, bool is_signed, u64 num);
/** A caret under @e. @return -EINVAL */
int expr__error(struct parser *p, const struct expr *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** Text comparisons: ==, != and ~ with text on a side. @return 1: there is none. text.c */
int type__match(struct parser *p, struct expr *e);
/** Makes a node that type__is_text() an EXPR_TEXT. text.c */
int type__text_leaf(struct parser *p, struct expr *e);
/** Does @e name text (a field, COMM, .ustring)? Nothing is changed. text.c */
bool type__is_text(const struct parser *p, const struct expr *e);
/** A word that is neither field nor operand: a text without quotes, where text is expected. */
bool type__is_bare(const struct parser *p, const struct expr *e);
/** x.function == name, x & CPUS{...}, _cgroup == "/path": replaced by comparisons. special.c */
int type__special(struct parser *p, struct expr *e, bool *done);
/** Says through the log when the comparison @e cannot be true. warn.c */
void type__warn_never(struct parser *p, const struct expr *e);
/** Does the operand, the name of which is @name, exist? */
enum expr_operand operand__find(const char *name, size_t len);
/** "unsigned char" of a node, for messages. */
const char *expr__type_name(const struct expr *e);

#endif
