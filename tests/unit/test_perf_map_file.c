// SPDX-License-Identifier: GPL-2.0-only
/* Whose a perf map file is: born with its process, before it, or by a clock that lags. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/symbol/perf_map_file.h"

#define NAME "perf-1.map"
#define MS   1000000ll

static const struct stale_map unseen;
static char dir_path[] = "/tmp/tamis-test-XXXXXX";
static int dir;

static int write_map(const char *text, int flags)
{
	int fd = openat(dir, NAME, O_WRONLY | O_CREAT | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

/* This process, as if it had started that much later than now. */
static struct map_owner owner(long long ns)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (struct map_owner){.pid = getpid(),
				  .uid = getuid(),
				  .started = t.tv_sec * 1000000000ull + t.tv_nsec + ns};
}

/* @return the first byte that is read of it; -1: refused */
static long long base_of(const struct map_owner *o, const struct stale_map *stale)
{
	char why[96] = "";
	struct map_file *f;
	long long base;
	int ret = map_file__open(&f, dir, NAME, o, stale, why);

	if (ret) {
		assert_int_equal(ret, -EPERM);
		assert_string_equal(why, "it is older than the process");
		return -1;
	}
	base = f->base;
	map_file__put(f);
	return base;
}

static void clock_that_lags(void **state)
{
	int fd = write_map("1000 10 f\n", 0);
	struct map_owner with = owner(-MS), tick = owner(5 * MS), lag = owner(100 * MS),
			 older = owner(2000 * MS);

	assert_int_equal(base_of(&with, &unseen), 0);
	assert_int_equal(base_of(&lag, &unseen), 0);
	assert_int_equal(base_of(&older, &unseen), -1);
	close(fd);
	lag.pid = getppid(); /* who does not hold it; this process does while it reads */
	assert_int_equal(base_of(&tick, &unseen), 0);
	assert_int_equal(base_of(&lag, &unseen), -1);
}

static void appended_to_a_leftover(void **state)
{
	struct map_owner older = owner(1000 * MS);
	struct stale_map stale;

	close(write_map("1000 10 old\n", 0));
	stale_map__look(&stale, dir, NAME, &older);
	assert_true(stale.seen);
	close(write_map("2000 10 new\n", O_APPEND));
	assert_int_equal(base_of(&older, &stale), 12);
	close(write_map("1000 10 anew\n2000 10 new\n", O_TRUNC));
	assert_int_equal(base_of(&older, &stale), 0);
}

static int set_up(void **state)
{
	dir = mkdtemp(dir_path) ? open(dir_path, O_RDONLY | O_DIRECTORY) : -1;
	return dir < 0;
}

static int clear(void **state)
{
	return unlinkat(dir, NAME, 0);
}

static int tear_down(void **state)
{
	close(dir);
	return rmdir(dir_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(clock_that_lags, clear),
		cmocka_unit_test_teardown(appended_to_a_leftover, clear),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
