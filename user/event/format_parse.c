// SPDX-License-Identifier: GPL-2.0-only
/* format_parse.c - the text of a format file becomes fields. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/err.h"
#include "ctype.h"
#include "format.h"
#include "printed.h"

/* A piece of the text. */
struct piece {
	const char *s;
	size_t n;
};

struct columns {
	struct piece decl;
	u32 offset, size;
	bool is_signed;
};

static struct piece trim(struct piece p)
{
	while (p.n && isspace((u8)*p.s))
		p.s++, p.n--;
	while (p.n && isspace((u8)p.s[p.n - 1]))
		p.n--;
	return p;
}

/* "NAME:VALUE;" somewhere in the line */
static bool column(struct piece line, const char *name, u32 *value)
{
	const char *at = memmem(line.s, line.n, name, strlen(name));
	char digits[12] = "";
	size_t i, room;

	if (!at)
		return false;
	at += strlen(name);
	room = line.s + line.n - at;
	for (i = 0; i < room && i < sizeof(digits) - 1 && isdigit((u8)at[i]); i++)
		digits[i] = at[i];
	*value = strtoul(digits, NULL, 10);
	return i > 0;
}

/* "\tfield:DECL;\toffset:N;\tsize:N;\tsigned:N;", the last one only since Linux 2.6.3x */
static bool split_line(struct piece line, struct columns *c)
{
	const char *semi;
	u32 sign = 0;

	line = trim(line);
	if (line.n < 6 || memcmp(line.s, "field:", 6))
		return false;
	line.s += 6;
	line.n -= 6;
	semi = memchr(line.s, ';', line.n);
	if (!semi)
		return false;
	c->decl = trim((struct piece){line.s, semi - line.s});
	line.n -= semi - line.s;
	line.s = semi;
	column(line, "\tsigned:", &sign);
	c->is_signed = sign;
	return c->decl.n && column(line, "\toffset:", &c->offset) && c->offset <= UINT16_MAX &&
	       column(line, "\tsize:", &c->size) && c->size <= UINT16_MAX;
}

/* A declaration taken apart: "char", "comm", "[16]". */
struct decl {
	enum field_where where;
	struct piece type, name, dims;
	bool is_array;
};

static bool take_word(struct piece *p, const char *word)
{
	size_t n = strlen(word);

	if (p->n <= n || memcmp(p->s, word, n) || !isspace((u8)p->s[n]))
		return false;
	p->s += n;
	p->n -= n;
	*p = trim(*p);
	return true;
}

static bool is_name(char c)
{
	return isalnum((u8)c) || c == '_';
}

/* Takes a trailing run of [..] off @p. */
static struct piece take_dims(struct piece *p)
{
	struct piece dims = {p->s + p->n, 0};
	const char *open;

	while (p->n && p->s[p->n - 1] == ']') {
		open = memrchr(p->s, '[', p->n);
		if (!open)
			break;
		dims.n += p->s + p->n - open;
		dims.s = open;
		p->n = open - p->s;
		*p = trim(*p);
	}
	return dims;
}

static bool take_apart(struct piece text, struct decl *d)
{
	*d = (struct decl){.where = FIELD_STATIC};
	if (take_word(&text, "__data_loc"))
		d->where = FIELD_DATA_LOC;
	else if (take_word(&text, "__rel_loc"))
		d->where = FIELD_REL_LOC;
	d->dims = take_dims(&text);
	for (d->name.s = text.s + text.n; d->name.s > text.s && is_name(d->name.s[-1]); d->name.s--)
		d->name.n++;
	text.n -= d->name.n;
	d->type = trim(text);
	if (!d->dims.n) /* of "__data_loc char[] name" they stand with the type */
		d->dims = take_dims(&d->type);
	d->is_array = d->dims.n || d->where != FIELD_STATIC;
	return d->name.n && d->type.n;
}

/* How many elements the dimensions say; 0: a name or nothing stands there. */
static u32 count_elements(struct piece dims)
{
	u64 n = 1, dim;
	size_t i;

	for (i = 0; i < dims.n; i++) {
		if (dims.s[i] != '[')
			continue;
		dim = strtoul(dims.s + i + 1, NULL, 0);
		if (!dim || dim > UINT16_MAX || n > UINT16_MAX)
			return 0;
		n *= dim;
	}
	return dims.n && n <= UINT16_MAX ? n : 0;
}

static bool is_width(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void describe_array(struct field *f, const struct decl *d, const struct columns *c)
{
	struct ctype t = ctype__parse(d->type.s, d->type.n);
	u32 n = count_elements(d->dims);

	f->size = f->where == FIELD_STATIC ? c->size : 0;
	f->elem_size = t.size;
	f->is_signed = t.class == CTYPE_INT ? t.is_signed : c->is_signed;
	if (t.class == CTYPE_ENUM)
		f->elem_size = 4;
	if (n && f->size && f->size % n == 0)
		f->elem_size = f->size / n;
	f->kind = FIELD_ARRAY;
	if (t.class == CTYPE_CHAR)
		f->kind = FIELD_TEXT;
	else if (t.class == CTYPE_STRUCT || f->elem_size == 1 || !is_width(f->elem_size))
		f->kind = FIELD_BYTES;
	if (f->kind != FIELD_ARRAY) {
		f->elem_size = 1;
		f->is_signed = false;
	}
}

/*
 * Syscall events claim 8 unsigned bytes for every parameter, so the C type says how much of them
 * is the value. Elsewhere the kernel's compiler filled in the columns, and they are right also
 * for enums and typedefs that are in no table of ours.
 */
static void describe_scalar(struct field *f, const struct decl *d, const struct columns *c,
			    bool is_syscall)
{
	struct ctype t = ctype__parse(d->type.s, d->type.n);

	f->size = c->size;
	f->is_signed = c->is_signed;
	if (t.class == CTYPE_ENUM && is_syscall)
		f->size = 4;
	if (t.class == CTYPE_INT || t.class == CTYPE_POINTER) {
		if (t.size < f->size)
			f->size = t.size;
		f->is_signed = t.is_signed;
	}
	f->kind = t.class == CTYPE_STRUCT || !is_width(f->size) ? FIELD_BYTES : FIELD_INT;
	f->elem_size = f->kind == FIELD_INT ? f->size : 1;
	if (f->kind == FIELD_BYTES)
		f->is_signed = false;
}

static char *put(char **pool, struct piece p)
{
	memcpy(*pool, p.s, p.n);
	*pool += p.n;
	return *pool - p.n;
}

/* Names and types are shorter than the line that they stand in, so the pool is large enough. */
static void name_field(struct field *f, const struct decl *d, char **pool)
{
	static const char *const prefix[] = {
		[FIELD_STATIC] = "",
		[FIELD_DATA_LOC] = "__data_loc ",
		[FIELD_REL_LOC] = "__rel_loc ",
	};

	f->name = put(pool, d->name);
	*(*pool)++ = 0;
	f->type = put(pool, (struct piece){prefix[d->where], strlen(prefix[d->where])});
	put(pool, d->type);
	put(pool, d->dims);
	*(*pool)++ = 0;
}

static bool parse_field(struct event_format *f, struct field *field, struct piece line, char **pool)
{
	struct columns c;
	struct decl d;

	if (!split_line(line, &c) || !take_apart(c.decl, &d))
		return false;
	if (d.name.n > 7 && !memcmp(d.name.s, "common_", 7))
		return false;
	*field = (struct field){.where = d.where, .offset = c.offset, .room = c.size};
	if (d.is_array)
		describe_array(field, &d, &c);
	else
		describe_scalar(field, &d, &c, f->is_syscall_enter || f->is_syscall_exit);
	name_field(field, &d, pool);
	return true;
}

static int parse_lines(struct event_format *f, const char *text)
{
	size_t room = 0, n = strlen(text);
	const char *line, *end;
	struct field field;
	char *pool;

	f->strings = pool = malloc(n + 1);
	if (!pool)
		return -ENOMEM;
	for (line = text; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (!memcmp(line, "ID:", end - line < 3 ? 0 : 3) && end - line > 3)
			f->id = strtoul(line + 3, NULL, 10);
		if (!parse_field(f, &field, (struct piece){line, end - line}, &pool))
			continue;
		if (field.offset + field.room > f->size)
			f->size = field.offset + field.room;
		if (array__push(f->fields, f->nr_fields, room, field))
			return -ENOMEM;
	}
	return 0;
}

static struct event_format *new_format(const char *system, const char *name, const char *text,
				       size_t len)
{
	struct event_format *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->refs = 1;
	f->size = 8;
	f->system = strdup(system);
	f->name = strdup(name);
	f->text = strndup(text, len);
	if (!f->system || !f->name || !f->text) {
		event_format__put(f);
		return NULL;
	}
	if (!strcmp(system, "syscalls")) {
		f->is_syscall_enter = !strncmp(name, "sys_enter_", 10);
		f->is_syscall_exit = !strncmp(name, "sys_exit_", 9);
	}
	return f;
}

int event_format__parse(struct event_format **ret, const char *system, const char *name,
			const char *text, size_t len, struct err *err)
{
	struct event_format *f = new_format(system, name, text, len);

	if (!f || parse_lines(f, f->text)) {
		event_format__put(f);
		return err__set(err, ENOMEM, "%s:%s: out of memory", system, name);
	}
	if (!f->nr_fields && !strstr(f->text, "field:")) {
		event_format__put(f);
		return err__set(err, EINVAL, "%s:%s: its format file has no fields", system, name);
	}
	printed__mark_bytes(f->fields, f->nr_fields, f->text);
	*ret = f;
	return 0;
}
