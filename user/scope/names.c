// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include "cgroup_mounts.h"
#include "names.h"
#include "parts.h"

int names__cgroup(void *ctx UNUSED, const char *path, u64 *id)
{
	struct scope_cgroup cg = {0};
	struct err err = {0};
	int r = cgroup__resolve(path, &cg, &err);

	if (!r && cg.v1 >= 0)
		r = -ENOENT;
	*id = cg.id;
	free(cg.path);
	return r;
}

/* nftw() passes no context. */
static __thread struct {
	u64 *ids;
	int n, max;
} found;

static int add_dir(const char *path, const struct stat *st UNUSED, int type, struct FTW *ftw UNUSED)
{
	u64 id;

	if (type != FTW_D || cgroup__id(path, &id))
		return 0;
	if (found.n < found.max)
		found.ids[found.n] = id;
	found.n++;
	return 0;
}

int names__container(void *ctx UNUSED, const char *text, u64 *ids, int max)
{
	struct scope_cgroup cg = {0};
	struct err err = {0};
	int r = container__resolve(text, &cg, &err);

	if (!r && cg.v1 >= 0)
		r = -ENOENT;
	if (!r) {
		found.ids = ids;
		found.n = 0;
		found.max = max;
		nftw(cg.path, add_dir, 32, FTW_PHYS | FTW_MOUNT);
	}
	free(cg.path);
	return r ? r : found.n > max ? -E2BIG : found.n;
}
