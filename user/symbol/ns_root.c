// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "ns_root.h"

#define ROOTS_MAX 128

/* A mount id names a mount for as long as it is held open, which it is. */
struct where {
	u64 mnt, dev, ino;
};

struct held {
	struct ns_root pub; /* first */
	int refs;
	struct where root, maps;
	u64 used;
};

struct ns_roots {
	char *dir;
	struct held **v;
	size_t n, room;
	struct held *own;
	u64 clock;
};

struct ns_roots *ns_roots__new(const char *dir)
{
	struct ns_roots *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->dir = strdup(dir);
	if (r->dir)
		return r;
	free(r);
	return NULL;
}

static void close_dirs(struct held *h)
{
	if (h->pub.root >= 0)
		close(h->pub.root);
	if (h->pub.maps >= 0)
		close(h->pub.maps);
	h->pub.root = h->pub.maps = -1;
}

void ns_roots__free(struct ns_roots *r)
{
	if (!r)
		return;
	while (r->n) {
		close_dirs(r->v[--r->n]);
		free(r->v[r->n]);
	}
	free(r->v);
	free(r->dir);
	free(r);
}

static int where(int fd, struct where *w)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &st))
		return -errno;
	w->mnt = st.stx_mask & STATX_MNT_ID ? st.stx_mnt_id : 0;
	w->dev = (u64)st.stx_dev_major << 32 | st.stx_dev_minor;
	w->ino = st.stx_ino;
	return 0;
}

/* Links are followed as a process with that root would, never out of it. */
static int open_maps(int root, const char *dir)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	long fd = syscall(SYS_openat2, root, dir, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		fd = openat(root, dir + strspn(dir, "/"),
			    O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd;
}

static bool same(const struct where *a, const struct where *b)
{
	return a->mnt == b->mnt && a->dev == b->dev && a->ino == b->ino;
}

static struct held *find(struct ns_roots *r, const struct held *like)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->v[i]->pub.root >= 0 && same(&r->v[i]->root, &like->root) &&
		    same(&r->v[i]->maps, &like->maps))
			return r->v[i];
	return NULL;
}

/* Frees what nobody uses, oldest first; else closes the oldest. */
static void make_room(struct ns_roots *r)
{
	size_t i, unused = r->n, oldest = r->n;

	for (i = 0; i < r->n; i++) {
		struct held *h = r->v[i];

		if (h == r->own || (h->pub.root < 0 && h->refs))
			continue;
		if (oldest == r->n || h->used < r->v[oldest]->used)
			oldest = i;
		if (!h->refs && (unused == r->n || h->used < r->v[unused]->used))
			unused = i;
	}
	if (unused == r->n && oldest == r->n)
		return;
	i = unused < r->n ? unused : oldest;
	close_dirs(r->v[i]);
	if (r->v[i]->refs)
		return;
	free(r->v[i]);
	r->v[i] = r->v[--r->n];
}

static size_t nr_open(const struct ns_roots *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->n; i++)
		n += r->v[i]->pub.root >= 0;
	return n;
}

static struct held *keep(struct ns_roots *r, struct held *fresh)
{
	struct held *h = find(r, fresh);

	if (h) {
		close_dirs(fresh);
		return h;
	}
	if (nr_open(r) >= ROOTS_MAX)
		make_room(r);
	h = malloc(sizeof(*h));
	if (!h || array__push(r->v, r->n, r->room, h)) {
		free(h);
		close_dirs(fresh);
		return NULL;
	}
	*h = *fresh;
	return h;
}

static struct held *open_root(struct ns_roots *r, const char *path)
{
	struct held h = {.pub = {-1, -1}};

	h.pub.root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (h.pub.root < 0 || where(h.pub.root, &h.root)) {
		close_dirs(&h);
		return NULL;
	}
	h.pub.maps = open_maps(h.pub.root, r->dir);
	if (h.pub.maps >= 0)
		where(h.pub.maps, &h.maps);
	return keep(r, &h);
}

struct ns_root *ns_roots__of(struct ns_roots *r, u32 pid)
{
	char path[32];
	struct held *h;

	snprintf(path, sizeof(path), "/proc/%u/root", pid);
	h = open_root(r, path);
	if (!h)
		return NULL;
	h->refs++;
	h->used = ++r->clock;
	return &h->pub;
}

struct ns_root *ns_roots__own(struct ns_roots *r)
{
	if (!r->own)
		r->own = open_root(r, "/");
	return r->own ? &r->own->pub : NULL;
}

struct ns_root *ns_root__ref(struct ns_root *root)
{
	((struct held *)root)->refs++;
	return root;
}

void ns_root__put(struct ns_roots *r, struct ns_root *root)
{
	struct held *h = (struct held *)root;

	if (!h || --h->refs || h->pub.root >= 0)
		return;
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i] == h)
			r->v[i] = r->v[--r->n];
	free(h);
}
