// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "../base/guard.h"
#include "file_open.h"

#define DELETED " (deleted)"

size_t path__without_deleted(const char *path)
{
	size_t len = strlen(path), cut = sizeof(DELETED) - 1;

	return len > cut && !strcmp(path + len - cut, DELETED) ? len - cut : len;
}

static bool same_build_id(int fd, const struct build_id *want)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	struct build_id have = {0};

	if (elf && elf_kind(elf) == ELF_K_ELF)
		elf__build_id(elf, &have);
	elf_end(elf);
	return build_id__equal(&have, want);
}

/*
 * Some file systems (btrfs, overlayfs) show another device in stat() than in the mapping; theirs
 * have major number 0, and the inode number decides, but where the root is a guess.
 */
static bool is_wanted(int fd, const struct file_key *key, bool guess, struct stat *st)
{
	if (fstat(fd, st))
		return false;
	if (key->build_id.size)
		return same_build_id(fd, &key->build_id);
	if (st->st_ino != key->ino)
		return false;
	return (!major(st->st_dev) && !guess) ||
	       (major(st->st_dev) == key->maj && minor(st->st_dev) == key->min);
}

static int checked(int fd, const struct file_key *key, bool guess, struct stat *st)
{
	if (fd >= 0 && !is_wanted(fd, key, guess, st)) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

static int open_map_file(const struct file_place *p)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", p->pid,
		 (unsigned long long)p->start, (unsigned long long)p->end);
	return open_in_root(-1, path, O_RDONLY);
}

/* Of a process that was gone before it was looked at the root is not known: maybe it is our own. */
int mapped_file__open(const struct file_key *key, const struct file_place *p, struct stat *st)
{
	bool guess = p->root < 0;
	char path[PATH_MAX];
	size_t len;
	int fd = -ENOENT;

	if (p->pid)
		fd = checked(open_map_file(p), key, false, st);
	if (fd >= 0 || !p->path || p->path[0] != '/')
		return fd;
	len = path__without_deleted(p->path);
	if (len < sizeof(path)) {
		memcpy(path, p->path, len);
		path[len] = 0;
		fd = checked(open_in_root(p->root, path, O_RDONLY), key, guess, st);
	}
	if (fd < 0 && p->path[len])
		fd = checked(open_in_root(p->root, p->path, O_RDONLY), key, guess, st);
	return fd;
}
