// SPDX-License-Identifier: GPL-2.0-only
/* container_tree.c - the containers that a cgroup tree shows by the names in it. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "container.h"

#define DEPTH_MAX 32

static char *copy(const char *s)
{
	return s ? strdup(s) : NULL;
}

struct container *containers__add(struct containers *c, enum container_kind kind,
				  const char *runtime, const char *id, const char *name)
{
	struct container new = {
		.kind = kind,
		.runtime = runtime,
		.id = copy(id),
		.name = copy(name),
	};

	if ((id && !new.id) || (name && !new.name) || array__push(c->v, c->n, c->room, new)) {
		free(new.id);
		free(new.name);
		return NULL;
	}
	return &c->v[c->n - 1];
}

void containers__free(struct containers *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->v[i].id);
		free(c->v[i].name);
		free(c->v[i].pod);
		free(c->v[i].pod_uid);
		free(c->v[i].dir);
	}
	free(c->v);
	*c = (struct containers){0};
}

static int add_dir(struct containers *c, const char *path, const char *component,
		   const char *parent)
{
	struct container_name name;
	struct container *found;

	container_name__parse(component, parent, &name);
	if (name.kind == CONTAINER_NONE)
		return 0;
	found = containers__add(c, name.kind, name.runtime, name.name,
				name.kind == CONTAINER_NAME ? name.name : NULL);
	if (!found)
		return -ENOMEM;
	found->dir = strdup(path);
	return found->dir ? 0 : -ENOMEM;
}

/* Containers in containers are found too: somebody may mean them. */
static int scan(struct containers *c, const char *path, const char *parent, int depth)
{
	DIR *dir = depth < DEPTH_MAX ? opendir(path) : NULL;
	struct dirent *e;
	int r = 0;

	while (!r && dir && (e = readdir(dir))) {
		char *sub;

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		if (asprintf(&sub, "%s/%s", path, e->d_name) < 0) {
			r = -ENOMEM;
			break;
		}
		r = add_dir(c, sub, e->d_name, parent);
		if (!r)
			r = scan(c, sub, e->d_name, depth + 1);
		free(sub);
	}
	if (dir)
		closedir(dir);
	return r;
}

int containers__scan_tree(struct containers *c, const char *tree)
{
	return scan(c, tree, "", 0);
}
