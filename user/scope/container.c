// SPDX-License-Identifier: GPL-2.0-only
/* container.c - which container the user means. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "cgroup_mounts.h"
#include "container.h"
#include "parts.h"

#define PREFIX_MIN 3 /* digits that may stand for an id */

/* How well it fits; only the best fitting ones count. */
enum fit { FIT_NONE, FIT_PREFIX, FIT_POD_NAME, FIT_NAME, FIT_ID };

static bool is_prefix(const char *text, const char *id)
{
	size_t n = strlen(text), i;

	for (i = 0; i < n; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return n >= PREFIX_MIN && !strncmp(text, id, n);
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool same_uid(const char *text, const char *uid)
{
	for (; *text && *uid; text++, uid++)
		if (*text != *uid && !(*text == '_' && *uid == '-'))
			return false;
	return *text == *uid;
}

static enum fit fit(const struct container *c, const char *text)
{
	if (c->kind == CONTAINER_POD)
		return same_uid(text, c->id) ? FIT_ID
		       : same(c->name, text) ? FIT_POD_NAME
					     : FIT_NONE;
	if (!strcmp(c->id, text))
		return FIT_ID;
	if (same(c->name, text))
		return FIT_NAME;
	return c->kind == CONTAINER_ID && is_prefix(text, c->id) ? FIT_PREFIX : FIT_NONE;
}

static const struct container *with_id(const struct containers *c, enum container_kind kind,
				       const char *id)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->v[i].kind == kind && c->v[i].dir && !strcmp(c->v[i].id, id))
			return &c->v[i];
	return NULL;
}

/* The tree knows where a container is, the state files what it is called. */
static const char *dir_of(const struct containers *all, const struct container *c)
{
	const struct container *running = c->dir ? c : with_id(all, c->kind, c->id);

	return running ? running->dir : NULL;
}

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

/* What was found so far. The same container is seen in the tree, in files, and below itself. */
struct found {
	const struct containers *all;
	const struct container *v[16];
	size_t n;
	enum fit best;
	bool stopped; /* something fits but does not run */
};

static void add(struct found *f, const struct container *c)
{
	const char *dir = dir_of(f->all, c), *other;
	size_t i;

	if (!dir) {
		f->stopped = true;
		return;
	}
	for (i = 0; i < f->n; i++) {
		other = dir_of(f->all, f->v[i]);
		if (is_below(dir, other) && !strcmp(f->v[i]->id, c->id)) {
			/* the one with a name is better to show */
			if (c->name && !f->v[i]->name)
				f->v[i] = c;
			return;
		}
		if (is_below(other, dir) && !strcmp(f->v[i]->id, c->id)) {
			f->v[i] = c;
			return;
		}
	}
	if (f->n < ARRAY_SIZE(f->v))
		f->v[f->n++] = c;
}

static void consider(struct found *f, const struct container *c, enum fit how)
{
	if (how == FIT_NONE || how < f->best)
		return;
	if (how > f->best)
		*f = (struct found){.all = f->all, .best = how};
	add(f, c);
}

/* A pod's name is known from its containers only. */
static void consider_pod(struct found *f, const struct container *c, const char *text)
{
	const struct container *pod;

	if (!same(c->pod, text) || !c->pod_uid)
		return;
	pod = with_id(f->all, CONTAINER_POD, c->pod_uid);
	if (pod)
		consider(f, pod, FIT_POD_NAME);
}

static int ambiguous(const struct found *f, const char *text, struct err *err)
{
	struct strbuf b = {0};
	size_t i;
	int r;

	for (i = 0; i < f->n; i++) {
		const struct container *c = f->v[i];

		strbuf__printf(&b, "\n  %.12s  %s", c->id, c->runtime);
		if (c->name)
			strbuf__printf(&b, "  %s", c->name);
		if (c->pod)
			strbuf__printf(&b, "  pod %s", c->pod);
		strbuf__printf(&b, "  %s", dir_of(f->all, c));
	}
	r = err__usage(err, "--container %s: can be %zu containers; name one by its id:%s", text,
		       f->n, b.s ? b.s : "");
	strbuf__free(&b);
	return r;
}

static int nothing(const struct found *f, const char *text, struct err *err)
{
	if (f->stopped)
		return err__set(err, ENOENT, "--container %s: has no cgroup; is it running?", text);
	return err__set(err, ENOENT,
			"--container %s: no such container in the cgroup tree or in the "
			"state of docker, podman, containerd, cri-o, lxc, runc, crun",
			text);
}

int containers__find(const struct containers *c, const char *text, char **dir, struct err *err)
{
	struct found f = {.all = c};
	size_t i;

	for (i = 0; i < c->n; i++) {
		consider(&f, &c->v[i], fit(&c->v[i], text));
		consider_pod(&f, &c->v[i], text);
	}
	if (!f.n)
		return nothing(&f, text, err);
	if (f.n > 1)
		return ambiguous(&f, text, err);
	*dir = strdup(dir_of(c, f.v[0]));
	return *dir ? 0 : err__set(err, ENOMEM, "--container %s: out of memory", text);
}

/* @return 0: found; -ENOENT: not in this hierarchy, without a message if another may follow */
static int find_in(const char *tree, const char *text, bool last, char **dir, struct err *err)
{
	struct containers all = {0};
	struct err here = {0};
	int r = containers__scan_tree(&all, tree);

	if (!r)
		r = containers__read_state(&all, "", tree);
	if (r)
		r = err__set(err, -r, "--container %s: %s", text, strerror(-r));
	else
		r = containers__find(&all, text, dir, &here);
	if (here.code && (here.code != ENOENT || last))
		*err = here;
	containers__free(&all);
	return r;
}

/* The best hierarchy to look in first; others only where cgroup2 does not have it. */
static int find(const struct cgroup_mounts *mounts, const char *text, char **dir, struct err *err)
{
	static const char *const controllers[] = {"memory", "pids", "cpu", "freezer", "devices"};
	const struct cgroup_mount *v2 = cgroup_mounts__v2(mounts);
	size_t i, j;
	int r = -ENOENT;

	if (v2)
		r = find_in(v2->dir, text, false, dir, err);
	for (i = 0; r == -ENOENT && i < ARRAY_SIZE(controllers); i++)
		for (j = 0; r == -ENOENT && j < mounts->n; j++)
			if (!mounts->v[j].v2 && cgroup_mount__has(&mounts->v[j], controllers[i]))
				r = find_in(mounts->v[j].dir, text, false, dir, err);
	if (r == -ENOENT)
		r = find_in(v2 ? v2->dir : "/sys/fs/cgroup", text, true, dir, err);
	return r;
}

int container__resolve(const char *text, struct scope_cgroup *cg, struct err *err)
{
	_cleanup_free_ char *dir = NULL;
	struct cgroup_mounts mounts;
	int r;

	if (!text[0])
		return err__usage(err, "--container: an id or name is missing");
	r = cgroup_mounts__read(&mounts, NULL);
	r = r ? err__set(err, -r, "/proc/self/mountinfo: %s; is /proc mounted?", strerror(-r))
	      : find(&mounts, text, &dir, err);
	cgroup_mounts__free(&mounts);
	return r ? r : cgroup__resolve(dir, cg, err);
}
