// SPDX-License-Identifier: GPL-2.0-only
/* cgroup_mounts.c - the cgroup hierarchies of this mount namespace. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "cgroup_mounts.h"

/* mountinfo writes blanks and the like as \ooo. */
static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		unsigned int c;

		if (*s == '\\' && sscanf(s + 1, "%3o", &c) == 1 && c < 256) {
			*out++ = (char)c;
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = 0;
}

static int add(struct cgroup_mounts *m, char *root, char *dir, const char *type, const char *opts)
{
	struct cgroup_mount mount = {.v2 = !strcmp(type, "cgroup2")};

	if (!mount.v2 && strcmp(type, "cgroup"))
		return 0;
	unescape(root);
	unescape(dir);
	mount.root = strdup(root);
	mount.dir = strdup(dir);
	mount.opts = strdup(opts);
	if (mount.root && mount.dir && mount.opts && !array__push(m->v, m->n, m->room, mount))
		return 0;
	free(mount.root);
	free(mount.dir);
	free(mount.opts);
	return -ENOMEM;
}

/* "36 25 0:31 ROOT DIR OPTS optional... - TYPE SOURCE SUPEROPTS" */
static int parse_line(struct cgroup_mounts *m, char *line)
{
	char *word[5], *rest, *type, *opts, *save;
	int i;

	rest = strstr(line, " - ");
	if (!rest)
		return 0;
	*rest = 0;
	for (i = 0; i < 5; i++) {
		word[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!word[i])
			return 0;
	}
	type = strtok_r(rest + 3, " ", &save);
	if (!type || !strtok_r(NULL, " ", &save))
		return 0;
	opts = strtok_r(NULL, " \n", &save);
	return add(m, word[3], word[4], type, opts ? opts : "");
}

int cgroup_mounts__read(struct cgroup_mounts *m, const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path ? path : "/proc/self/mountinfo", "re");
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	int r = 0;

	*m = (struct cgroup_mounts){0};
	if (!f)
		return -errno;
	while (!r && getline(&line, &room, f) > 0)
		r = parse_line(m, line);
	return r;
}

void cgroup_mounts__free(struct cgroup_mounts *m)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		free(m->v[i].root);
		free(m->v[i].dir);
		free(m->v[i].opts);
	}
	free(m->v);
	*m = (struct cgroup_mounts){0};
}

const struct cgroup_mount *cgroup_mounts__of(const struct cgroup_mounts *m, const char *path)
{
	const struct cgroup_mount *best = NULL;
	size_t i, len, best_len = 0;

	for (i = 0; i < m->n; i++) {
		len = strlen(m->v[i].dir);
		if (strncmp(path, m->v[i].dir, len) || (path[len] && path[len] != '/'))
			continue;
		/* of mounts on the same directory the last one is seen */
		if (len >= best_len)
			best = &m->v[i];
		if (len > best_len)
			best_len = len;
	}
	return best;
}

const struct cgroup_mount *cgroup_mounts__v2(const struct cgroup_mounts *m)
{
	const struct cgroup_mount *part = NULL;
	size_t i;

	for (i = 0; i < m->n; i++) {
		if (!m->v[i].v2)
			continue;
		if (!strcmp(m->v[i].root, "/"))
			return &m->v[i];
		if (!part)
			part = &m->v[i];
	}
	return part;
}

bool cgroup_mount__has(const struct cgroup_mount *m, const char *controller)
{
	size_t len = strlen(controller);
	const char *s = m->opts;

	while (*s) {
		size_t n = strcspn(s, ",");

		if (n == len && !strncmp(s, controller, n))
			return true;
		s += n + (s[n] == ',');
	}
	return false;
}

int cgroup__id(const char *dir, u64 *id)
{
	struct {
		struct file_handle h;
		u64 id;
	} handle = {.h.handle_bytes = sizeof(u64)};
	struct stat st;
	int mount;

	/* before 5.5 the inode is half of the id only */
	if (!name_to_handle_at(AT_FDCWD, dir, &handle.h, &mount, 0) &&
	    handle.h.handle_bytes == sizeof(u64)) {
		memcpy(id, handle.h.f_handle, sizeof(*id));
		return 0;
	}
	if (stat(dir, &st))
		return -errno;
	*id = st.st_ino;
	return 0;
}

int path__depth(const char *path)
{
	int n = 0;

	for (; *path; path++)
		n += *path != '/' && (path[1] == '/' || !path[1]);
	return n;
}
