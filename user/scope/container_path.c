// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "container_path.h"

#define ID_LEN	64 /* digits of a container id */
#define UID_LEN 36 /* of a pod: 8-4-4-4-12 digits */

/* What a runtime puts around the id, with the systemd driver and without. */
static const struct {
	const char *prefix, *suffix, *runtime;
} around_id[] = {
	{"docker-", ".scope", "docker"},
	{"libpod-", ".scope", "podman"},
	{"libpod-", "", "podman"},
	{"cri-containerd-", ".scope", "containerd"},
	{"nerdctl-", ".scope", "containerd"},
	{"crio-", ".scope", "cri-o"},
	{"crio-", "", "cri-o"},
	{"", "", "container"},
};

/* What is put around a name: monitors and payloads share a stem, only payloads are containers. */
static const struct {
	const char *prefix, *suffix, *runtime;
} around_name[] = {
	{"lxc.payload.", "", "lxc"},
	{"machine-", ".scope", "systemd-nspawn"},
	{"systemd-nspawn@", ".service", "systemd-nspawn"},
};

/* The length of what is between @prefix and @suffix; 0: @s is not like that. */
static size_t between(const char *s, const char *prefix, const char *suffix)
{
	size_t len = strlen(s), before = strlen(prefix), after = strlen(suffix);

	if (len <= before + after || strncmp(s, prefix, before) || strcmp(s + len - after, suffix))
		return 0;
	return len - before - after;
}

static bool all_hex(const char *s, size_t n)
{
	for (; n; n--, s++)
		if (!isxdigit((unsigned char)*s) || isupper((unsigned char)*s))
			return false;
	return true;
}

static bool parse_id(const char *s, const char *parent, struct container_name *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(around_id); i++) {
		const char *id = s + strlen(around_id[i].prefix);

		if (between(s, around_id[i].prefix, around_id[i].suffix) != ID_LEN ||
		    !all_hex(id, ID_LEN))
			continue;
		ret->kind = CONTAINER_ID;
		ret->runtime = around_id[i].runtime;
		if (!around_id[i].prefix[0] && parent && !strcmp(parent, "docker"))
			ret->runtime = "docker";
		snprintf(ret->name, sizeof(ret->name), "%.*s", ID_LEN, id);
		return true;
	}
	return false;
}

static bool is_uid(const char *s)
{
	int i;

	for (i = 0; i < UID_LEN; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s[i] != '-' && s[i] != '_' : !isxdigit((unsigned char)s[i]))
			return false;
	}
	return true;
}

/* "podUID" or "kubepods-burstable-podU_I_D.slice"; static pods have 32 digits without dashes. */
static bool parse_pod(const char *s, const char *parent, struct container_name *ret)
{
	const char *uid = strstr(s, "pod");
	size_t len, i;

	if (!strncmp(s, "kubepods", 8))
		uid = strstr(s, "-pod") ? strstr(s, "-pod") + 1 : NULL;
	else if (!parent || (strncmp(parent, "kubepods", 8) && strcmp(parent, "burstable") &&
			     strcmp(parent, "besteffort")))
		return false;
	if (!uid || (uid != s && strncmp(s, "kubepods", 8)))
		return false;
	uid += 3;
	len = strcspn(uid, ".");
	if (!(len == UID_LEN && is_uid(uid)) && !(len == 32 && all_hex(uid, 32)))
		return false;
	ret->kind = CONTAINER_POD;
	ret->runtime = "pod";
	for (i = 0; i < len; i++)
		ret->name[i] = uid[i] == '_' ? '-' : uid[i];
	ret->name[len] = 0;
	return true;
}

/* systemd escapes in unit names: "\x2d" is a dash. */
static void copy_unescaped(char *out, size_t size, const char *s, size_t n)
{
	size_t i, at = 0;

	for (i = 0; i < n && at + 1 < size; i++) {
		unsigned int c;

		if (s[i] == '\\' && n - i >= 4 && sscanf(s + i, "\\x%2x", &c) == 1) {
			out[at++] = (char)c;
			i += 3;
		} else {
			out[at++] = s[i];
		}
	}
	out[at] = 0;
}

static bool parse_named(const char *s, const char *parent, struct container_name *ret)
{
	size_t i, n;

	ret->kind = CONTAINER_NAME;
	for (i = 0; i < ARRAY_SIZE(around_name); i++) {
		n = between(s, around_name[i].prefix, around_name[i].suffix);
		if (!n)
			continue;
		ret->runtime = around_name[i].runtime;
		copy_unescaped(ret->name, sizeof(ret->name), s + strlen(around_name[i].prefix), n);
		return true;
	}
	if (parent && (!strcmp(parent, "lxc") || !strcmp(parent, "lxc.payload"))) {
		ret->runtime = "lxc";
		snprintf(ret->name, sizeof(ret->name), "%s", s);
		return true;
	}
	return false;
}

void container_name__parse(const char *component, const char *parent, struct container_name *ret)
{
	*ret = (struct container_name){.runtime = ""};
	if (parse_id(component, parent, ret) || parse_pod(component, parent, ret) ||
	    parse_named(component, parent, ret))
		return;
	ret->kind = CONTAINER_NONE;
}

bool container_path__short(const char *path, char *out, size_t size)
{
	char parent[256] = "", component[256];
	struct container_name name;
	bool found = false;

	while (*path) {
		size_t n = strcspn(path, "/");

		if (n && n < sizeof(component)) {
			memcpy(component, path, n);
			component[n] = 0;
			container_name__parse(component, parent, &name);
			/* the pod is what the innermost container is in, unless there is none */
			if (name.kind == CONTAINER_ID || name.kind == CONTAINER_NAME) {
				found = true;
				snprintf(out, size, "%.*s",
					 name.kind == CONTAINER_ID ? CONTAINER_SHORT : 255,
					 name.name);
			}
			memcpy(parent, component, n + 1);
		}
		path += n + (path[n] == '/');
	}
	return found;
}
