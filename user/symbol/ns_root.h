/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file ns_root.h - the root directories of processes, held open so that files can still be
 * found after their processes have gone.
 *
 * Processes that see the same root and the same directory of perf map files share one. The map
 * directory has a descriptor of its own: when the last process of a mount namespace ends, its
 * mounts come apart and a private /tmp can no longer be reached from the root.
 */
#ifndef TAMIS_SYMBOL_NS_ROOT_H
#define TAMIS_SYMBOL_NS_ROOT_H

#include "../base/types.h"

struct ns_roots;

struct ns_root {
	int root;	/**< O_PATH; negative: closed to stay within bounds */
	int maps;	/**< O_PATH of its directory of perf map files; negative: there is none */
};

/** @dir where perf map files are, below each root: "/tmp" */
struct ns_roots *ns_roots__new(const char *dir);
void ns_roots__free(struct ns_roots *r);
/** @return the root of a running process, one reference; NULL: it has ended */
struct ns_root *ns_roots__of(struct ns_roots *r, u32 pid);
/** tamis's own; no reference. NULL: cannot be opened */
struct ns_root *ns_roots__own(struct ns_roots *r);
struct ns_root *ns_root__ref(struct ns_root *root);
/** NULL is fine. */
void ns_root__put(struct ns_roots *r, struct ns_root *root);

#endif
