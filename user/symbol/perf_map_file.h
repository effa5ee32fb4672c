/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file perf_map_file.h - one perf map file: opened safely, read as it grows.
 *
 * The file belongs to another process, maybe a hostile one: only regular files of root or of
 * that process's user are read, links are not followed, the size is bounded.
 */
#ifndef TAMIS_SYMBOL_PERF_MAP_FILE_H
#define TAMIS_SYMBOL_PERF_MAP_FILE_H

#include "../base/types.h"
#include "perf_map.h"

#define PERF_MAP_SIZE_MAX (512ull << 20)
#define TAIL_MAX 64

/** A file as it was found before its process wrote to it: a leftover of an older process. */
struct stale_map {
	bool seen;
	u64 dev, ino, size;
	u8 tail[TAIL_MAX];	/**< its last bytes: they tell whether it was written anew */
	u8 tail_len;
};

/** The process whose file it should be. */
struct map_owner {
	u32 pid, uid;
	u64 started;		/**< ns of CLOCK_REALTIME */
};

struct map_file {
	int refs;
	int fd;
	u64 dev, ino;
	u64 base;	/**< where this process's lines begin */
	u64 limit;	/**< where they end; UINT64_MAX: as far as the file goes */
	u64 done;	/**< read up to here */
	u8 tail[TAIL_MAX]; /**< the bytes in front of done */
	u8 tail_len;
	struct perf_map map;
};

/**
 * Opens @name in the directory @dir; @stale is what was there before.
 * @return 0; -ENOENT: there is none; -EPERM and others: refused, the cause in @why (of 96 bytes)
 */
int map_file__open(struct map_file **ret, int dir, const char *name, const struct map_owner *owner,
		   const struct stale_map *stale, char *why);
struct map_file *map_file__ref(struct map_file *f);
/** NULL is fine. */
void map_file__put(struct map_file *f);

/** Reads what was written since. @return whether there was anything */
bool map_file__grow(struct map_file *f);
/** Does @name in @dir name another file by now? */
bool map_file__replaced(const struct map_file *f, int dir, const char *name);
/** The same file as it was when it had @limit bytes: unread, one reference. NULL without memory */
struct map_file *map_file__snapshot(const struct map_file *f, u64 limit);
/** Forgets the lines; growing reads them again. @return 0 or -ENOMEM */
int map_file__forget(struct map_file *f);

/** Notes @name in @dir if it was there before its owner started. */
void stale_map__look(struct stale_map *s, int dir, const char *name, const struct map_owner *owner);
/** @return the size of @name in @dir, 0: none; its identity in @dev, @ino */
u64 map_file__size(int dir, const char *name, u64 *dev, u64 *ino);

#endif
