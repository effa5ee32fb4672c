/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file lex.h - the words of an expression.
 */
#ifndef TAMIS_FILTER_LEX_H
#define TAMIS_FILTER_LEX_H

#include "../base/err.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NUM, /**< num, and whether it has 64 bits and a sign */
	TOKEN_TEXT, /**< a quoted string, quotes included in at and len */
	TOKEN_WORD, /**< an identifier */
	TOKEN_SUFFIX, /**< .word, the dot included */
	TOKEN_CPUS, /**< CPUS{0-3}: all of it */
	TOKEN_OP, /**< one or two characters, in op */
};

struct token {
	enum token_kind kind;
	size_t at, len; /**< in the text of the expression */
	u64 num;
	u8 bits; /**< 32 or 64 */
	bool is_signed;
	char op[3];
};

struct lexer {
	const char *s; /**< the expression, NUL-terminated */
	size_t pos;
	const char *subject; /**< what carets show */
	size_t subject_at; /**< where s begins in it */
};

/** Reads the next token. @return 0, or -EINVAL with a caret */
int lexer__next(struct lexer *l, struct token *t, struct err *err);

/**
 * Decodes a quoted string of @len bytes at @s, quotes included. With @glob an escaped * ? [ ] \
 * keeps its backslash, so that the pattern takes it literally.
 * @return a string the caller frees; NULL with errno ENOMEM, or EINVAL: it would hold a NUL
 */
char *text__decode(const char *s, size_t len, bool glob, size_t *out_len);

#endif
