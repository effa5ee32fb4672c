// SPDX-License-Identifier: GPL-2.0-only
/*
 * text.c - comparisons with text: which side is text, what the other must be.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "../base/log.h"
#include "glob.h"
#include "lex.h"
#include "tree.h"

#define COMM_MAX    15 /* bytes of a task's name that the kernel keeps */
#define LITERAL_MAX (STR_MAX - 1)

static bool is_suffix(const struct expr *e, const char *suffix)
{
	return e->op == EXPR_SUFFIX && !strcmp(e->text, suffix);
}

static bool is_quoted(const struct expr *e)
{
	return e->op == EXPR_TEXT && !e->field && !e->operand;
}

/* `start.NAME`, which is written as a field with a suffix. */
static const struct field *kept_field(const struct parser *p, const struct expr *e)
{
	char name[128];

	if (e->op != EXPR_SUFFIX || e->a->op != EXPR_WORD || strcmp(e->a->text, "start"))
		return NULL;
	snprintf(name, sizeof(name), "start%s", e->text);
	return event__field(p->event, name);
}

static const struct field *field_of(const struct parser *p, const struct expr *e)
{
	return e->op == EXPR_WORD ? event__field(p->event, e->text) : kept_field(p, e);
}

bool type__is_text(const struct parser *p, const struct expr *e)
{
	const struct field *f = field_of(p, e);

	if (f)
		return f->kind == FIELD_TEXT;
	if (e->op == EXPR_WORD)
		return operand__find(e->text, e->text_len) == OPERAND_COMM;
	return is_suffix(e, ".ustring");
}

bool type__is_bare(const struct parser *p, const struct expr *e)
{
	if (e->op == EXPR_WORD)
		return !field_of(p, e) && !operand__find(e->text, e->text_len);
	return e->op == EXPR_SUFFIX && !is_suffix(e, ".ustring") && !is_suffix(e, ".function") &&
	       !kept_field(p, e);
}

/* --- the side that is text --- */

static int ustring_leaf(struct parser *p, struct expr *e)
{
	const struct field *f = field_of(p, e->a);

	if (!f)
		return type__resolve(p, e->a, EXPR_WANT_INT)
			       ?: expr__error(p, e,
					      ".ustring is for fields that are user pointers");
	if (f->where != FIELD_USER_TEXT && (!strchr(f->type, '*') || f->size != sizeof(u64)))
		return expr__error(p, e, "%s (%s) is no user pointer: .ustring does not fit",
				   f->name, f->type);
	e->field = f;
	e->may_be_unknown = true;
	expr__free(e->a);
	e->a = NULL;
	return 0;
}

int type__text_leaf(struct parser *p, struct expr *e)
{
	const struct field *f = field_of(p, e);

	e->bits = 0;
	if (f) {
		e->field = f;
		e->may_be_unknown = field__is_user_text(f);
		expr__free(e->a); /* of start.NAME */
		e->a = NULL;
	} else if (e->op == EXPR_SUFFIX) {
		if (ustring_leaf(p, e))
			return -EINVAL;
	} else {
		e->operand = OPERAND_COMM;
	}
	e->op = EXPR_TEXT;
	return 0;
}

/* --- the side that is the wanted text --- */

static bool is_comm(const struct expr *text)
{
	size_t n;

	if (text->operand == OPERAND_COMM)
		return true;
	if (!text->field || text->field->where != FIELD_STATIC || text->field->size != COMM_MAX + 1)
		return false;
	n = strlen(text->field->name);
	return n >= 4 && !strcmp(text->field->name + n - 4, "comm");
}

/* The longest text that can be there. */
static size_t capacity(const struct expr *text)
{
	if (is_comm(text))
		return COMM_MAX;
	return text->field->where == FIELD_STATIC ? text->field->size : LITERAL_MAX;
}

static char *literal(struct parser *p, const struct expr *e, bool glob, size_t *len)
{
	char *s;

	if (is_quoted(e))
		s = text__decode(e->text, e->text_len, glob, len);
	else if ((s = strndup(p->s + e->at, e->len)))
		*len = e->len;
	if (!s && errno == EINVAL)
		expr__error(p, e, "a text cannot hold a NUL byte");
	else if (!s)
		err__set(p->err, ENOMEM, "out of memory");
	return s;
}

static void cut_comm(struct parser *p, const struct expr *e, char *s, size_t *len)
{
	log__once(p->log, LOG_NOTICE,
		  "%.*s: the kernel keeps %d bytes of a task's name: compared with \"%.*s\"",
		  (int)e->len, p->s + e->at, COMM_MAX, COMM_MAX, s);
	s[COMM_MAX] = 0;
	*len = COMM_MAX;
}

static void check_length(struct parser *p, const struct expr *e, const struct expr *text,
			 size_t shortest)
{
	if (shortest > capacity(text))
		log__once(p->log, LOG_WARNING,
			  "%.*s can never be true: the text there has at most %zu bytes",
			  (int)e->len, p->s + e->at, capacity(text));
}

/* Fills in the pattern of the match @e of @text. */
static int set_pattern(struct parser *p, struct expr *e, const struct expr *text,
		       const struct expr *pattern, bool glob)
{
	_cleanup_free_ char *s = literal(p, pattern, glob, &e->text_len), *plain = NULL;
	struct glob automaton;

	if (!s)
		return -EINVAL;
	plain = malloc(strlen(s) + 1);
	if (!plain)
		return err__set(p->err, ENOMEM, "out of memory");
	if (glob && glob__is_plain(s, plain)) {
		glob = false;
		memcpy(s, plain, strlen(plain) + 1);
		e->text_len = strlen(s);
	}
	if (glob && glob__compile(&automaton, s) == -E2BIG)
		return expr__error(p, pattern, "a pattern has at most %d characters and classes",
				   GLOB_MAX);
	if (!glob && is_comm(text) && e->text_len > COMM_MAX)
		cut_comm(p, e, s, &e->text_len);
	if (!glob && e->text_len > LITERAL_MAX && text->field->where != FIELD_STATIC)
		return expr__error(p, pattern, "a text that is compared has at most %d bytes",
				   LITERAL_MAX);
	check_length(p, e, text, glob ? glob__min_length(s) : e->text_len);
	e->glob = glob;
	free(e->text);
	e->text = s;
	s = NULL;
	return 0;
}

static int match_literal(struct parser *p, struct expr *e, struct expr *text, struct expr *pattern,
			 bool glob)
{
	if (type__text_leaf(p, text) || set_pattern(p, e, text, pattern, glob))
		return -EINVAL;
	expr__free(pattern);
	e->a = text;
	e->b = NULL;
	return 0;
}

/* x != y is !(x == y), so that what is unknown stays unknown. */
static int negate(struct parser *p, struct expr *e)
{
	struct expr *inner = expr__new(e->op, NULL, NULL);

	if (!inner)
		return err__set(p->err, ENOMEM, "out of memory");
	*inner = *e;
	*e = (struct expr){
		.op = EXPR_NOT,
		.bits = 32,
		.is_signed = true,
		.at = inner->at,
		.len = inner->len,
		.may_be_unknown = inner->may_be_unknown,
		.a = inner,
	};
	return 0;
}

static int no_text(struct parser *p, struct expr *e, struct expr *other, const struct expr *text)
{
	if (type__resolve(p, other, EXPR_WANT_INT))
		return -EINVAL;
	if (e->op == EXPR_GLOB)
		return expr__error(p, other, "~ matches text, and this (%s) is a number",
				   expr__type_name(other));
	return expr__error(p, text, "a text, compared with a number (%s)", expr__type_name(other));
}

static int bad_constant(struct parser *p, struct expr *e, bool bare_a)
{
	if (bare_a) /* says which field is meant */
		return type__resolve(p, e->a, EXPR_WANT_INT)
			       ?: expr__error(p, e, "this compares no field");
	if (type__is_bare(p, e->b))
		return type__resolve(p, e->b, EXPR_WANT_INT)
			       ?: expr__error(p, e, "this compares no field");
	return expr__error(p, e, "this compares two texts and no field");
}

/* User text compared with a number: its pointer is meant, as in the kernel's filters. */
static bool as_pointer(struct parser *p, struct expr *text, struct expr *other)
{
	const struct field *f = field_of(p, text);

	if (!f || f->where != FIELD_USER_TEXT || other->op == EXPR_SUFFIX)
		return false;
	text->op = EXPR_FIELD;
	text->field = f;
	text->bits = 64;
	return true;
}

int type__match(struct parser *p, struct expr *e)
{
	struct expr *a = e->a, *b = e->b;
	bool text_a = type__is_text(p, a), text_b = type__is_text(p, b);
	bool bare_a = type__is_bare(p, a), bare_b = type__is_bare(p, b);
	bool const_a = bare_a || is_quoted(a), const_b = bare_b || is_quoted(b);
	bool glob = e->op == EXPR_GLOB, not = e->op == EXPR_NE;

	if (!text_a && !text_b && !const_a && !const_b && !glob)
		return 1;
	if (const_a && const_b)
		return bad_constant(p, e, bare_a);
	if (glob && const_a)
		return expr__error(p, a, "the pattern stands to the right of ~");
	if (!text_a && !text_b) {
		if (bare_a || bare_b)
			return type__resolve(p, bare_a ? a : b, EXPR_WANT_INT) ?: 1;
		return const_a ? no_text(p, e, b, a) : no_text(p, e, a, b);
	}
	if (!const_a && !text_a)
		return as_pointer(p, b, a) ? 1 : no_text(p, e, a, b);
	if (!const_b && !text_b)
		return !glob && as_pointer(p, a, b) ? 1 : no_text(p, e, b, a);
	if (glob && !const_b)
		return expr__error(p, b, "a pattern is a constant text");
	if (const_a || const_b) {
		if (match_literal(p, e, const_a ? b : a, const_a ? a : b, glob))
			return -EINVAL;
	} else if (type__text_leaf(p, a) || type__text_leaf(p, b)) {
		return -EINVAL;
	}
	e->op = EXPR_MATCH;
	e->bits = 32;
	e->is_signed = true;
	e->may_be_unknown = e->a->may_be_unknown || (e->b && e->b->may_be_unknown);
	return not ? negate(p, e) : 0;
}
