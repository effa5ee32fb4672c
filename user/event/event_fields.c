// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/suggest.h"
#include "catalog.h"
#include "event_fields.h"

#define NAME_ROOM 128

/*
 * Names of things: what a `const char *` parameter of a system call is called where users want
 * the text. Not buffers (buf, optval), not lists (argv), not encoded ones (_fs_context).
 */
static const char *const things[] = {
	"filename",    "pathname",     "path",		"name",	    "oldname",	"newname",
	"uname",       "special",      "specialfile",	"dev_name", "dir_name", "type",
	"_type",       "_description", "_callout_info", "put_old",  "new_root", "from_pathname",
	"to_pathname", "fs_name",      "_fs_name",	"_key",	    "u_name",	"path1",
	"path2",       "old",	       "new",		"linkpath", "target",	"domainname",
	"hostname",    "key",
};

static bool is_char_pointer(const struct field *f)
{
	const char *t = f->type;

	return f->kind == FIELD_INT && f->where == FIELD_STATIC && f->size == 8 &&
	       (!strcmp(t, "const char *") || !strcmp(t, "char *"));
}

static bool names_a_thing(const struct field *f)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(things); i++)
		if (!strcmp(things[i], f->name))
			return true;
	return false;
}

/* `char *` is where the kernel writes to, but for old prototypes such as mount's. */
static bool is_input(const struct event_format *f, const struct field *field)
{
	return !strncmp(field->type, "const", 5) || !strcmp(f->name, "sys_enter_mount");
}

static bool is_asked_for(const struct event_spec *s, const char *name)
{
	size_t i;

	for (i = 0; s && i < s->ustring.n; i++)
		if (!strcmp(s->ustring.v[i].s, name))
			return true;
	return false;
}

/* Is this field of an event of this format, asked for in this way, a text in user memory? */
static bool is_text(const struct event_spec *s, const struct event_format *format,
		    const struct field *f)
{
	if (is_asked_for(s, f->name))
		return true;
	return format->is_syscall_enter && !(s && s->nostr) && is_char_pointer(f) &&
	       names_a_thing(f) && is_input(format, f);
}

/* --- the block: fields, then the names that are not the format's --- */

struct block {
	struct event *e;
	size_t room;
	char *names;
	u16 texts, values;
};

static struct field *add(struct block *b, const struct field *f)
{
	b->e->fields[b->e->nr_fields] = *f;
	return &b->e->fields[b->e->nr_fields++];
}

static const char *add_name(struct block *b, const char *fmt, const char *name)
{
	const char *at = b->names;

	b->names += snprintf(b->names, NAME_ROOM, fmt, name) + 1;
	return at;
}

static void add_text(struct block *b, const struct field *pointer)
{
	struct field *text = add(b, pointer);

	text->kind = FIELD_TEXT;
	text->where = FIELD_USER_TEXT;
	text->size = 0;
	text->elem_size = 1;
	text->slot = b->texts++;
	add(b, pointer)->name = add_name(b, "%.100s_ptr", pointer->name);
}

static struct field *add_value(struct block *b, const char *name, const char *type, bool is_signed)
{
	const struct field f = {
		.name = name,
		.type = type,
		.kind = FIELD_INT,
		.where = FIELD_VALUE,
		.size = 8,
		.elem_size = 8,
		.is_signed = is_signed,
		.slot = b->values++,
	};

	return add(b, &f);
}

/* @user: it is where @of points to; else it is @of, an array */
static struct field *add_kept_text(struct block *b, const char *name, const struct field *of,
				   bool user)
{
	const struct field f = {
		.name = name,
		.type = of->type,
		.kind = FIELD_TEXT,
		.where = user ? FIELD_KEPT_TEXT : FIELD_VALUE,
		.size = user ? 0 : of->size,
		.elem_size = 1,
		.slot = user ? b->texts++ : b->values++,
	};

	return add(b, &f);
}

/* --- what cannot be had --- */

static int bad_name(const struct event_spec *s, const struct spec_text *name,
		    const struct event_format *f, struct err *err)
{
	struct strbuf hints = {0};
	const char *names[256];
	size_t i, nr = 0;

	for (i = 0; i < f->nr_fields && nr < ARRAY_SIZE(names); i++)
		names[nr++] = f->fields[i].name;
	suggest__near(&hints, name->s, names, nr);
	err__caret(err, s->text, name->at, strlen(name->s), "%s:%s has no field %s%s", f->system,
		   f->name, name->s, hints.s ? hints.s : "");
	strbuf__free(&hints);
	return -EINVAL;
}

static size_t kept_texts(const struct event_spec *s, const struct event_format *start)
{
	size_t i, n = 0;

	for (i = 0; start && i < s->start->keep.n; i++) {
		const struct field *f = event_format__field(start, s->start->keep.v[i].s);

		n += f && is_text(s->start, start, f);
	}
	return n;
}

static int check_texts(const struct event *e, const struct event_format *start, struct err *err)
{
	const struct event_spec *s = e->spec;
	const struct field *f;
	size_t i, n;

	for (i = 0; s && i < s->ustring.n; i++) {
		const struct spec_text *name = &s->ustring.v[i];

		f = event_format__field(e->format, name->s);
		if (!f)
			return bad_name(s, name, e->format, err);
		if (f->kind != FIELD_INT || f->size != 8 || f->where != FIELD_STATIC)
			return err__caret(err, s->text, name->at, strlen(name->s),
					  "ustring= reads what a pointer points to, and %s is %s",
					  name->s, f->type);
	}
	n = kept_texts(s, start);
	for (i = 0; i < e->format->nr_fields; i++)
		n += is_text(e->spec, e->format, &e->format->fields[i]);
	if (n <= LAYOUT_TEXTS)
		return 0;
	return err__usage(err, "%s:%s: %zu user texts are more than the %d that a record holds",
			  e->format->system, e->format->name, n, LAYOUT_TEXTS);
}

static int check_kept(const struct event_spec *start, const struct event_format *f, struct err *err)
{
	const struct field *field;
	size_t i;

	for (i = 0; i < start->keep.n; i++) {
		const struct spec_text *name = &start->keep.v[i];

		field = event_format__field(f, name->s);
		if (!field)
			return bad_name(start, name, f, err);
		if (!field__kept_words(field))
			return err__caret(err, start->text, name->at, strlen(name->s),
					  "keep= carries integers, texts of up to %d bytes and names "
					  "in user memory, and %s is %s",
					  KEPT_TEXT_MAX, name->s, field->type);
	}
	if (1 + start->keep.n <= LAYOUT_VALUES)
		return 0;
	return err__caret(err, start->text, start->keep.v[0].at, strlen(start->keep.v[0].s),
			  "keep= carries at most %d fields", LAYOUT_VALUES - 1);
}

static void add_kept(struct block *b, const struct event_spec *start, const struct event_format *f)
{
	struct field *kept;
	u32 word = 1;
	size_t i;

	for (i = 0; i < start->keep.n; i++) {
		const struct field *field = event_format__field(f, start->keep.v[i].s);
		const char *name = add_name(b, "start.%.100s", field->name);
		bool user = is_text(start, f, field);

		if (user || field->kind == FIELD_TEXT)
			kept = add_kept_text(b, name, field, user);
		else
			kept = add_value(b, name, field->is_signed ? "s64" : "u64", field->is_signed);
		kept->kept = word;
		word += field__kept_words(field);
	}
}

static int allocate(struct block *b, struct err *err)
{
	size_t n = 2 * b->e->format->nr_fields + LAYOUT_VALUES;

	b->e->fields =
		calloc(1, n * sizeof(struct field) + (LAYOUT_TEXTS + LAYOUT_VALUES) * NAME_ROOM);
	if (!b->e->fields)
		return err__set(err, ENOMEM, "out of memory");
	b->names = (char *)(b->e->fields + n);
	b->e->nr_fields = 0;
	return 0;
}

int event_fields__make(struct event *e, const struct event_format *start, struct err *err)
{
	const struct event_spec *start_spec = e->spec && start ? e->spec->start : NULL;
	struct block b = {.e = e};
	size_t i;

	if (check_texts(e, start_spec ? start : NULL, err) || (start_spec && check_kept(start_spec, start, err)) ||
	    allocate(&b, err))
		return -err->code;
	for (i = 0; i < e->format->nr_fields; i++) {
		if (is_text(e->spec, e->format, &e->format->fields[i]))
			add_text(&b, &e->format->fields[i]);
		else
			add(&b, &e->format->fields[i]);
	}
	if (e->spec && e->spec->since)
		add_value(&b, "latency", "u64", false);
	if (start_spec)
		add_kept(&b, start_spec, start);
	return 0;
}
