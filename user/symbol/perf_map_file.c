// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "../base/guard.h"
#include "perf_map_file.h"
#include "proc.h"

#define READ_SIZE  (256u << 10)
#define WHY_MAX	   96
/*
 * Birth times come from a clock that advances in ticks, and lags where the hypervisor takes the
 * CPU away that drives it (80 ms were seen): a file that is born a little before its process is
 * its own, and one that is born earlier if the process holds it open.
 */
#define CLOCK_TICK 60000000ull
#define CLOCK_LAG  1000000000ull
#define OPEN_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

static u64 statx_ns(const struct statx_timestamp *t)
{
	return t->tv_sec * 1000000000ull + t->tv_nsec;
}

static u64 statx_dev(const struct statx *st)
{
	return (u64)st->stx_dev_major << 32 | st->stx_dev_minor;
}

static int stat_at(int dir, const char *name, struct statx *st)
{
	int flags = *name ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH;

	if (statx(dir, name, flags, STATX_BASIC_STATS | STATX_BTIME, st))
		return -errno;
	return 0;
}

/*
 * Written by this process, and by no older one? Without birth times (old
 * file systems) the file's last change must do: one that nobody has touched since is older.
 */
static bool is_own(const struct statx *st, const struct map_owner *o)
{
	u64 t = statx_ns(st->stx_mask & STATX_BTIME ? &st->stx_btime : &st->stx_mtime);

	return t + CLOCK_TICK >= o->started ||
	       (t + CLOCK_LAG >= o->started && proc__holds_open(o->pid, statx_dev(st), st->stx_ino));
}

static u8 read_tail(int fd, u64 size, u8 *tail)
{
	u64 len = size < TAIL_MAX ? size : TAIL_MAX;
	ssize_t n = pread(fd, tail, len, size - len);

	return n < 0 ? 0 : n;
}

void stale_map__look(struct stale_map *s, int dir, const char *name, const struct map_owner *owner)
{
	_cleanup_close_ int fd = -1;
	struct statx st;

	*s = (struct stale_map){0};
	if (stat_at(dir, name, &st) || !S_ISREG(st.stx_mode) || is_own(&st, owner))
		return;
	s->seen = true;
	s->dev = statx_dev(&st);
	s->ino = st.stx_ino;
	s->size = st.stx_size;
	fd = openat(dir, name, OPEN_FLAGS);
	if (fd >= 0)
		s->tail_len = read_tail(fd, s->size, s->tail);
}

u64 map_file__size(int dir, const char *name, u64 *dev, u64 *ino)
{
	struct statx st;

	if (stat_at(dir, name, &st) || !S_ISREG(st.stx_mode))
		return 0;
	*dev = statx_dev(&st);
	*ino = st.stx_ino;
	return st.stx_size;
}

static int refuse(char *why, const char *fmt, unsigned long long n)
{
	snprintf(why, WHY_MAX, fmt, n);
	return -EPERM;
}

static int check(const struct statx *st, const struct map_owner *o, char *why)
{
	if (!S_ISREG(st->stx_mode))
		return refuse(why, "it is not a regular file", 0);
	if (st->stx_uid && st->stx_uid != o->uid)
		return refuse(why, "it belongs to uid %llu, neither root nor the process's user",
			      st->stx_uid);
	if (st->stx_size > PERF_MAP_SIZE_MAX)
		return refuse(why, "it is larger than %llu MiB", PERF_MAP_SIZE_MAX >> 20);
	return 0;
}

/* A file that was cut and written anew since it was seen holds nothing of the older process. */
static bool written_anew(int fd, const struct statx *st, const struct stale_map *s)
{
	u8 tail[TAIL_MAX];
	u8 len;

	if (st->stx_size < s->size)
		return true;
	len = read_tail(fd, s->size, tail);
	return s->tail_len && (len != s->tail_len || memcmp(tail, s->tail, len));
}

/* Of a file that is older than its process. */
static int find_base(int fd, const struct statx *st, const struct stale_map *s, u64 *base, char *why)
{
	if (!s->seen || s->dev != statx_dev(st) || s->ino != st->stx_ino)
		return refuse(why, "it is older than the process", 0);
	*base = written_anew(fd, st, s) ? 0 : s->size;
	return 0;
}

/*
 * The base may be inside of a line that an older process did not finish: from the byte in front
 * of it, everything up to a newline is dropped.
 */
static void from_base(struct map_file *f)
{
	f->done = f->base ? f->base - 1 : 0;
	f->map.skipping = f->base;
	f->tail_len = 0;
}

static struct map_file *new_file(int fd, const struct statx *st, u64 base)
{
	struct map_file *f = calloc(1, sizeof(*f));

	if (!f || perf_map__init(&f->map)) {
		free(f);
		return NULL;
	}
	f->refs = 1;
	f->fd = fd;
	f->dev = statx_dev(st);
	f->ino = st->stx_ino;
	f->base = base;
	f->limit = UINT64_MAX;
	from_base(f);
	return f;
}

int map_file__open(struct map_file **ret, int dir, const char *name, const struct map_owner *owner,
		   const struct stale_map *stale, char *why)
{
	_cleanup_close_ int fd = openat(dir, name, OPEN_FLAGS);
	struct statx st;
	u64 base = 0;
	int err;

	if (fd < 0 && errno == ELOOP)
		return refuse(why, "it is a symbolic link", 0);
	if (fd < 0 || stat_at(fd, "", &st))
		return -errno;
	err = check(&st, owner, why);
	if (!err && !is_own(&st, owner))
		err = find_base(fd, &st, stale, &base, why);
	if (err)
		return err;
	*ret = new_file(fd, &st, base);
	if (!*ret)
		return -ENOMEM;
	steal_fd(&fd);
	return 0;
}

struct map_file *map_file__ref(struct map_file *f)
{
	f->refs++;
	return f;
}

void map_file__put(struct map_file *f)
{
	if (!f || --f->refs)
		return;
	if (f->fd >= 0)
		close(f->fd);
	perf_map__fini(&f->map);
	free(f);
}

static u64 end_of(const struct map_file *f)
{
	struct statx st;
	u64 end;

	if (f->fd < 0 || stat_at(f->fd, "", &st))
		return 0;
	end = st.stx_size < f->limit ? st.stx_size : f->limit;
	return end < PERF_MAP_SIZE_MAX ? end : PERF_MAP_SIZE_MAX;
}

/* The JVM writes its whole map anew each time: what was read is then no beginning of the file. */
static void check_tail(struct map_file *f)
{
	u8 tail[TAIL_MAX];

	if (f->tail_len && (read_tail(f->fd, f->done, tail) != f->tail_len ||
			    memcmp(tail, f->tail, f->tail_len)))
		from_base(f);
}

bool map_file__grow(struct map_file *f)
{
	u64 end = end_of(f), before = f->done;
	_cleanup_free_ char *buf = NULL;
	long used = 1;

	if (!end || end == f->done)
		return false;
	check_tail(f);
	if (end < f->done)
		from_base(f);
	buf = malloc(READ_SIZE);
	while (buf && used > 0 && f->done < end) {
		u64 want = end - f->done < READ_SIZE ? end - f->done : READ_SIZE;
		ssize_t n = pread(f->fd, buf, want, f->done);

		if (n <= 0)
			break;
		used = perf_map__feed(&f->map, buf, n);
		f->done += used > 0 ? used : 0;
	}
	f->tail_len = read_tail(f->fd, f->done, f->tail);
	return f->done != before;
}

bool map_file__replaced(const struct map_file *f, int dir, const char *name)
{
	u64 dev, ino;

	return map_file__size(dir, name, &dev, &ino) && (dev != f->dev || ino != f->ino);
}

struct map_file *map_file__snapshot(const struct map_file *f, u64 limit)
{
	struct map_file *snap = malloc(sizeof(*snap));

	if (!snap)
		return NULL;
	*snap = *f;
	snap->refs = 1;
	snap->limit = limit;
	snap->fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	if (perf_map__init(&snap->map)) {
		close(snap->fd);
		free(snap);
		return NULL;
	}
	from_base(snap);
	return snap;
}

int map_file__forget(struct map_file *f)
{
	perf_map__fini(&f->map);
	from_base(f);
	return perf_map__init(&f->map);
}
