// SPDX-License-Identifier: GPL-2.0-only
/* elf_debug.c - finds the file that a stripped file's symbols were moved to. */
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <zlib.h>
#include <elfutils/libdwelf.h>
#include "../base/guard.h"
#include "elf_file.h"

#define PATH_ROOM 4096
#define DEBUG_DIR "/usr/lib/debug"

static int open_beneath(int root, const char *path, int flags)
{
	struct open_how how = {.flags = flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS) { /* before 5.6: links could lead out of the root */
		while (*path == '/')
			path++;
		fd = openat(root, path, flags | O_NOFOLLOW);
	}
	return fd < 0 ? -errno : (int)fd;
}

int open_in_root(int root, const char *path, int flags)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	flags |= O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
	if (root < 0)
		fd = open(path, flags);
	else
		fd = open_beneath(root, path, flags);
	if (fd < 0)
		return root < 0 ? -errno : fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return -EINVAL;
	return steal_fd(&fd);
}

static bool has_build_id(int fd, const struct build_id *want)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	struct build_id have = {0};

	if (elf && elf_kind(elf) == ELF_K_ELF)
		elf__build_id(elf, &have);
	elf_end(elf);
	return build_id__equal(&have, want);
}

static bool has_crc(int fd, u32 want)
{
	u32 crc = crc32(0, NULL, 0);
	u8 buf[65536];
	ssize_t n;
	off_t at;

	for (at = 0; (n = pread(fd, buf, sizeof(buf), at)) > 0; at += n)
		crc = crc32(crc, buf, n);
	return !n && crc == want;
}

static int open_by_build_id(int root, const struct build_id *id)
{
	char path[PATH_ROOM];
	int len, fd, i;

	len = snprintf(path, sizeof(path), DEBUG_DIR "/.build-id/%02x/", id->bytes[0]);
	for (i = 1; i < id->size; i++)
		len += snprintf(path + len, sizeof(path) - len, "%02x", id->bytes[i]);
	snprintf(path + len, sizeof(path) - len, ".debug");
	fd = open_in_root(root, path, O_RDONLY);
	if (fd >= 0 && !has_build_id(fd, id)) {
		close(fd);
		fd = -ENOENT;
	}
	return fd;
}

struct link {
	const char *name;
	u32 crc;
	const struct build_id *id;
};

static int try_link(int root, const struct link *l, const char *fmt, int dir_len, const char *dir)
{
	char path[PATH_ROOM];
	int n, fd;

	n = snprintf(path, sizeof(path), fmt, dir_len, dir, l->name);
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open_in_root(root, path, O_RDONLY);
	if (fd >= 0 && !(l->id->size ? has_build_id(fd, l->id) : has_crc(fd, l->crc))) {
		close(fd);
		fd = -ENOENT;
	}
	return fd;
}

/* The three places where gdb looks. */
static int open_by_link(Elf *elf, const struct elf_place *place, const struct build_id *id)
{
	struct link l = {.id = id};
	const char *slash = place->path ? strrchr(place->path, '/') : NULL;
	int fd, len;

	l.name = dwelf_elf_gnu_debuglink(elf, &l.crc);
	if (!l.name || !*l.name || strchr(l.name, '/') || !slash)
		return -ENOENT;
	len = slash - place->path;
	fd = try_link(place->root, &l, "%.*s/.debug/%s", len, place->path);
	if (fd < 0)
		fd = try_link(place->root, &l, DEBUG_DIR "%.*s/%s", len, place->path);
	if (fd < 0)
		fd = try_link(place->root, &l, "%.*s/%s", len, place->path);
	return fd;
}

int elf__open_debug(Elf *elf, const struct elf_place *place)
{
	struct build_id id;
	int fd = -ENOENT;

	elf__build_id(elf, &id);
	if (id.size)
		fd = open_by_build_id(place->root, &id);
	if (fd < 0)
		fd = open_by_link(elf, place, &id);
	/* A build id is proof enough to take the host's copy for a container's file. */
	if (fd < 0 && id.size && place->root >= 0)
		fd = open_by_build_id(-1, &id);
	return fd;
}
