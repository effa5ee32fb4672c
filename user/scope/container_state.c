// SPDX-License-Identifier: GPL-2.0-only
/*
 * container_state.c - what runtimes keep on disk: names, and cgroups that do not show the id.
 *
 * Every file is read for itself. One that is gone, unreadable or not understood is skipped: the
 * ids in the cgroup tree are still there.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "../base/guard.h"
#include "../base/json.h"
#include "../base/types.h"
#include "container.h"

#define FILE_MAX (4u << 20)

/* A file while it is read. */
struct state {
	struct containers *found;
	const char *tree;
	const char *runtime;
	struct container *now; /* what is being described; NULL: nothing yet */
	size_t element; /* in a file of many */
	int err;
};

static char *read_file(const char *path, size_t *len)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *text = NULL;
	struct stat st;

	if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return NULL;
	*len = fread(text, 1, (size_t)st.st_size, f);
	text[*len] = 0;
	return_ptr(text);
}

static void set(struct state *s, char **field, const char *value)
{
	free(*field);
	*field = strdup(value);
	if (!*field)
		s->err = -ENOMEM;
}

static void begin(struct state *s, const char *id)
{
	s->now = containers__add(s->found, CONTAINER_ID, s->runtime, id, NULL);
	if (!s->now)
		s->err = -ENOMEM;
}

/* "k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT", as kubelets name containers of docker and cri-o. */
static void set_name(struct state *s, const char *name)
{
	char copy[512], *part[6], *save, *at = copy;
	int n;

	name += *name == '/';
	set(s, &s->now->name, name);
	snprintf(copy, sizeof(copy), "%s", name);
	for (n = 0; n < 6; n++, at = NULL) {
		part[n] = strtok_r(at, "_", &save);
		if (!part[n])
			return;
	}
	if (strcmp(part[0], "k8s"))
		return;
	set(s, &s->now->pod, part[2]);
	set(s, &s->now->pod_uid, part[4]);
	/* POD is the container that only holds the pod's namespaces */
	if (strcmp(part[1], "POD"))
		set(s, &s->now->name, part[1]);
}

static bool on_top(const struct json_value *v, const char *key, int depth)
{
	return v->depth == depth && !strcmp(v->key, key);
}

static int docker(void *ctx, const struct json_value *v)
{
	struct state *s = ctx;

	if (s->now && on_top(v, "Name", 1))
		set_name(s, v->text);
	return s->err;
}

/* One array for all, so the id tells where the next begins. Names follow it. */
static int podman(void *ctx, const struct json_value *v)
{
	struct state *s = ctx;

	if (on_top(v, "id", 2))
		begin(s, v->text);
	else if (s->now && v->depth == 3 && !strcmp(v->parent, "names"))
		set_name(s, v->text);
	return s->err;
}

/* "/path", or for systemd "slice:prefix:name". */
static void set_cgroup(struct state *s, const char *path)
{
	_cleanup_free_ char *full = NULL;
	size_t n = strlen(s->tree);
	struct stat st;

	if (path[0] != '/' || s->now->dir)
		return;
	if (!strncmp(path, s->tree, n) && path[n] == '/')
		full = strdup(path);
	else if (asprintf(&full, "%s%s", s->tree, path) < 0)
		full = NULL;
	if (full && !stat(full, &st))
		set(s, &s->now->dir, full);
}

static int containerd(void *ctx, const struct json_value *v)
{
	struct state *s = ctx;

	if (on_top(v, "cgroupsPath", 2))
		set_cgroup(s, v->text);
	if (strcmp(v->parent, "annotations"))
		return s->err;
	if (!strcmp(v->key, "io.kubernetes.cri.container-name") || !strcmp(v->key, "nerdctl/name"))
		set(s, &s->now->name, v->text);
	else if (!strcmp(v->key, "io.kubernetes.cri.sandbox-name"))
		set(s, &s->now->pod, v->text);
	else if (!strcmp(v->key, "io.kubernetes.cri.sandbox-uid"))
		set(s, &s->now->pod_uid, v->text);
	return s->err;
}

/* The id is the name that the user gave. On a hybrid system "" is cgroup2. */
static int runc(void *ctx, const struct json_value *v)
{
	struct state *s = ctx;

	if (!strcmp(v->parent, "cgroup_paths") && v->depth == 2)
		set_cgroup(s, v->text);
	return s->err;
}

static int crun(void *ctx, const struct json_value *v)
{
	struct state *s = ctx;

	if (on_top(v, "cgroup-path", 1))
		set_cgroup(s, v->text);
	return s->err;
}

static const struct {
	const char *files; /* a glob below the root */
	const char *runtime;
	int (*fn)(void *ctx, const struct json_value *v);
	bool id_is_directory; /* the file's directory is called like the container */
	bool id_is_name;
} readers[] = {
	{"/var/lib/docker/containers/*/config.v2.json", "docker", docker, true, false},
	{"/var/lib/containers/storage/*-containers/containers.json", "podman", podman, false,
	 false},
	{"/home/*/.local/share/containers/storage/*-containers/containers.json", "podman", podman,
	 false, false},
	{"/run/containerd/io.containerd.runtime.v2.task/*/*/config.json", "containerd", containerd,
	 true, false},
	{"/run/runc/*/state.json", "runc", runc, true, true},
	{"/run/user/*/runc/*/state.json", "runc", runc, true, true},
	{"/run/crun/*/status", "crun", crun, true, true},
	{"/run/user/*/crun/*/status", "crun", crun, true, true},
};

/* "/a/ID/file" -> "ID" */
static char *directory_name(const char *path)
{
	const char *end = strrchr(path, '/'), *at = end;

	while (at > path && at[-1] != '/')
		at--;
	return strndup(at, (size_t)(end - at));
}

static int read_one(struct state *s, const char *path, size_t reader)
{
	_cleanup_free_ char *id = directory_name(path), *text = NULL;
	size_t len;

	if (!id)
		return -ENOMEM;
	text = read_file(path, &len);
	if (!text)
		return 0;
	s->now = NULL;
	s->runtime = readers[reader].runtime;
	if (readers[reader].id_is_directory)
		begin(s, id);
	if (s->now && readers[reader].id_is_name)
		set(s, &s->now->name, id);
	if (!s->err)
		json__each(text, len, readers[reader].fn, s);
	return s->err;
}

int containers__read_state(struct containers *c, const char *root, const char *tree)
{
	struct state s = {.found = c, .tree = tree};
	size_t i, j;

	for (i = 0; !s.err && i < ARRAY_SIZE(readers); i++) {
		_cleanup_free_ char *pattern = NULL;
		glob_t files;

		if (asprintf(&pattern, "%s%s", root, readers[i].files) < 0)
			return -ENOMEM;
		if (glob(pattern, GLOB_NOSORT, NULL, &files))
			continue;
		for (j = 0; !s.err && j < files.gl_pathc; j++)
			s.err = read_one(&s, files.gl_pathv[j], i);
		globfree(&files);
	}
	return s.err;
}
