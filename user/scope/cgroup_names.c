// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup_names.c - a table of all cgroups seen so far.
 *
 * An id that is not in it was made since: the watcher tells those, and what it missed may still
 * be in the tree. Ids are not used again, so that what is in the table stays right.
 */
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include "../base/clock.h"
#include "../base/log.h"
#include "cgroup_level.h"
#include "cgroup_mounts.h"
#include "cgroup_names.h"
#include "cgroup_watch.h"
#include "container_path.h"

#define NAMES_MAX 65536 /* then cgroups that are gone are forgotten */
#define RESCAN_NS 100000000ull /* a tree is read at most this often */

struct cgroup_name {
	u64 id; /* 0: free */
	char *path;
	char *container; /* NULL: none */
};

struct cgroup_names {
	struct cgroup_name *v; /* open addressing; the room is a power of two */
	size_t n, room;
	struct cgroup_mounts mounts;
	const struct cgroup_mount *v2;
	struct cgroup_watch *watch;
	u64 scanned; /* ns */
};

static struct cgroup_name *slot(struct cgroup_name *v, size_t room, u64 id)
{
	size_t i = (id * 0x9e3779b97f4a7c15ull) >> 32 & (room - 1);

	while (v[i].id && v[i].id != id)
		i = (i + 1) & (room - 1);
	return &v[i];
}

static bool grow(struct cgroup_names *n)
{
	size_t room = n->room ? 2 * n->room : 256, i;
	struct cgroup_name *v = calloc(room, sizeof(*v));

	if (!v)
		return false;
	for (i = 0; i < n->room; i++)
		if (n->v[i].id)
			*slot(v, room, n->v[i].id) = n->v[i];
	free(n->v);
	n->v = v;
	n->room = room;
	return true;
}

/* Out of memory leaves a cgroup without its name. */
static void add(void *ctx, u64 id, const char *path)
{
	struct cgroup_names *n = ctx;
	struct cgroup_name *at, new = {.id = id};
	char container[256];

	if (!id || (n->n * 2 >= n->room && !grow(n)))
		return;
	at = slot(n->v, n->room, id);
	if (at->id)
		return;
	new.path = strdup(path);
	if (container_path__short(path, container, sizeof(container)))
		new.container = strdup(container);
	if (!new.path) {
		free(new.container);
		return;
	}
	*at = new;
	n->n++;
}

static void forget_all(struct cgroup_names *n)
{
	size_t i;

	for (i = 0; i < n->room; i++) {
		free(n->v[i].path);
		free(n->v[i].container);
	}
	free(n->v);
	n->v = NULL;
	n->n = n->room = 0;
}

/* nftw() passes no context. */
static __thread struct cgroup_names *scanning;

static int add_dir(const char *path, const struct stat *st UNUSED, int type, struct FTW *ftw UNUSED)
{
	const char *below = path + strlen(scanning->v2->dir);
	u64 id;

	if (type == FTW_D && !cgroup__id(path, &id))
		add(scanning, id, *below ? below : "/");
	return 0;
}

static void scan(struct cgroup_names *n)
{
	n->scanned = clock__ns(CLOCK_MONOTONIC_COARSE);
	scanning = n;
	nftw(n->v2->dir, add_dir, 32, FTW_PHYS | FTW_MOUNT);
}

/*
 * The watcher's paths count from the kernel's root, so it serves where we see that root too.
 * There is nothing to watch from within a cgroup namespace.
 */
static void watch(struct cgroup_names *n, struct catalog *catalog, struct log *log)
{
	struct err err = {0};

	if (!cgroup_level__namespace_is_initial() || strcmp(n->v2->root, "/"))
		return;
	if (cgroup_watch__open(&n->watch, catalog, add, n, &err))
		log__once(log, LOG_NOTICE, "%s", err.text);
}

int cgroup_names__open(struct cgroup_names **ret, struct catalog *catalog, struct log *log,
		       struct err *err)
{
	struct cgroup_names *n = calloc(1, sizeof(*n));
	int r;

	if (!n)
		return err__set(err, ENOMEM, "names of cgroups: out of memory");
	r = cgroup_mounts__read(&n->mounts, NULL);
	n->v2 = cgroup_mounts__v2(&n->mounts);
	if (!r && !n->v2)
		r = -ENOENT;
	if (r) {
		cgroup_names__close(n);
		return err__set(err, -r, "names of cgroups: %s",
				r == -ENOENT ? "no cgroup2 is mounted here" : strerror(-r));
	}
	/* watched first, so that none falls between the two */
	watch(n, catalog, log);
	scan(n);
	*ret = n;
	return 0;
}

void cgroup_names__close(struct cgroup_names *n)
{
	if (!n)
		return;
	cgroup_watch__close(n->watch);
	cgroup_mounts__free(&n->mounts);
	forget_all(n);
	free(n);
}

void cgroup_names__poll(struct cgroup_names *n)
{
	if (n->watch)
		cgroup_watch__poll(n->watch);
}

static const struct cgroup_name *find(struct cgroup_names *n, u64 id)
{
	struct cgroup_name *at = slot(n->v, n->room, id);

	if (at->id)
		return at;
	cgroup_names__poll(n);
	at = slot(n->v, n->room, id);
	if (!at->id && clock__ns(CLOCK_MONOTONIC_COARSE) - n->scanned >= RESCAN_NS) {
		scan(n);
		at = slot(n->v, n->room, id);
	}
	return at->id ? at : NULL;
}

const char *cgroup_names__path(struct cgroup_names *n, u64 id)
{
	const struct cgroup_name *at = n->room ? find(n, id) : NULL;

	return at ? at->path : NULL;
}

const char *cgroup_names__container(struct cgroup_names *n, u64 id)
{
	const struct cgroup_name *at = n->room ? find(n, id) : NULL;

	return at ? at->container : NULL;
}

u64 cgroup_names__lost(const struct cgroup_names *n)
{
	return n->watch ? cgroup_watch__lost(n->watch) : 0;
}
