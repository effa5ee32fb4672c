// SPDX-License-Identifier: GPL-2.0-only
/* list.c - tamis list: what can stand behind -e. */
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/log.h"
#include "../base/strbuf.h"
#include "../data_dirs.h"
#include "../event/catalog.h"
#include "../event/event_fields.h"
#include "../event/preset.h"
#include "../event/source_names.h"
#include "../format/format.h"
#include "commands.h"

#define FLUSH_AT 65536

struct list {
	const char *glob;
	const char *tracefs;
	bool verbose, json, help;
	struct catalog *catalog;
	const char *dirs[3]; /* of presets */
	char dir_text[2][4096];
	struct strbuf out;
	size_t shown;
	struct err *err;
};

/* --- what is asked for --- */

static bool has_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

/* A glob for the whole name or the part behind the colon; a plain word may stand anywhere. */
static bool is_wanted(const struct list *l, const char *full)
{
	const char *colon = strchr(full, ':');

	if (!l->glob)
		return true;
	if (!has_glob(l->glob))
		return strstr(full, l->glob);
	return !fnmatch(l->glob, full, 0) || (colon && !fnmatch(l->glob, colon + 1, 0));
}

/* Systems that cannot match are not looked into. */
static void system_glob(const struct list *l, char out[128])
{
	const char *colon = l->glob ? strchr(l->glob, ':') : NULL;
	size_t n = colon ? colon - l->glob : 0;

	if (colon && n < 127 && (has_glob(l->glob) || colon[1]))
		snprintf(out, 128, "%.*s", (int)n, l->glob);
	else
		strcpy(out, "*");
}

static int flush(struct list *l, size_t at)
{
	if (l->out.len < at)
		return 0;
	if (l->out.failed)
		return err__set(l->err, ENOMEM, "out of memory");
	if (fwrite(l->out.s, 1, l->out.len, stdout) != l->out.len || (at == 0 && fflush(stdout)))
		return errno == EPIPE
			       ? -EPIPE
			       : err__set(l->err, errno, "standard output: %s", strerror(errno));
	strbuf__reset(&l->out);
	return 0;
}

/* --- tracepoints --- */

static const char *kind_name(const struct field *f)
{
	static const char *const kinds[] = {
		[FIELD_INT] = "int",
		[FIELD_TEXT] = "text",
		[FIELD_BYTES] = "bytes",
		[FIELD_ARRAY] = "array",
	};

	return kinds[f->kind];
}

/* "int32", "uint64", "text", "bytes", "uint64[]" */
static void put_kind(struct strbuf *b, const struct field *f)
{
	if (f->kind == FIELD_INT || f->kind == FIELD_ARRAY)
		strbuf__printf(b, "%sint%u%s", f->is_signed ? "" : "u", f->elem_size * 8,
			       f->kind == FIELD_ARRAY ? "[]" : "");
	else
		strbuf__puts(b, kind_name(f));
}

static void put_fields(struct strbuf *b, const struct event *e)
{
	size_t i;

	for (i = 0; i < e->nr_fields; i++) {
		strbuf__printf(b, "    %-24s %-24s ", e->fields[i].name, e->fields[i].type);
		put_kind(b, &e->fields[i]);
		strbuf__putc(b, '\n');
	}
}

static void put_json_text(struct strbuf *b, const char *name, const char *text)
{
	strbuf__printf(b, ",\"%s\":", name);
	format__json_string(b, text, strlen(text));
}

static void put_json_fields(struct strbuf *b, const struct event *e)
{
	size_t i;

	strbuf__printf(b, ",\"id\":%u,\"fields\":[", e->format->id);
	for (i = 0; i < e->nr_fields; i++) {
		const struct field *f = &e->fields[i];

		strbuf__puts(b, i ? ",{\"name\":" : "{\"name\":");
		format__json_string(b, f->name, strlen(f->name));
		put_json_text(b, "type", f->type);
		put_json_text(b, "kind", kind_name(f));
		strbuf__printf(b, ",\"size\":%u,\"signed\":%s}", f->size,
			       f->is_signed ? "true" : "false");
	}
	strbuf__putc(b, ']');
}

/* @fields NULL: a name alone */
static void put_tracepoint(struct list *l, const char *full, const struct event *fields)
{
	if (!l->json) {
		strbuf__printf(&l->out, "%s\n", full);
		if (fields)
			put_fields(&l->out, fields);
		return;
	}
	strbuf__puts(&l->out, "{\"name\":");
	format__json_string(&l->out, full, strlen(full));
	put_json_text(&l->out, "kind", "tracepoint");
	if (fields)
		put_json_fields(&l->out, fields);
	strbuf__puts(&l->out, "}\n");
}

static int describe(struct list *l, const char *full, const char *system, const char *name)
{
	struct event e = {0};
	int ret = catalog__format(l->catalog, system, name, &e.format, l->err);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	ret = event_fields__make(&e, NULL, l->err);
	if (!ret)
		put_tracepoint(l, full, &e);
	free(e.fields);
	event_format__put(e.format);
	return ret;
}

static int show_tracepoint(void *ctx, const char *system, const char *name)
{
	struct list *l = ctx;
	char full[512];
	int ret = 0;

	snprintf(full, sizeof(full), "%s:%s", system, name);
	if (!is_wanted(l, full))
		return 0;
	l->shown++;
	if (l->verbose)
		ret = describe(l, full, system, name);
	else
		put_tracepoint(l, full, NULL);
	return ret ? ret : flush(l, FLUSH_AT);
}

/* --- sources and presets --- */

static void put_named(struct list *l, const char *name, const char *kind, const char *help,
		      const char *events)
{
	l->shown++;
	if (l->json) {
		strbuf__puts(&l->out, "{\"name\":");
		format__json_string(&l->out, name, strlen(name));
		put_json_text(&l->out, "kind", kind);
		put_json_text(&l->out, "help", help);
		if (events)
			put_json_text(&l->out, "events", events);
		strbuf__puts(&l->out, "}\n");
		return;
	}
	strbuf__printf(&l->out, "%-32s %s: %s\n", name, kind, help);
	if (events && l->verbose)
		strbuf__printf(&l->out, "    %s\n", events);
}

static void show_sources(struct list *l)
{
	const char *const *name;

	for (name = source__names(); *name; name++)
		if (is_wanted(l, *name))
			put_named(l, *name, "source", source__help(*name), NULL);
}

static int show_preset(void *ctx, const struct preset *p)
{
	struct list *l = ctx;

	if (is_wanted(l, p->name))
		put_named(l, p->name, "preset", p->help, p->events);
	return 0;
}

static void find_dirs(struct list *l)
{
	size_t n = 0;

	if (user_dir("presets", l->dir_text[0], sizeof(l->dir_text[0])))
		l->dirs[n++] = l->dir_text[0];
	if (data_dir("presets", l->dir_text[1], sizeof(l->dir_text[1])))
		l->dirs[n] = l->dir_text[1];
}

/* --- the command --- */

static int nothing_found(struct list *l)
{
	char system[128];
	const char *colon = strchr(l->glob, ':');
	struct strbuf hints = {0};

	if (colon) {
		snprintf(system, sizeof(system), "%.*s", (int)(colon - l->glob), l->glob);
		return catalog__unknown(l->catalog, l->glob, 0, system, colon + 1, l->err);
	}
	catalog__suggest(l->catalog, l->glob, &hints);
	err__usage(l->err, "no event matches %s%s", l->glob, hints.s ? hints.s : "");
	strbuf__free(&hints);
	return -EINVAL;
}

static int show_all(struct list *l)
{
	char system[128];
	int ret;

	system_glob(l, system);
	ret = catalog__each(l->catalog, system, "*", show_tracepoint, l, l->err);
	if (ret)
		return ret;
	show_sources(l);
	find_dirs(l);
	ret = preset__each(l->dirs, show_preset, l, l->err);
	if (!ret && !l->shown && l->glob)
		ret = nothing_found(l);
	return ret ? ret : flush(l, 0);
}

static int parse(struct list *l, int argc, char **argv)
{
	static const struct option longs[] = {
		{"verbose", no_argument, NULL, 'v'},
		{"json", no_argument, NULL, 'j'},
		{"tracefs", required_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "vh", longs, NULL)) != -1) {
		if (c == 'v')
			l->verbose = true;
		else if (c == 'j')
			l->json = true;
		else if (c == 't')
			l->tracefs = optarg;
		else if (c == 'h')
			l->help = true;
		else
			return err__usage(l->err,
					  "list: no option %s; there are -v --json --tracefs -h",
					  argv[optind - 1]);
	}
	if (optind + 1 < argc)
		return err__usage(l->err, "list: one GLOB at most, not also %s", argv[optind + 1]);
	l->glob = argv[optind];
	return 0;
}

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	struct list l = {.err = err};
	int ret = parse(&l, argc, argv);

	if (!ret && l.help) {
		command__help(self, "Options:\n"
				    "  -v, --verbose      fields and types of each event\n"
				    "      --json         a JSON object a line\n"
				    "      --tracefs DIR  where tracefs is mounted\n");
		return 0;
	}
	if (!ret)
		ret = catalog__open(&l.catalog, l.tracefs, NULL, err);
	if (!ret)
		ret = show_all(&l);
	catalog__close(l.catalog);
	strbuf__free(&l.out);
	return ret == -EPIPE ? 0 : ret;
}

static const char *const examples[] = {
	"tamis list",
	"tamis list 'sched:*'",
	"tamis list -v syscalls:sys_enter_openat",
	"tamis list openat",
	"tamis list --json -v 'block:*'",
	NULL,
};

const struct command cmd_list = {
	.name = "list",
	.summary = "List the events of this machine",
	.usage = "[GLOB] [-v] [--json]",
	.examples = examples,
	.run = run,
};
