// SPDX-License-Identifier: GPL-2.0-only
/* Names of cgroups: there before, made meanwhile, made and removed before anybody asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/event/catalog.h"
#include "user/scope/cgroup_mounts.h"
#include "user/scope/cgroup_names.h"

static struct cgroup_names *names;
static char top[128], name[64];
static const char *mount;

static int setup(void **state)
{
	struct catalog *catalog;
	struct err err = {0};

	mount = access("/sys/fs/cgroup/cgroup.procs", F_OK) ? "/sys/fs/cgroup/unified" :
							      "/sys/fs/cgroup";
	snprintf(name, sizeof(name), "/tamis-test-%d", getpid());
	snprintf(top, sizeof(top), "%s%s", mount, name);
	assert_int_equal(catalog__open(&catalog, NULL, NULL, &err), 0);
	if (mkdir(top, 0755) || cgroup_names__open(&names, catalog, NULL, &err))
		return -1;
	catalog__close(catalog);
	return 0;
}

static int teardown(void **state)
{
	cgroup_names__close(names);
	return rmdir(top);
}

static u64 make(const char *below, bool keep)
{
	char path[1280];
	u64 id = 0;

	snprintf(path, sizeof(path), "%s/%s", top, below);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(cgroup__id(path, &id), 0);
	if (!keep)
		assert_int_equal(rmdir(path), 0);
	return id;
}

static void path_is(u64 id, const char *below)
{
	char path[1280];

	snprintf(path, sizeof(path), "%s%s", name, below);
	assert_string_equal(cgroup_names__path(names, id), path);
}

static void known(void **state)
{
	u64 id;

	assert_string_equal(cgroup_names__path(names, 1), "/");
	assert_null(cgroup_names__container(names, 1));
	assert_int_equal(cgroup__id(top, &id), 0);
	path_is(id, "");
	assert_null(cgroup_names__path(names, 0x7777777777ull));
}

static void made_and_removed(void **state)
{
	static u64 ids[200];
	char below[32];
	int i;

	for (i = 0; i < 200; i++) {
		snprintf(below, sizeof(below), "short-%d", i);
		ids[i] = make(below, false);
	}
	for (i = 0; i < 200; i++) {
		snprintf(below, sizeof(below), "/short-%d", i);
		path_is(ids[i], below);
	}
	assert_int_equal(cgroup_names__lost(names), 0);
}

static void container(void **state)
{
	u64 id = make("docker-0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9.scope",
		      false);

	assert_string_equal(cgroup_names__container(names, id), "0a1b2c3d4e5f");
}

/* More than the watcher's room: from the tree. */
static void long_path(void **state)
{
	char path[1024] = "", part[252];
	u64 id = 0;
	int i;

	memset(part, 'x', 250);
	part[0] = '/';
	part[250] = 0;
	for (i = 0; i < 3; i++) {
		strcat(path, part);
		id = make(path + 1, true);
	}
	usleep(150000);
	path_is(id, path);
	for (i = 3; i > 0; i--) {
		char full[1280];

		path[i * 250] = 0;
		snprintf(full, sizeof(full), "%s%s", top, path);
		assert_int_equal(rmdir(full), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known),
		cmocka_unit_test(made_and_removed),
		cmocka_unit_test(container),
		cmocka_unit_test(long_path),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
