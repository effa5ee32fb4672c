/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file container.h - finds containers: in the cgroup tree, and in what runtimes keep on disk.
 */
#ifndef TAMIS_SCOPE_CONTAINER_H
#define TAMIS_SCOPE_CONTAINER_H

#include "../base/err.h"
#include "container_path.h"

/** One container or pod. All strings are owned. */
struct container {
	enum container_kind kind;
	const char *runtime;
	char *id; /**< of a pod its UID; of lxc and systemd-nspawn the name */
	char *name; /**< as the user gave it; NULL: not known */
	char *pod, *pod_uid; /**< Kubernetes; NULL: not known */
	char *dir; /**< its cgroup's directory; NULL: not running */
};

struct containers {
	struct container *v;
	size_t n, room;
};

/** Appends. Strings are copied, NULL is fine. @return NULL: out of memory */
struct container *containers__add(struct containers *c, enum container_kind kind,
				  const char *runtime, const char *id, const char *name);
void containers__free(struct containers *c);

/** All that the cgroup directory @tree holds. */
int containers__scan_tree(struct containers *c, const char *tree);
/** All that runtimes keep on disk below @root ("" for the real one); cgroups are of @tree. */
int containers__read_state(struct containers *c, const char *root, const char *tree);

/**
 * The cgroup directory of what the user called @text: an id or the beginning of one, a name, a
 * pod's UID or name. @return 0 with *dir allocated; an error that lists what it could be
 */
int containers__find(const struct containers *c, const char *text, char **dir, struct err *err);

#endif
