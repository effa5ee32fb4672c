// SPDX-License-Identifier: GPL-2.0-only
/* elf_path.c - where the binary of a probe is, by the rules of the dynamic linker and the shell. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/guard.h"
#include "elf_path.h"

/* Links below another root lead to places below it. */
static int open_in(const char *root, const char *path)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	_cleanup_close_ int dir = -1;
	int fd;

	if (!*root) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

static int open_file(const char *root, const char *path)
{
	_cleanup_close_ int fd = open_in(root, path);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? steal_fd(&fd) : -EISDIR;
}

static int try_path(const char *root, const char *dir, size_t dir_len, const char *name, char *out)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%.*s%s%s", (int)dir_len, dir,
			 dir_len && dir[dir_len - 1] != '/' ? "/" : "", name);

	if (n >= PATH_MAX || snprintf(out, PATH_MAX, "%s%s", root, path) >= PATH_MAX)
		return -ENAMETOOLONG;
	return open_file(root, path);
}

/* Each part of a list like PATH. */
static int try_list(const char *root, const char *list, const char *name, char *out)
{
	const char *end;
	int fd = -ENOENT;

	for (; list && *list; list = *end ? end + 1 : end) {
		end = strchrnul(list, ':');
		if (end > list)
			fd = try_path(root, list, end - list, name, out);
		if (fd >= 0)
			return fd;
	}
	return -ENOENT;
}

/* --- /etc/ld.so.cache, in the format that glibc has written since 2.2 --- */

#define CACHE_MAGIC "glibc-ld.so.cache1.1"

struct cache_head {
	char magic[20];
	u32 nr, strings_size;
	u8 flags, unused_bytes[3];
	u32 extensions, unused[3];
};

struct cache_entry {
	s32 flags;
	u32 name, path; /* from the start of the head */
	u32 os_version;
	u64 hwcap;
};

#ifdef __aarch64__
#define CACHE_FLAGS 0x0a03
#else
#define CACHE_FLAGS 0x0303
#endif

static const char *cache_string(const char *cache, size_t size, u32 at)
{
	return at < size && memchr(cache + at, 0, size - at) ? cache + at : NULL;
}

static const char *search_cache(const char *cache, size_t size, const char *name)
{
	const struct cache_head *head = (const void *)cache;
	const struct cache_entry *e = (const void *)(head + 1);
	const char *key;
	u32 i;

	if (size < sizeof(*head) || memcmp(head->magic, CACHE_MAGIC, sizeof(head->magic)) ||
	    head->nr > (size - sizeof(*head)) / sizeof(*e))
		return NULL;
	for (i = 0; i < head->nr; i++) {
		key = cache_string(cache, size, e[i].name);
		if (e[i].flags == CACHE_FLAGS && key && !strcmp(key, name))
			return cache_string(cache, size, e[i].path);
	}
	return NULL;
}

static int try_cache(const char *root, const char *name, char *out)
{
	_cleanup_close_ int fd = open_file(root, "/etc/ld.so.cache");
	int file = -ENOENT;
	const char *found;
	struct stat st;
	void *cache;

	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return -ENOENT;
	cache = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (cache == MAP_FAILED)
		return -errno;
	found = search_cache(cache, st.st_size, name);
	if (found)
		file = try_path(root, "", 0, found, out);
	munmap(cache, st.st_size);
	return file;
}

/* --- */

#define LIBRARY_DIRS                                                            \
	"/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib:/lib/x86_64-linux-gnu:" \
	"/usr/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu"
#define PROGRAM_DIRS "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

static int try_library(const char *root, const char *name, char *out)
{
	int fd = *root ? -ENOENT : try_list(root, getenv("LD_LIBRARY_PATH"), name, out);

	if (fd < 0)
		fd = try_cache(root, name, out);
	return fd < 0 ? try_list(root, LIBRARY_DIRS, name, out) : fd;
}

int elf_path__open(const char *root, const char *name, char out[PATH_MAX])
{
	const char *path = *root ? NULL : getenv("PATH");
	int fd;

	if (strchr(name, '/'))
		return try_path(*name == '/' ? root : "", "", 0, name, out);
	fd = try_library(root, name, out);
	return fd < 0 ? try_list(root, path ? path : PROGRAM_DIRS, name, out) : fd;
}
