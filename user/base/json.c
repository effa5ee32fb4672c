// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "json.h"

#define DEPTH_MAX 32
#define TEXT_MAX  1024 /* longer strings are cut: nobody looks for them */

struct json {
	const char *at, *end;
	int (*fn)(void *ctx, const struct json_value *s);
	void *ctx;
	int depth;
	size_t element;
};

static void skip_blanks(struct json *j)
{
	while (j->at < j->end && isspace((unsigned char)*j->at))
		j->at++;
}

static bool take(struct json *j, char c)
{
	skip_blanks(j);
	if (j->at >= j->end || *j->at != c)
		return false;
	j->at++;
	return true;
}

static size_t put_utf8(char *out, unsigned int c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	out[0] = (char)(0xe0 | c >> 12);
	out[1] = (char)(0x80 | (c >> 6 & 0x3f));
	out[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

/* Behind a backslash. @return bytes written, 0: wrong */
static size_t take_escape(struct json *j, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *known;
	unsigned int c;
	char digits[5] = "";

	if (j->at >= j->end)
		return 0;
	known = memchr(from, *j->at, sizeof(from) - 1);
	if (known) {
		j->at++;
		*out = to[known - from];
		return 1;
	}
	if (*j->at != 'u' || j->end - j->at < 5)
		return 0;
	memcpy(digits, j->at + 1, 4);
	if (sscanf(digits, "%4x", &c) != 1)
		return 0;
	j->at += 5;
	return put_utf8(out, c);
}

static int take_string(struct json *j, char *out)
{
	size_t n = 0;

	if (!take(j, '"'))
		return -EINVAL;
	while (j->at < j->end && *j->at != '"') {
		char bytes[4] = {*j->at};
		size_t len = 1;

		if (*j->at++ == '\\')
			len = take_escape(j, bytes);
		if (!len)
			return -EINVAL;
		if (n + len < TEXT_MAX) {
			memcpy(out + n, bytes, len);
			n += len;
		}
	}
	out[n] = 0;
	return take(j, '"') ? 0 : -EINVAL;
}

static int take_value(struct json *j, const char *parent, const char *key);

static int take_object(struct json *j, const char *name)
{
	char key[TEXT_MAX];
	int r;

	if (take(j, '}'))
		return 0;
	do {
		r = take_string(j, key);
		if (!r && !take(j, ':'))
			r = -EINVAL;
		if (!r)
			r = take_value(j, name, key);
	} while (!r && take(j, ','));
	return r ? r : take(j, '}') ? 0 : -EINVAL;
}

static int take_array(struct json *j, const char *name, bool outermost)
{
	int r;

	if (take(j, ']'))
		return 0;
	do {
		r = take_value(j, name, "");
		j->element += outermost;
	} while (!r && take(j, ','));
	return r ? r : take(j, ']') ? 0 : -EINVAL;
}

static int tell(struct json *j, const char *parent, const char *key, const char *text)
{
	return j->fn(j->ctx, &(struct json_value){.text = text,
						  .key = key,
						  .parent = parent,
						  .depth = j->depth,
						  .element = j->element});
}

/* A number, true, false or null, not looked at closely. */
static int take_word(struct json *j, char *out)
{
	size_t n = 0;

	while (j->at < j->end && *j->at && n + 1 < TEXT_MAX &&
	       (isalnum((unsigned char)*j->at) || strchr("+-.", *j->at)))
		out[n++] = *j->at++;
	out[n] = 0;
	return n ? 0 : -EINVAL;
}

static int take_plain(struct json *j, const char *parent, const char *key)
{
	char text[TEXT_MAX];
	int r = *j->at == '"' ? take_string(j, text) : take_word(j, text);

	return r ? r : tell(j, parent, key, text);
}

static int take_value(struct json *j, const char *parent, const char *key)
{
	int r;

	skip_blanks(j);
	if (j->at >= j->end || j->depth == DEPTH_MAX)
		return -EINVAL;
	if (*j->at != '{' && *j->at != '[')
		return take_plain(j, parent, key);
	j->depth++;
	r = take(j, '{') ? take_object(j, key) : (j->at++, take_array(j, key, j->depth == 1));
	j->depth--;
	return r;
}

int json__each(const char *text, size_t len, int (*fn)(void *ctx, const struct json_value *v),
	       void *ctx)
{
	struct json j = {.at = text, .end = text + len, .fn = fn, .ctx = ctx};

	return take_value(&j, "", "");
}
