/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file names.h - cgroups and containers that an expression names, as ids of cgroup2.
 */
#ifndef TAMIS_SCOPE_NAMES_H
#define TAMIS_SCOPE_NAMES_H

#include "../base/types.h"

/** @path as --cgroup takes it. @return 0; -ENOENT: there is no such cgroup2 */
int names__cgroup(void *ctx, const char *path, u64 *id);
/**
 * The cgroups of a container as --container takes it: its own and all below, at most @max.
 * @return how many; -ENOENT; -EINVAL: it can be several; -E2BIG: it has more than @max
 */
int names__container(void *ctx, const char *text, u64 *ids, int max);

#endif
