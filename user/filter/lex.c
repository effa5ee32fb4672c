// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "lex.h"

static bool is_word_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || (c & 0x80);
}

static bool is_word(char c)
{
	return is_word_start(c) || isdigit((unsigned char)c);
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (is_word(s[n]))
		n++;
	return n;
}

#define caret(l, err, pos, len, ...) \
	err__caret(err, (l)->subject, (l)->subject_at + (pos), len, __VA_ARGS__)

static const struct unit {
	const char *name;
	u64 times;
	bool is_time;
} units[] = {
	{"ns", 1, true},	  {"us", 1000, true},	    {"ms", 1000000, true},
	{"s", 1000000000, true},  {"K", 1ull << 10, false}, {"M", 1ull << 20, false},
	{"G", 1ull << 30, false},
};

static const struct unit *find_unit(const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == n && !memcmp(units[i].name, s, n))
			return &units[i];
	return NULL;
}

/* The type that C gives a constant: the first that holds it; only hex and octal may be unsigned. */
static void type_of_number(struct token *t, bool decimal, bool is_time)
{
	t->is_signed = true;
	t->bits = 64;
	if (t->num > INT64_MAX) {
		t->is_signed = false;
	} else if (!is_time && t->num <= INT32_MAX) {
		t->bits = 32;
	} else if (!is_time && !decimal && t->num <= UINT32_MAX) {
		t->bits = 32;
		t->is_signed = false;
	}
}

static int digit(char c, int base)
{
	int v = isdigit((unsigned char)c)    ? c - '0'
		: isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10
					     : 99;

	return v < base ? v : -1;
}

/* @return bytes used; sets *wide when the value does not fit */
static size_t scan_digits(const char *s, int base, u64 *num, bool *wide)
{
	size_t n = 0;
	int d;

	for (*num = 0; (d = digit(s[n], base)) >= 0; n++) {
		if (__builtin_mul_overflow(*num, (u64)base, num) ||
		    __builtin_add_overflow(*num, (u64)d, num))
			*wide = true;
	}
	return n;
}

static int lex_number(struct lexer *l, struct token *t, struct err *err)
{
	const char *s = l->s + l->pos, *rest;
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X'), wide = false;
	int base = hex ? 16 : s[0] == '0' ? 8 : 10;
	const struct unit *unit = NULL;
	size_t n, tail;

	n = hex ? 2 : 0;
	tail = scan_digits(s + n, base, &t->num, &wide);
	rest = s + n + tail;
	n = word_length(rest);
	t->kind = TOKEN_NUM;
	t->len = rest - s + n;
	if (n)
		unit = find_unit(rest, n);
	if ((hex && !tail) || (n && !unit))
		return caret(
			l, err, t->at, t->len,
			"\"%.*s\" is no number: units are ns, us, ms, s, K, M, G; text is quoted",
			(int)t->len, s);
	if (unit && __builtin_mul_overflow(t->num, unit->times, &t->num))
		wide = true;
	if (wide)
		return caret(l, err, t->at, t->len, "the number does not fit into 64 bits");
	type_of_number(t, base == 10, unit && unit->is_time);
	l->pos += t->len;
	return 0;
}

static int lex_text(struct lexer *l, struct token *t, struct err *err)
{
	const char *s = l->s + l->pos, *p = s + 1;

	while (*p && *p != *s)
		p += *p == '\\' && p[1] ? 2 : 1;
	if (!*p)
		return caret(l, err, t->at, p - s, "the quote is not closed");
	t->kind = TOKEN_TEXT;
	t->len = p + 1 - s;
	l->pos += t->len;
	return 0;
}

static int lex_word(struct lexer *l, struct token *t, struct err *err)
{
	const char *s = l->s + l->pos, *end;
	size_t n = word_length(s);

	t->kind = TOKEN_WORD;
	if (n == 4 && !memcmp(s, "CPUS", 4) && s[4] == '{') {
		end = strchr(s, '}');
		if (!end)
			return caret(l, err, t->at, strlen(s), "CPUS{ is not closed with }");
		t->kind = TOKEN_CPUS;
		n = end + 1 - s;
	}
	t->len = n;
	l->pos += n;
	return 0;
}

static int lex_op(struct lexer *l, struct token *t, struct err *err)
{
	static const char two[][3] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"};
	const char *s = l->s + l->pos;
	size_t i;

	t->kind = TOKEN_OP;
	t->len = 1;
	for (i = 0; i < ARRAY_SIZE(two); i++)
		if (!strncmp(s, two[i], 2))
			t->len = 2;
	if (t->len == 1 && !strchr("|&^<>+-*/%!~()[]?:", *s)) {
		if (*s == '=')
			return caret(l, err, t->at, 1, "a comparison is written ==");
		return caret(l, err, t->at, 1, "an expression cannot hold this character");
	}
	memcpy(t->op, s, t->len);
	l->pos += t->len;
	return 0;
}

int lexer__next(struct lexer *l, struct token *t, struct err *err)
{
	char c;

	*t = (struct token){0};
	l->pos += strspn(l->s + l->pos, " \t\n\r");
	t->at = l->pos;
	c = l->s[l->pos];
	if (!c)
		return 0;
	if (isdigit((unsigned char)c))
		return lex_number(l, t, err);
	if (is_word_start(c))
		return lex_word(l, t, err);
	if (c == '"' || c == '\'')
		return lex_text(l, t, err);
	if (c == '.' && is_word(l->s[l->pos + 1])) {
		t->kind = TOKEN_SUFFIX;
		t->len = 1 + word_length(l->s + l->pos + 1);
		l->pos += t->len;
		return 0;
	}
	return lex_op(l, t, err);
}

/* Decodes one escape behind the backslash at *s into *out. @return bytes written */
static size_t decode_escape(const char **s, const char *end, bool glob, char *out)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char *p = *s, *known;
	int v = 0, n;

	if (*p == 'x' && p + 1 < end && digit(p[1], 16) >= 0) {
		for (n = 0, p++; n < 2 && p < end && digit(*p, 16) >= 0; n++, p++)
			v = v * 16 + digit(*p, 16);
	} else if (digit(*p, 8) >= 0) {
		for (n = 0; n < 3 && p < end && digit(*p, 8) >= 0; n++, p++)
			v = v * 8 + digit(*p, 8);
	} else {
		*s = p + 1;
		known = strchr(from, *p);
		if (known) {
			*out = to[known - from];
			return 1;
		}
		if (glob && strchr("*?[]\\", *p)) {
			out[0] = '\\';
			out[1] = *p;
			return 2;
		}
		*out = *p;
		return 1;
	}
	*s = p;
	if (glob && v && strchr("*?[]\\", v)) {
		out[0] = '\\';
		out[1] = v;
		return 2;
	}
	*out = v;
	return 1;
}

char *text__decode(const char *s, size_t len, bool glob, size_t *out_len)
{
	const char *end = s + len - 1;
	char *out = malloc(len + 1);
	size_t n = 0;

	if (!out)
		return NULL;
	for (s++; s < end;) {
		if (*s == '\\' && s + 1 < end) {
			s++;
			n += decode_escape(&s, end, glob, out + n);
		} else {
			out[n++] = *s++;
		}
	}
	out[n] = 0;
	*out_len = n;
	if (strlen(out) != n) {
		free(out);
		errno = EINVAL;
		return NULL;
	}
	return out;
}
