/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file container_path.h - which container a cgroup path is of, by the runtimes' naming.
 */
#ifndef TAMIS_SCOPE_CONTAINER_PATH_H
#define TAMIS_SCOPE_CONTAINER_PATH_H

#include "../base/types.h"

enum container_kind {
	CONTAINER_NONE,
	CONTAINER_ID, /**< docker, podman, containerd, cri-o, runc: a long hexadecimal id */
	CONTAINER_NAME, /**< lxc, systemd-nspawn: its name */
	CONTAINER_POD, /**< Kubernetes: its UID, with dashes */
};

struct container_name {
	enum container_kind kind;
	const char *runtime; /**< "docker", ...; of a bare id: "container" */
	char name[256];
};

#define CONTAINER_SHORT 12 /**< digits of a short id */

/** What one name of a cgroup path says. @parent the name before it, NULL or "": none */
void container_name__parse(const char *component, const char *parent, struct container_name *ret);

/** The innermost container of a path as people write it: short id or name. False: none. */
bool container_path__short(const char *path, char *out, size_t size);

#endif
