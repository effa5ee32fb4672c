/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file world.h - what an expression asks about this machine while it is parsed.
 */
#ifndef TAMIS_FILTER_WORLD_H
#define TAMIS_FILTER_WORLD_H

#include "../base/types.h"

/** Answers may be replaced one by one (tests, containers); NULL: this machine is asked. */
struct expr_world {
	/** First byte of a kernel function and of what follows it. @return 0, -ENOENT, -EPERM */
	int (*function)(void *ctx, const char *name, u64 *start, u64 *end);
	/** The id of a cgroup by its path below the mount. @return 0, -ENOENT */
	int (*cgroup)(void *ctx, const char *path, u64 *id);
	/** The cgroups of a container by name or id, at most @max. @return how many, -ENOENT */
	int (*container)(void *ctx, const char *name, u64 *ids, int max);
	void *ctx;
};

int world__function(const struct expr_world *w, const char *name, u64 *start, u64 *end);
int world__cgroup(const struct expr_world *w, const char *path, u64 *id);
int world__container(const struct expr_world *w, const char *name, u64 *ids, int max);

#endif
