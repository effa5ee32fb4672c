// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/log.h"
#include "demangle.h"
#include "kallsyms.h"
#include "strpool.h"
#include "symtab.h"

/* How far the last symbol before a gap can reach: sizes are not in kallsyms. */
#define CORE_MAX   (4u << 20)
#define MODULE_MAX (64u << 10)
#define BPF_MAX	   (1u << 20)
#define CHANGES_MAX 4096

struct shown {
	const char *name, *module;
};

struct module {
	char *name;
	u64 end;
};

/* What came or went while we run. */
struct change {
	u64 start, end;
	u64 from, until;  /* times; until 0: still there */
	const char *name; /* NULL: nothing was there from then on */
};

struct kallsyms {
	char *path;
	struct strpool *pool;
	struct log *log;
	bool raw, loaded;
	struct symtab symbols;
	struct shown *shown;
	struct module *modules;
	size_t nr_modules, modules_room;
	struct change *changes;
	size_t nr_changes, changes_room;
	u64 low, high; /* of the changes */
	u64 etext;
};

struct kallsyms *kallsyms__new(const char *path, struct strpool *pool, bool raw, struct log *log)
{
	struct kallsyms *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->path = strdup(path ? path : "/proc/kallsyms");
	k->pool = pool;
	k->raw = raw;
	k->log = log;
	k->low = UINT64_MAX;
	if (k->path)
		return k;
	free(k);
	return NULL;
}

void kallsyms__free(struct kallsyms *k)
{
	size_t i;

	if (!k)
		return;
	for (i = 0; i < k->nr_modules; i++)
		free(k->modules[i].name);
	free(k->modules);
	free(k->changes);
	free(k->shown);
	symtab__free(&k->symbols);
	free(k->path);
	free(k);
}

static void read_modules(struct kallsyms *k)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/modules", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		unsigned long long size, addr;
		struct module m = {0};
		char name[64];

		if (sscanf(line, "%63s %llu %*s %*s %*s %llx", name, &size, &addr) != 3 || !addr)
			continue;
		m.name = strdup(name);
		m.end = addr + size;
		if (!m.name || array__push(k->modules, k->nr_modules, k->modules_room, m))
			free(m.name);
	}
}

/* @text "name" or "name\t[module]" */
static u64 limit_of(const struct kallsyms *k, u64 start, const char *text)
{
	const char *module = strchr(text, '[');
	size_t i, len;

	if (!strchr(text, '\t') || !module++)
		return start + CORE_MAX;
	len = strcspn(module, "]");
	if (!strncmp(module, "bpf]", 4))
		return start + BPF_MAX;
	for (i = 0; i < k->nr_modules; i++)
		if (!strncmp(k->modules[i].name, module, len) && !k->modules[i].name[len] &&
		    start < k->modules[i].end)
			return k->modules[i].end;
	return start + MODULE_MAX;
}

/* "ffffffff81000000 T _stext" or "ffffffffc0201000 t name\t[module]" */
static int take_line(struct kallsyms *k, char *line, bool *hidden)
{
	char *p, type;
	u64 start;

	start = strtoull(line, &p, 16);
	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ')
		return 0;
	type = p[1];
	p += 3;
	p[strcspn(p, "\n")] = 0;
	*hidden = *hidden && !start;
	if (!start || !strchr("tTwW", type))
		return 0;
	if (!strcmp(p, "_etext"))
		k->etext = start;
	return symtab__add(&k->symbols, start, 0, limit_of(k, start, p), p, strlen(p),
			   type == 'T' ? BIND_GLOBAL : type == 't' ? BIND_LOCAL : BIND_WEAK);
}

static void trim_to_text(struct kallsyms *k)
{
	size_t i;

	for (i = 0; i < k->symbols.n; i++) {
		struct sym *s = &k->symbols.v[i];

		if (s->start < k->etext && s->start + s->size > k->etext)
			s->size = k->etext - s->start;
	}
}

static int read_lines(struct kallsyms *k, bool *hidden)
{
	_cleanup_fclose_ FILE *f = fopen(k->path, "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (!f)
		return -errno;
	while (!ret && getline(&line, &room, f) > 0)
		ret = take_line(k, line, hidden);
	return ret;
}

static void load(struct kallsyms *k)
{
	bool hidden = true;
	int ret;

	k->loaded = true;
	read_modules(k);
	ret = read_lines(k, &hidden);
	if (!ret)
		ret = symtab__sort(&k->symbols);
	if (ret) {
		symtab__free(&k->symbols);
		log__once(k->log, LOG_NOTICE, "kernel frames have no names: %s: %s", k->path,
			  strerror(-ret));
		return;
	}
	trim_to_text(k);
	k->shown = calloc(k->symbols.n ? k->symbols.n : 1, sizeof(*k->shown));
	if (hidden)
		log__once(k->log, LOG_NOTICE,
			  "kernel frames have no names: %s hides its addresses; root sees them "
			  "with kernel.kptr_restrict at 0 or 1",
			  k->path);
}

static const char *show(struct kallsyms *k, const char *text, size_t len)
{
	char name[512], *readable;
	const char *ret;

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	readable = k->raw ? NULL : demangle(name);
	ret = strpool__intern(k->pool, readable ? readable : name);
	free(readable);
	return ret;
}

static const char *named(struct kallsyms *k, const struct sym *s, const char **module)
{
	const char *text = k->symbols.text + s->name;
	struct shown *shown = &k->shown[s - k->symbols.v];
	size_t len = strcspn(text, "\t");

	if (!shown->name) {
		shown->name = show(k, text, len);
		shown->module = text[len] ? strpool__intern(k->pool, text + len + 1)
					  : "[kernel.kallsyms]";
	}
	*module = shown->module;
	return shown->name;
}

static const struct change *find_change(const struct kallsyms *k, u64 addr, u64 time)
{
	size_t i;

	if (addr < k->low || addr >= k->high)
		return NULL;
	for (i = k->nr_changes; i--;) {
		const struct change *c = &k->changes[i];

		if (addr >= c->start && addr < c->end && time >= c->from &&
		    (!c->until || time < c->until))
			return c;
	}
	return NULL;
}

void kallsyms__load(struct kallsyms *k)
{
	if (!k->loaded)
		load(k);
}

const char *kallsyms__find(struct kallsyms *k, u64 addr, u64 time, u64 *start, const char **module)
{
	const struct change *c = find_change(k, addr, time ? time : UINT64_MAX);
	const struct sym *s;

	*module = "[kernel.kallsyms]";
	if (c) {
		*start = c->start;
		*module = "[bpf]";
		return c->name;
	}
	kallsyms__load(k);
	s = k->shown ? symtab__find(&k->symbols, addr) : NULL;
	if (!s)
		return NULL;
	*start = s->start;
	return named(k, s, module);
}

static struct change *running(struct kallsyms *k, u64 addr)
{
	size_t i;

	for (i = k->nr_changes; i--;)
		if (k->changes[i].start == addr && !k->changes[i].until && k->changes[i].name)
			return &k->changes[i];
	return NULL;
}

void kallsyms__update(struct kallsyms *k, u64 addr, u32 len, const char *name, bool gone, u64 time)
{
	struct change *old = gone ? running(k, addr) : NULL;
	struct change c = {addr, addr + len, time, 0, NULL};

	if (old) {
		old->until = time;
		return;
	}
	if (!gone)
		c.name = strpool__intern(k->pool, name);
	if (k->nr_changes == CHANGES_MAX) /* the oldest eighth is forgotten */
		memmove(k->changes, k->changes + CHANGES_MAX / 8,
			(k->nr_changes -= CHANGES_MAX / 8) * sizeof(c));
	if (array__push(k->changes, k->nr_changes, k->changes_room, c))
		return;
	k->low = c.start < k->low ? c.start : k->low;
	k->high = c.end > k->high ? c.end : k->high;
}

size_t kallsyms__bytes(const struct kallsyms *k)
{
	return symtab__bytes(&k->symbols) + (k->shown ? k->symbols.n * sizeof(*k->shown) : 0);
}
