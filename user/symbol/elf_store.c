// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "elf_store.h"

#define BYTES_MAX (256u << 20)	/* of symbols in memory */
#define FILES_MAX 4096
#define FDS_MAX	  192
#define VDSO_MAX  65536

enum state { UNREAD, READ, DROPPED };

struct elf_file {
	int refs; /* one is the store's */
	u64 used;
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	struct build_id build_id;
	struct elf_segments segments;
	struct symtab symbols;
	size_t bytes; /* of the symbols, as they were counted */
	enum state state;
	int fd;
	int root; /* duplicate, until the symbols are read: debug files are looked for there */
	char *path;
	const void *image; /* the vdso's bytes */
};

struct elf_store {
	struct elf_file **v;
	size_t n, room;
	struct elf_file *vdso;
	u64 clock;
	size_t bytes, nr_fds, max_fds;
};

struct elf_store *elf_store__new(void)
{
	struct elf_store *s = calloc(1, sizeof(*s));
	struct rlimit lim;

	if (!s)
		return NULL;
	elf_version(EV_CURRENT);
	s->max_fds = FDS_MAX;
	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur / 4 < FDS_MAX)
		s->max_fds = lim.rlim_cur / 4;
	return s;
}

static void close_fd(struct elf_store *s, struct elf_file *e)
{
	if (e->fd >= 0) {
		close(e->fd);
		s->nr_fds--;
	}
	if (e->root >= 0)
		close(e->root);
	e->fd = e->root = -1;
}

static void drop_symbols(struct elf_store *s, struct elf_file *e)
{
	s->bytes -= e->bytes;
	symtab__free(&e->symbols);
	e->state = DROPPED;
}

struct elf_file *elf_file__ref(struct elf_file *e)
{
	e->refs++;
	return e;
}

void elf_file__put(struct elf_file *e)
{
	if (!e || --e->refs)
		return;
	symtab__free(&e->symbols);
	free(e->segments.v);
	free(e->path);
	free(e);
}

static void forget(struct elf_store *s, size_t i)
{
	struct elf_file *e = s->v[i];

	close_fd(s, e);
	if (e->state == READ)
		drop_symbols(s, e);
	s->v[i] = s->v[--s->n];
	elf_file__put(e);
}

void elf_store__free(struct elf_store *s)
{
	while (s->n)
		forget(s, s->n - 1);
	free(s->v);
	free(s);
}

/* Oldest first; only files that @may accepts. */
static ssize_t oldest(const struct elf_store *s, bool (*may)(const struct elf_file *e))
{
	ssize_t best = -1;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (may(s->v[i]) && (best < 0 || s->v[i]->used < s->v[best]->used))
			best = i;
	return best;
}

static bool nobody_has_it(const struct elf_file *e)
{
	return e->refs == 1 && !e->image;
}

static bool has_spare_fd(const struct elf_file *e)
{
	return e->fd >= 0 && e->state == READ;
}

static bool has_fd(const struct elf_file *e)
{
	return e->fd >= 0;
}

static bool has_symbols(const struct elf_file *e)
{
	return e->state == READ && e->symbols.n && !e->image;
}

static void make_room(struct elf_store *s)
{
	ssize_t i;

	while (s->n >= FILES_MAX && (i = oldest(s, nobody_has_it)) >= 0)
		forget(s, i);
	while (s->nr_fds >= s->max_fds) {
		i = oldest(s, has_spare_fd);
		if (i < 0)
			i = oldest(s, has_fd);
		if (i < 0)
			break;
		close_fd(s, s->v[i]);
	}
}

static void bound_bytes(struct elf_store *s, const struct elf_file *in_use)
{
	ssize_t i;

	while (s->bytes > BYTES_MAX && (i = oldest(s, has_symbols)) >= 0 && s->v[i] != in_use)
		drop_symbols(s, s->v[i]);
}

bool elf_file__is_version(const struct elf_file *e, const struct stat *st)
{
	return e->dev == st->st_dev && e->ino == st->st_ino && e->size == st->st_size &&
	       e->mtime.tv_sec == st->st_mtim.tv_sec && e->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

void elf_file__reopen(struct elf_store *s, struct elf_file *e, int fd)
{
	if (e->fd >= 0 || e->state == READ) {
		close(fd);
		return;
	}
	make_room(s);
	e->fd = fd;
	e->state = UNREAD;
	s->nr_fds++;
}

static struct elf_file *known(struct elf_store *s, const struct stat *st, const struct build_id *id)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		struct elf_file *e = s->v[i];

		if (e->image)
			continue;
		if (id->size ? e->size == st->st_size && build_id__equal(&e->build_id, id)
			     : elf_file__is_version(e, st))
			return e;
	}
	return NULL;
}

static struct elf_file *insert(struct elf_store *s, struct elf_file *from)
{
	struct elf_file *e = malloc(sizeof(*e));

	if (!e)
		return NULL;
	*e = *from;
	e->refs = 1;
	if (!array__push(s->v, s->n, s->room, e))
		return elf_file__ref(e);
	free(e);
	return NULL;
}

static struct elf_file *add_new(struct elf_store *s, int fd, const struct stat *st,
				const struct file_place *p, struct elf_file *from)
{
	struct elf_file *e;

	make_room(s);
	from->dev = st->st_dev;
	from->ino = st->st_ino;
	from->size = st->st_size;
	from->mtime = st->st_mtim;
	from->fd = fd;
	from->root = p->root >= 0 ? fcntl(p->root, F_DUPFD_CLOEXEC, 0) : -1;
	from->path = p->path ? strdup(p->path) : NULL;
	e = insert(s, from);
	if (e) {
		s->nr_fds++;
		return e;
	}
	if (from->root >= 0)
		close(from->root);
	free(from->path);
	return NULL;
}

struct elf_file *elf_store__adopt(struct elf_store *s, int fd, const struct stat *st,
				  const struct file_place *p)
{
	struct elf_file fresh = {.fd = -1, .root = -1}, *e = NULL;
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	int ret = elf ? elf__segments(elf, &fresh.segments) : -ENOEXEC;

	if (!ret)
		elf__build_id(elf, &fresh.build_id);
	elf_end(elf);
	if (!ret)
		e = known(s, st, &fresh.build_id);
	if (e) {
		free(fresh.segments.v);
		elf_file__reopen(s, e, fd);
		return elf_file__ref(e);
	}
	if (!ret)
		e = add_new(s, fd, st, p, &fresh);
	if (!e) {
		free(fresh.segments.v);
		close(fd);
	}
	return e;
}

struct elf_file *elf_store__vdso(struct elf_store *s)
{
	const void *image = (void *)getauxval(AT_SYSINFO_EHDR);
	struct elf_file fresh = {.fd = -1, .root = -1, .image = image};
	const Elf64_Ehdr *eh = image;
	Elf *elf;

	if (s->vdso || !image)
		return s->vdso ? elf_file__ref(s->vdso) : NULL;
	fresh.size = eh->e_shoff + (u64)eh->e_shnum * eh->e_shentsize;
	if (fresh.size > VDSO_MAX)
		return NULL;
	elf = elf_memory((char *)image, fresh.size);
	if (elf && !elf__segments(elf, &fresh.segments))
		s->vdso = insert(s, &fresh);
	elf_end(elf);
	return s->vdso;
}

/*
 * Written anew in place since it was opened? Then what it says now is of another program. A build
 * id tells for sure; a time of change alone may be that of a touch(1), but a name too few is
 * better than a wrong one.
 */
static bool has_changed(const struct elf_file *e, Elf *elf)
{
	struct build_id now;
	struct stat st;

	if (e->build_id.size) {
		elf__build_id(elf, &now);
		return !build_id__equal(&now, &e->build_id);
	}
	return fstat(e->fd, &st) || !elf_file__is_version(e, &st);
}

static Elf *begin(const struct elf_file *e)
{
	Elf *elf;

	if (e->image)
		return elf_memory((char *)e->image, e->size);
	elf = elf_begin(e->fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && !has_changed(e, elf))
		return elf;
	elf_end(elf);
	return NULL;
}

static void read_symbols(struct elf_store *s, struct elf_file *e)
{
	struct elf_place place = {e->root, e->path};
	Elf *elf = begin(e);

	if (elf)
		elf__load_symbols(elf, &place, &e->symbols);
	elf_end(elf);
	e->state = READ;
	if (e->root >= 0)
		close(e->root);
	e->root = -1;
	e->bytes = symtab__bytes(&e->symbols) + e->symbols.n * sizeof(char *);
	s->bytes += e->bytes;
	bound_bytes(s, e);
}

bool elf_file__usable(const struct elf_file *e)
{
	return e->state == READ || e->fd >= 0 || e->image;
}

const struct sym *elf_store__find(struct elf_store *s, struct elf_file *e, u64 vaddr)
{
	e->used = ++s->clock;
	if (e->state != READ && elf_file__usable(e))
		read_symbols(s, e);
	return symtab__find(&e->symbols, vaddr);
}

bool elf_file__vaddr(const struct elf_file *e, u64 offset, u64 *vaddr)
{
	return elf_segments__vaddr(&e->segments, offset, vaddr);
}

struct symtab *elf_file__symtab(struct elf_file *e)
{
	return &e->symbols;
}

int elf_file__fd(const struct elf_file *e)
{
	return e->fd;
}

const void *elf_file__image(const struct elf_file *e, size_t *size)
{
	*size = e->size;
	return e->image;
}

size_t elf_store__bytes(const struct elf_store *s)
{
	return s->bytes;
}
