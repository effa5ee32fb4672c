// SPDX-License-Identifier: GPL-2.0-only
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/types.h"
#include "data_dirs.h"

static bool is_dir(const char *path)
{
	return !access(path, X_OK);
}

static const char *below(const char *dir, const char *tail, const char *sub, char *out, size_t room)
{
	if ((size_t)snprintf(out, room, "%s%s/%s", dir, tail, sub) >= room)
		return NULL;
	return is_dir(out) ? out : NULL;
}

const char *data_dir(const char *sub, char *out, size_t room)
{
	static const char *const tails[] = {"/../python", "/../../python", "/../share/tamis"};
	const char *env = getenv("TAMIS_DATA");
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	size_t i;

	if (env && below(env, "", sub, out, room))
		return out;
	if (n <= 0)
		return NULL;
	exe[n] = 0;
	slash = strrchr(exe, '/');
	if (!slash)
		return NULL;
	*slash = 0;
	for (i = 0; i < ARRAY_SIZE(tails); i++)
		if (below(exe, tails[i], sub, out, room))
			return out;
	return NULL;
}

const char *user_dir(const char *sub, char *out, size_t room)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config)
		return below(config, "/tamis", sub, out, room);
	return home && *home ? below(home, "/.config/tamis", sub, out, room) : NULL;
}
