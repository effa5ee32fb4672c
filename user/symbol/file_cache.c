// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "elf_store.h"
#include "file_open.h"

#define BUCKETS	   1024
#define UNUSED_MAX 4096	/* mapped files that no process has mapped any more */

struct mapped_file {
	struct mapped_file *next; /* in its bucket */
	struct mapped_file *newer, *older; /* among the unused */
	struct file_key key;
	struct elf_file *elf;	/* last content seen; one reference */
	int refs;
	bool tried, not_elf;
};

struct file_cache {
	struct elf_store *store;
	struct mapped_file *buckets[BUCKETS];
	struct mapped_file unused; /* head of a ring: newer is the oldest of them */
	size_t nr, nr_unused;
};

struct file_cache *file_cache__new(void)
{
	struct file_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->unused.newer = c->unused.older = &c->unused;
	c->store = elf_store__new();
	if (!c->store) {
		free(c);
		return NULL;
	}
	return c;
}

static struct mapped_file **bucket(struct file_cache *c, const struct file_key *key)
{
	u64 h = key->ino * 0x9e3779b97f4a7c15ull ^ key->min ^ (u64)key->maj << 20;

	if (key->build_id.size)
		memcpy(&h, key->build_id.bytes, sizeof(h));
	return &c->buckets[(h ^ h >> 32) % BUCKETS];
}

static void unlink_unused(struct file_cache *c, struct mapped_file *f)
{
	f->newer->older = f->older;
	f->older->newer = f->newer;
	c->nr_unused--;
}

static void drop(struct file_cache *c, struct mapped_file *f)
{
	struct mapped_file **p = bucket(c, &f->key);

	while (*p != f)
		p = &(*p)->next;
	*p = f->next;
	elf_file__put(f->elf);
	free(f);
	c->nr--;
}

void file_cache__free(struct file_cache *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < BUCKETS; i++)
		while (c->buckets[i])
			drop(c, c->buckets[i]);
	elf_store__free(c->store);
	free(c);
}

static bool same_key(const struct file_key *a, const struct file_key *b)
{
	if (a->build_id.size || b->build_id.size)
		return build_id__equal(&a->build_id, &b->build_id);
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min &&
	       a->generation == b->generation;
}

struct mapped_file *mapped_file__ref(struct mapped_file *f)
{
	f->refs++;
	return f;
}

struct mapped_file *file_cache__get(struct file_cache *c, const struct file_key *key)
{
	struct mapped_file **b = bucket(c, key), *f;

	for (f = *b; f; f = f->next)
		if (same_key(&f->key, key))
			break;
	if (!f) {
		f = calloc(1, sizeof(*f));
		if (!f)
			return NULL;
		f->key = *key;
		f->next = *b;
		*b = f;
		c->nr++;
	} else if (!f->refs) {
		unlink_unused(c, f);
	}
	return mapped_file__ref(f);
}

void mapped_file__put(struct file_cache *c, struct mapped_file *f)
{
	if (!f || --f->refs)
		return;
	f->older = c->unused.older;
	f->newer = &c->unused;
	f->older->newer = f->newer->older = f;
	if (++c->nr_unused <= UNUSED_MAX)
		return;
	f = c->unused.newer;
	unlink_unused(c, f);
	drop(c, f);
}

static void look(struct file_cache *c, struct mapped_file *f, const struct file_place *p)
{
	struct stat st;
	int fd = mapped_file__open(&f->key, p, &st);
	struct elf_file *e;

	if (fd < 0)
		return;
	f->tried = true;
	if (f->elf && elf_file__is_version(f->elf, &st)) {
		elf_file__reopen(c->store, f->elf, fd);
		return;
	}
	e = elf_store__adopt(c->store, fd, &st, p);
	f->not_elf = !e;
	elf_file__put(f->elf);
	f->elf = e;
}

struct elf_file *mapped_file__hold(struct file_cache *c, struct mapped_file *f,
				   const struct file_place *p, bool *not_elf)
{
	if (!f->tried || !f->key.build_id.size)
		look(c, f, p);
	*not_elf = f->not_elf;
	return f->elf ? elf_file__ref(f->elf) : NULL;
}

/*
 * A build id says that this is the file that was seen before; a device and inode
 * alone do not: the file may have been written anew, or its number given to another one. Of a
 * process that is gone what was seen in its time is the best there is.
 */
struct elf_file *mapped_file__elf(struct file_cache *c, struct mapped_file *f,
				  const struct file_place *p, bool *not_elf)
{
	bool sure = f->key.build_id.size || !p->pid;

	if (!sure || !f->elf || !elf_file__usable(f->elf))
		look(c, f, p);
	*not_elf = f->not_elf;
	return f->elf ? elf_file__ref(f->elf) : NULL;
}

struct elf_file *file_cache__by_path(struct file_cache *c, const struct file_place *p)
{
	int fd = open_in_root(p->root, p->path, O_RDONLY);
	struct elf_file *e;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		errno = fd < 0 ? -fd : errno;
		return NULL;
	}
	e = elf_store__adopt(c->store, fd, &st, p);
	if (!e)
		errno = ENOEXEC;
	return e;
}

struct elf_file *file_cache__vdso(struct file_cache *c)
{
	return elf_store__vdso(c->store);
}

const struct sym *elf_file__find(struct file_cache *c, struct elf_file *e, u64 vaddr)
{
	return elf_store__find(c->store, e, vaddr);
}

size_t file_cache__nr(const struct file_cache *c)
{
	return c->nr;
}

size_t file_cache__bytes(const struct file_cache *c)
{
	return elf_store__bytes(c->store);
}
