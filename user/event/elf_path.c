// SPDX-License-Identifier: GPL-2.0-only
/* elf_path.c - where the binary of a probe is, by the rules of the dynamic linker and the shell. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../base/guard.h"
#include "elf_path.h"

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool try_path(const char *root, const char *dir, size_t dir_len, const char *name, char *out)
{
	int n = snprintf(out, PATH_MAX, "%s%.*s%s%s", root, (int)dir_len, dir,
			 dir_len && dir[dir_len - 1] != '/' ? "/" : "", name);

	return n < PATH_MAX && is_file(out);
}

/* Each part of a list like PATH. */
static bool try_list(const char *root, const char *list, const char *name, char *out)
{
	const char *end;

	for (; list && *list; list = *end ? end + 1 : end) {
		end = strchrnul(list, ':');
		if (end > list && try_path(root, list, end - list, name, out))
			return true;
	}
	return false;
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

static bool try_cache(const char *root, const char *name, char *out)
{
	char path[PATH_MAX];
	_cleanup_close_ int fd = -1;
	const char *found;
	struct stat st;
	bool ok = false;
	void *cache;

	snprintf(path, sizeof(path), "%s/etc/ld.so.cache", root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return false;
	cache = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (cache == MAP_FAILED)
		return false;
	found = search_cache(cache, st.st_size, name);
	if (found)
		ok = try_path(root, "", 0, found, out);
	munmap(cache, st.st_size);
	return ok;
}

/* --- */

#define LIBRARY_DIRS                                                            \
	"/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib:/lib/x86_64-linux-gnu:" \
	"/usr/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu"
#define PROGRAM_DIRS "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

static bool try_library(const char *root, const char *name, char *out)
{
	return (!*root && try_list(root, getenv("LD_LIBRARY_PATH"), name, out)) ||
	       try_cache(root, name, out) || try_list(root, LIBRARY_DIRS, name, out);
}

/* A symbolic link below another root would be followed from ours. */
static bool try_absolute(const char *root, const char *name, char *out)
{
	return try_path(root, "", 0, name, out);
}

bool elf_path__find(const char *root, const char *name, char out[PATH_MAX])
{
	const char *path = *root ? NULL : getenv("PATH");

	if (strchr(name, '/'))
		return try_absolute(*name == '/' ? root : "", name, out);
	return try_library(root, name, out) ||
	       try_list(root, path ? path : PROGRAM_DIRS, name, out);
}
