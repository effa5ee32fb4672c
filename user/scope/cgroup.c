// SPDX-License-Identifier: GPL-2.0-only
/* cgroup.c - what --cgroup names: a directory, its id, how deep it is, and in which hierarchy. */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <linux/magic.h>
#include "../base/guard.h"
#include "cgroup_level.h"
#include "cgroup_mounts.h"
#include "cgroup_v1.h"
#include "parts.h"

#define ROOT_ID 1 /* of the root of every hierarchy */

static bool is_cgroup(const char *dir)
{
	struct statfs fs;

	return !statfs(dir, &fs) &&
	       (fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC);
}

/* A hierarchy is often seen from below its root only: in a container, or bind-mounted. */
static int mount_level(const struct cgroup_mount *m, int subsys, int *level, struct err *err)
{
	u64 id;
	int r = cgroup__id(m->dir, &id);

	if (r)
		return err__set(err, -r, "%s: %s", m->dir, strerror(-r));
	*level = 0;
	if (id == ROOT_ID)
		return 0;
	if (cgroup_level__namespace_is_initial()) {
		*level = path__depth(m->root);
		return 0;
	}
	return m->v2 ? cgroup_level__of_own(id, level, err)
		     : cgroup_level__of_own_v1(subsys, id, level, err);
}

static int fill(const char *dir, const struct cgroup_mount *m, struct scope_cgroup *cg,
		struct err *err)
{
	int base, r;

	cg->v1 = -1;
	if (!m->v2) {
		r = cgroup_v1__subsystem(m, dir, &cg->v1, err);
		if (r)
			return r;
	}
	r = cgroup__id(dir, &cg->id);
	if (r)
		return err__set(err, -r, "--cgroup %s: %s", dir, strerror(-r));
	r = mount_level(m, cg->v1, &base, err);
	if (r)
		return r;
	cg->level = base + path__depth(dir + strlen(m->dir));
	cg->path = strdup(dir);
	return cg->path ? 0 : err__set(err, ENOMEM, "--cgroup %s: out of memory", dir);
}

/* v1 hierarchies that have what cgroup2 lacks: the user mixed them up. */
static int not_found(const char *text, const struct cgroup_mounts *mounts,
		     const struct cgroup_mount *v2, struct err *err)
{
	_cleanup_free_ char *other = NULL;
	size_t i;

	for (i = 0; i < mounts->n && text[0]; i++) {
		free(other);
		other = NULL;
		if (mounts->v[i].v2)
			continue;
		if (asprintf(&other, "%s/%s", mounts->v[i].dir, text + strspn(text, "/")) < 0)
			return err__set(err, ENOMEM, "--cgroup %s: out of memory", text);
		if (is_cgroup(other))
			return err__set(err, ENOENT,
					"--cgroup %s: no such cgroup below %s, but a v1 "
					"controller has one: --cgroup %s",
					text, v2->dir, other);
	}
	return err__set(err, ENOENT, "--cgroup %s: no such cgroup below %s", text, v2->dir);
}

/* nftw() passes no context. */
static __thread u64 wanted_id;
static __thread char *found_path;

static int compare_id(const char *path, const struct stat *st UNUSED, int type,
		      struct FTW *ftw UNUSED)
{
	u64 id;

	if (type != FTW_D || cgroup__id(path, &id) || id != wanted_id)
		return 0;
	found_path = strdup(path);
	return 1;
}

static char *find_id(const char *top, u64 id)
{
	wanted_id = id;
	found_path = NULL;
	nftw(top, compare_id, 32, FTW_PHYS | FTW_MOUNT);
	return found_path;
}

/* @return a path that may exist, allocated; NULL: out of memory */
static char *candidate(const char *text, const struct cgroup_mounts *mounts,
		       const struct cgroup_mount *v2)
{
	char *end, *path;
	u64 id = strtoull(text, &end, 10);

	if (text[0] && !*end && text[0] != '-') {
		path = find_id(v2->dir, id);
		if (path)
			return path;
	}
	/* "/" and a path as /proc/PID/cgroup shows it count from the top of cgroup2 */
	if (text[0] == '/' && text[1] && cgroup_mounts__of(mounts, text))
		return strdup(text);
	return asprintf(&path, "%s/%s", v2->dir, text + strspn(text, "/")) < 0 ? NULL : path;
}

static int resolve(const char *text, const struct cgroup_mounts *mounts, struct scope_cgroup *cg,
		   struct err *err)
{
	static const struct cgroup_mount nowhere = {.dir = "/sys/fs/cgroup"};
	const struct cgroup_mount *v2 = cgroup_mounts__v2(mounts), *m;
	_cleanup_free_ char *path = candidate(text, mounts, v2 ? v2 : &nowhere);
	_cleanup_free_ char *real = path ? realpath(path, NULL) : NULL;

	if (!v2 && (text[0] != '/' || !real || !is_cgroup(real)))
		return err__set(
			err, ENOENT,
			"--cgroup %s: no cgroup2 is mounted here; mount -t "
			"cgroup2 none /sys/fs/cgroup, or give the path of a v1 controller's "
			"cgroup",
			text);
	if (!real || !is_cgroup(real))
		return not_found(text, mounts, v2, err);
	m = cgroup_mounts__of(mounts, real);
	if (!m)
		return err__set(err, ENOENT, "--cgroup %s: %s is on no cgroup mount", text, real);
	return fill(real, m, cg, err);
}

int cgroup__resolve(const char *text, struct scope_cgroup *cg, struct err *err)
{
	struct cgroup_mounts mounts;
	int r;

	if (!text[0])
		return err__usage(err, "--cgroup: a path or id is missing");
	r = cgroup_mounts__read(&mounts, NULL);
	if (r)
		r = err__set(err, -r, "/proc/self/mountinfo: %s; is /proc mounted?", strerror(-r));
	else
		r = resolve(text, &mounts, cg, err);
	cgroup_mounts__free(&mounts);
	return r;
}

bool cgroup__alive(const struct scope_cgroup *cg)
{
	u64 id;

	return !cgroup__id(cg->path, &id) && id == cg->id;
}
