// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lex.h"
#include "tree.h"

#define NESTING_MAX 64 /* parentheses and signs; a limit of our stack, not of the language */
#define NODES_MAX   2000

struct parsing {
	struct parser *p;
	struct lexer lex;
	struct token now;
	int depth, nodes;
};

static struct expr *parse_cond(struct parsing *ps);

/* Keeps an error message's text short where a whole expression is meant. */
static struct expr *fail(struct parsing *ps, size_t at, size_t len, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err__caret(ps->p->err, ps->p->subject, ps->p->subject_at + at, len, "%s", text);
	return NULL;
}

static bool advance(struct parsing *ps)
{
	return !lexer__next(&ps->lex, &ps->now, ps->p->err);
}

static bool is_op(const struct parsing *ps, const char *op)
{
	return ps->now.kind == TOKEN_OP && !strcmp(ps->now.op, op);
}

/* Consumes @a and @b also when it fails. */
static struct expr *node(struct parsing *ps, enum expr_op op, struct expr *a, struct expr *b)
{
	struct expr *e = ++ps->nodes > NODES_MAX ? NULL : expr__new(op, a, b);

	if (!e) {
		if (ps->nodes > NODES_MAX)
			fail(ps, 0, strlen(ps->p->s), "the expression is too long");
		else
			err__set(ps->p->err, ENOMEM, "out of memory");
		expr__free(a);
		expr__free(b);
	}
	return e;
}

static struct expr *leaf(struct parsing *ps, enum expr_op op)
{
	struct expr *e = node(ps, op, NULL, NULL);

	if (!e)
		return NULL;
	e->at = ps->now.at;
	e->len = ps->now.len;
	e->num = ps->now.num;
	e->bits = ps->now.bits;
	e->is_signed = ps->now.is_signed;
	e->text = strndup(ps->p->s + e->at, e->len);
	e->text_len = e->len;
	if (!e->text)
		err__set(ps->p->err, ENOMEM, "out of memory");
	if (!e->text || !advance(ps)) {
		expr__free(e);
		return NULL;
	}
	return e;
}

/* Where the last token that was taken ended, blanks left out. */
static size_t end_before(const struct parsing *ps)
{
	size_t end = ps->now.at;

	while (end && strchr(" \t\r\n", ps->p->s[end - 1]))
		end--;
	return end;
}

static struct expr *expect(struct parsing *ps, struct expr *e, const char *op)
{
	if (!e)
		return NULL;
	if (!is_op(ps, op)) {
		if (ps->now.kind == TOKEN_END)
			fail(ps, ps->now.at, 1, "%s is missing at the end", op);
		else
			fail(ps, ps->now.at, ps->now.len, "expected %s here", op);
	} else if (advance(ps)) {
		return e;
	}
	expr__free(e);
	return NULL;
}

static struct expr *parse_paren(struct parsing *ps)
{
	size_t at = ps->now.at;
	struct expr *e;

	if (!advance(ps))
		return NULL;
	if (is_op(ps, ")"))
		return fail(ps, at, ps->now.at + 1 - at, "nothing stands between the parentheses");
	e = expect(ps, parse_cond(ps), ")");
	if (e) {
		e->at = at;
		e->len = end_before(ps) - at;
	}
	return e;
}

static struct expr *reject_call(struct parsing *ps, struct expr *name)
{
	const char *hint = "an expression calls no functions";

	if (!strcmp(name->text, "ksymbol"))
		hint = "ksymbol() is perf-prof's: write FIELD.function == NAME";
	else if (!strcmp(name->text, "comm_get"))
		hint = "comm_get() is perf-prof's: write _comm == \"NAME\"";
	fail(ps, name->at, name->len, "%s", hint);
	expr__free(name);
	return NULL;
}

static struct expr *parse_postfix(struct parsing *ps)
{
	struct expr *e = leaf(ps, EXPR_WORD), *more;

	if (e && is_op(ps, "("))
		return reject_call(ps, e);
	while (e && (ps->now.kind == TOKEN_SUFFIX || is_op(ps, "["))) {
		if (ps->now.kind == TOKEN_SUFFIX) {
			size_t from = e->at, end = ps->now.at + ps->now.len;
			struct expr *word = e;

			more = leaf(ps, EXPR_SUFFIX);
			if (!more) {
				expr__free(word);
				return NULL;
			}
			more->a = word;
			more->at = from;
			more->len = end - from;
			e = more;
			continue;
		}
		if (!advance(ps)) {
			expr__free(e);
			return NULL;
		}
		more = expect(ps, parse_cond(ps), "]");
		if (!more) {
			expr__free(e);
			return NULL;
		}
		size_t from = e->at;

		e = node(ps, EXPR_INDEX, e, more);
		if (e) {
			e->at = from;
			e->len = end_before(ps) - from;
		}
	}
	return e;
}

static struct expr *parse_primary(struct parsing *ps)
{
	switch (ps->now.kind) {
	case TOKEN_NUM:
		return leaf(ps, EXPR_NUM);
	case TOKEN_TEXT:
		return leaf(ps, EXPR_TEXT);
	case TOKEN_CPUS:
		return leaf(ps, EXPR_CPUS);
	case TOKEN_WORD:
		return parse_postfix(ps);
	case TOKEN_END:
		return fail(ps, ps->now.at, 1,
			    ps->now.at ? "the expression ends too early"
				       : "the expression is empty");
	default:
		break;
	}
	if (is_op(ps, "("))
		return parse_paren(ps);
	return fail(ps, ps->now.at, ps->now.len, "expected a field, a number or a text here");
}

static struct expr *parse_unary(struct parsing *ps)
{
	static const struct {
		const char *op;
		enum expr_op code;
	} ops[] = {{"!", EXPR_NOT}, {"~", EXPR_BITNOT}, {"-", EXPR_NEG}, {"+", EXPR_ADD}};
	size_t at = ps->now.at, i;
	struct expr *e = NULL;

	for (i = 0; i < ARRAY_SIZE(ops) && !is_op(ps, ops[i].op); i++)
		;
	if (++ps->depth > NESTING_MAX) {
		fail(ps, at, ps->now.len, "nested deeper than %d levels", NESTING_MAX);
	} else if (i == ARRAY_SIZE(ops)) {
		e = parse_primary(ps);
	} else if (advance(ps)) {
		e = parse_unary(ps);
		if (e && ops[i].code != EXPR_ADD)
			e = node(ps, ops[i].code, e, NULL);
		if (e) {
			e->len = end_before(ps) - at;
			e->at = at;
		}
	}
	ps->depth--;
	return e;
}

static const struct binary {
	const char *op;
	enum expr_op code;
	int level;
} binaries[] = {
	{"||", EXPR_OROR, 1}, {"&&", EXPR_ANDAND, 2}, {"|", EXPR_OR, 3},   {"^", EXPR_XOR, 4},
	{"&", EXPR_AND, 5},   {"==", EXPR_EQ, 6},     {"!=", EXPR_NE, 6},  {"~", EXPR_GLOB, 6},
	{"<", EXPR_LT, 7},    {"<=", EXPR_LE, 7},     {">", EXPR_GT, 7},   {">=", EXPR_GE, 7},
	{"<<", EXPR_SHL, 8},  {">>", EXPR_SHR, 8},    {"+", EXPR_ADD, 9},  {"-", EXPR_SUB, 9},
	{"*", EXPR_MUL, 10},  {"/", EXPR_DIV, 10},    {"%", EXPR_MOD, 10},
};

static const struct binary *find_binary(const struct parsing *ps, int level)
{
	for (size_t i = 0; i < ARRAY_SIZE(binaries); i++)
		if (is_op(ps, binaries[i].op))
			return binaries[i].level >= level ? &binaries[i] : NULL;
	return NULL;
}

/* All operators of @level and above; each binds to the left. */
static struct expr *parse_binary(struct parsing *ps, int level)
{
	struct expr *e = parse_unary(ps), *right;
	const struct binary *b;
	size_t at;

	while (e && (b = find_binary(ps, level))) {
		at = e->at;
		right = advance(ps) ? parse_binary(ps, b->level + 1) : NULL;
		if (!right) {
			expr__free(e);
			return NULL;
		}
		e = node(ps, b->code, e, right);
		if (e) {
			e->at = at;
			e->len = end_before(ps) - at;
		}
	}
	return e;
}

static struct expr *parse_cond(struct parsing *ps)
{
	struct expr *e = NULL, *yes, *no;

	if (++ps->depth > NESTING_MAX)
		fail(ps, ps->now.at, ps->now.len, "nested deeper than %d levels", NESTING_MAX);
	else
		e = parse_binary(ps, 1);
	if (!e || !is_op(ps, "?")) {
		ps->depth--;
		return e;
	}
	yes = advance(ps) ? expect(ps, parse_cond(ps), ":") : NULL;
	no = yes ? parse_cond(ps) : NULL;
	ps->depth--;
	if (!no) {
		expr__free(e);
		expr__free(yes);
		return NULL;
	}
	size_t at = e->at;

	e = node(ps, EXPR_COND, e, yes);
	if (!e) {
		expr__free(no);
		return NULL;
	}
	e->c = no;
	e->at = at;
	e->len = end_before(ps) - at;
	return e;
}

static struct expr *unexpected(struct parsing *ps, struct expr *e)
{
	bool words = ps->now.kind == TOKEN_WORD || ps->now.kind == TOKEN_NUM ||
		     ps->now.kind == TOKEN_TEXT || ps->now.kind == TOKEN_SUFFIX;

	expr__free(e);
	return fail(ps, ps->now.at, ps->now.len,
		    words ? "an operator is missing here; text with blanks or punctuation is quoted"
			  : "the expression should have ended here");
}

struct expr *parse__tree(struct parser *p)
{
	struct parsing ps = {
		.p = p,
		.lex = {.s = p->s, .subject = p->subject, .subject_at = p->subject_at},
	};
	struct expr *e;

	if (!advance(&ps))
		return NULL;
	e = parse_cond(&ps);
	if (e && ps.now.kind != TOKEN_END)
		return unexpected(&ps, e);
	return e;
}

/* From the expression to the text that it is a part of, where errors found later point to. */
static void move(struct expr *e, size_t by)
{
	if (!e)
		return;
	e->at += by;
	move(e->a, by);
	move(e->b, by);
	move(e->c, by);
}

int expr__parse(struct expr **ret, const struct event *event, const struct spec_text *text,
		enum expr_want want, const struct expr_world *world, struct log *log,
		struct err *err)
{
	struct parser p = {
		.event = event,
		.world = world,
		.log = log,
		.err = err,
		.s = text->s,
		.subject = event->spec ? event->spec->text : text->s,
		.subject_at = event->spec ? text->at : 0,
	};
	struct expr *e = parse__tree(&p);

	*ret = NULL;
	if (!e)
		return -err->code;
	if (type__resolve(&p, e, want)) {
		expr__free(e);
		return -err->code;
	}
	move(e, p.subject_at);
	*ret = e;
	return 0;
}
