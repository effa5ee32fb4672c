// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "../base/suggest.h"
#include "catalog.h"
#include "names.h"
#include "tracefs.h"

#define BUCKETS 512

struct known {
	struct known *next;
	struct event_format *format;
};

struct catalog {
	int dir;
	struct names systems; /* listed when first needed */
	struct names *events; /* of each system; the same */
	struct known *known[BUCKETS]; /* formats that were read */
	struct strbuf file;
};

int catalog__open(struct catalog **ret, const char *dir, struct log *log, struct err *err)
{
	struct catalog *c;
	int fd = tracefs__open(dir, log, err);

	if (fd < 0)
		return fd;
	c = calloc(1, sizeof(*c));
	if (!c) {
		close(fd);
		return err__set(err, ENOMEM, "out of memory");
	}
	c->dir = fd;
	*ret = c;
	return 0;
}

static void free_known(struct known *k)
{
	struct known *next;

	for (; k; k = next) {
		next = k->next;
		event_format__put(k->format);
		free(k);
	}
}

void catalog__close(struct catalog *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < BUCKETS; i++)
		free_known(c->known[i]);
	for (i = 0; c->events && i < c->systems.n; i++)
		names__free(&c->events[i]);
	free(c->events);
	names__free(&c->systems);
	strbuf__free(&c->file);
	close(c->dir);
	free(c);
}

int catalog__dirfd(const struct catalog *c)
{
	return c->dir;
}

static struct known **bucket_of(struct catalog *c, const char *system, const char *name)
{
	u32 h = 2166136261u;

	for (; *system; system++)
		h = (h ^ (u8)*system) * 16777619u;
	for (; *name; name++)
		h = (h ^ (u8)*name) * 16777619u;
	return &c->known[h % BUCKETS];
}

static struct event_format *find_known(struct known *k, const char *system, const char *name)
{
	for (; k; k = k->next)
		if (!strcmp(k->format->name, name) && !strcmp(k->format->system, system))
			return k->format;
	return NULL;
}

/* Keeps a reference of its own. */
static int keep(struct known **bucket, struct event_format *f)
{
	struct known *k = calloc(1, sizeof(*k));

	if (!k)
		return -ENOMEM;
	k->format = event_format__get(f);
	k->next = *bucket;
	*bucket = k;
	return 0;
}

static int read_all(int fd, struct strbuf *b)
{
	char part[16384];
	ssize_t n;

	strbuf__reset(b);
	while ((n = read(fd, part, sizeof(part))) > 0)
		strbuf__add(b, part, n);
	if (n < 0)
		return -errno;
	return b->failed ? -ENOMEM : 0;
}

static bool is_file_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

static int read_format(struct catalog *c, const char *system, const char *name, struct err *err)
{
	char path[512];
	_cleanup_close_ int fd = -1;
	int ret;

	if (!is_file_name(system) || !is_file_name(name) ||
	    snprintf(path, sizeof(path), "events/%s/%s/format", system, name) >= (int)sizeof(path))
		return -ENOENT;
	fd = openat(c->dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	ret = fd < 0 ? -errno : read_all(fd, &c->file);
	if (!ret && !c->file.len)
		ret = -EIO;
	if (ret == -EACCES)
		return err__set(err, EACCES,
				"%s:%s: its format in tracefs may not be read by this user; run as "
				"root, or as root: mount -o remount,mode=755 /sys/kernel/tracing",
				system, name);
	return ret ? err__set(err, -ret, "%s:%s: tracefs: %s: %s", system, name, path,
			      strerror(-ret))
		   : 0;
}

int catalog__format(struct catalog *c, const char *system, const char *name,
		    struct event_format **ret, struct err *err)
{
	struct known **bucket = bucket_of(c, system, name);
	struct event_format *f = find_known(*bucket, system, name);
	int status;

	if (f) {
		*ret = event_format__get(f);
		return 0;
	}
	status = read_format(c, system, name, err);
	if (status)
		return status;
	status = event_format__parse(&f, system, name, c->file.s, c->file.len, err);
	if (status)
		return status;
	if (keep(bucket, f)) {
		event_format__put(f);
		return err__set(err, ENOMEM, "out of memory");
	}
	*ret = f;
	return 0;
}

/* Sub-directories of events/@sub, sorted. */
static int list_dirs(struct catalog *c, const char *sub, struct names *names)
{
	char path[300];
	struct dirent *d;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "events/%s", sub);
	fd = openat(c->dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return -errno;
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.' || (d->d_type != DT_DIR && d->d_type != DT_UNKNOWN))
			continue;
		if (names__add(names, d->d_name)) {
			closedir(dir);
			return -ENOMEM;
		}
	}
	closedir(dir);
	names__sort(names);
	return 0;
}

static int list_systems(struct catalog *c, struct err *err)
{
	int ret;

	if (c->events)
		return 0;
	ret = list_dirs(c, "", &c->systems);
	if (ret)
		return err__set(err, -ret, "tracefs: events: %s", strerror(-ret));
	c->events = calloc(c->systems.n + 1, sizeof(*c->events));
	return c->events ? 0 : err__set(err, ENOMEM, "out of memory");
}

/* A system may vanish with its module between the two listings: then it has no events. */
static const struct names *events_of(struct catalog *c, size_t system)
{
	if (!c->events[system].v)
		list_dirs(c, c->systems.v[system], &c->events[system]);
	return &c->events[system];
}

/* Events of ftrace itself have formats, but nothing can be attached to them. */
static bool takes_part(const char *system, const char *glob)
{
	return !fnmatch(glob, system, 0) && (strcmp(system, "ftrace") || !strcmp(glob, "ftrace"));
}

int catalog__each(struct catalog *c, const char *system, const char *name,
		  int (*fn)(void *ctx, const char *system, const char *name), void *ctx,
		  struct err *err)
{
	const struct names *events;
	size_t i, j;
	int ret = list_systems(c, err);

	if (ret)
		return ret;
	for (i = 0; i < c->systems.n; i++) {
		if (!takes_part(c->systems.v[i], system))
			continue;
		events = events_of(c, i);
		for (j = 0; j < events->n; j++) {
			if (fnmatch(name, events->v[j], 0))
				continue;
			ret = fn(ctx, c->systems.v[i], events->v[j]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* --- what was meant --- */

/* All events, or those of @system, as "system:name". */
static void collect(struct catalog *c, const char *system, struct names *all)
{
	char full[512];
	size_t i, j;

	for (i = 0; i < c->systems.n; i++) {
		if (system && strcmp(system, c->systems.v[i]))
			continue;
		for (j = 0; j < events_of(c, i)->n; j++) {
			snprintf(full, sizeof(full), "%s:%s", c->systems.v[i], c->events[i].v[j]);
			names__add(all, full);
		}
	}
}

static int near_events(struct catalog *c, const char *system, const char *name, struct strbuf *out)
{
	bool known = names__find(&c->systems, system);
	struct names all = {0};
	char full[512];
	int n;

	snprintf(full, sizeof(full), "%s:%s", system, name);
	collect(c, known ? system : NULL, &all);
	n = suggest__near(out, full, (const char *const *)all.v, all.n);
	names__free(&all);
	return n;
}

/* The right name in the wrong system. */
static int same_name(struct catalog *c, const char *name, struct strbuf *out)
{
	size_t i;

	for (i = 0; i < c->systems.n; i++) {
		if (!names__find(events_of(c, i), name))
			continue;
		strbuf__printf(out, "; near: %s:%s", c->systems.v[i], name);
		return 1;
	}
	return 0;
}

static void hint(struct catalog *c, const char *system, const char *name, struct strbuf *out)
{
	const char *found[4];
	int i, n;

	if (near_events(c, system, name, out) || same_name(c, name, out))
		return;
	if (names__find(&c->systems, system)) {
		strbuf__printf(out, "; see: tamis list '%s:*'", system);
		return;
	}
	n = suggest__nearest(system, (const char *const *)c->systems.v, c->systems.n, found,
			     ARRAY_SIZE(found));
	for (i = 0; i < n; i++)
		strbuf__printf(out, "%s%s:*", i ? ", " : "; near: ", found[i]);
	if (!n)
		strbuf__puts(out, "; see: tamis list");
}

static bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

int catalog__unknown(struct catalog *c, const char *text, size_t at, const char *system,
		     const char *name, struct err *err)
{
	size_t len = strlen(system) + 1 + strlen(name);
	const char *what = "no event", *why = "";
	struct strbuf hints = {0};
	int ret = list_systems(c, err);

	if (ret)
		return ret;
	if (is_glob(system) || is_glob(name))
		what = "no event matches";
	if (names__find(&c->systems, system)) {
		at += strlen(system) + 1;
		len = strlen(name);
	} else if (!is_glob(system)) {
		why = ", there is no such system";
		len = strlen(system);
	}
	hint(c, system, name, &hints);
	ret = err__caret(err, text, at, len, "%s %s:%s%s%s", what, system, name, why,
			 hints.s ? hints.s : "");
	strbuf__free(&hints);
	return ret;
}

void catalog__suggest(struct catalog *c, const char *name, struct strbuf *out)
{
	struct names bare = {0}, full = {0};
	struct err ignored = {0};
	const char *found[4];
	size_t i, j;
	int n, k;

	if (list_systems(c, &ignored))
		return;
	for (i = 0; i < c->systems.n; i++)
		for (j = 0; j < events_of(c, i)->n; j++)
			names__add(&bare, c->events[i].v[j]);
	collect(c, NULL, &full);
	n = suggest__nearest(name, (const char *const *)bare.v, bare.n, found, 4);
	for (k = 0; k < n; k++) {
		for (i = 0; i < bare.n && bare.v[i] != found[k]; i++)
			;
		if (i < full.n)
			strbuf__printf(out, "%s%s", k ? ", " : "; near: ", full.v[i]);
	}
	names__free(&bare);
	names__free(&full);
}
