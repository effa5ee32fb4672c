// SPDX-License-Identifier: GPL-2.0-only
/* venv.c - virtual environments: found, and checked to be of the Python that tamis has. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "embed.h"

static bool is_key(const char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncasecmp(line, key, n))
		return false;
	return line[n + strspn(line + n, " \t")] == '=';
}

/* The version that pyvenv.cfg tells: venv writes "version", virtualenv and uv "version_info". */
static int read_version(FILE *cfg, int *major, int *minor)
{
	char line[512];

	while (fgets(line, sizeof(line), cfg)) {
		if (!is_key(line, "version") && !is_key(line, "version_info"))
			continue;
		if (sscanf(strchr(line, '=') + 1, " %d.%d", major, minor) == 2)
			return 0;
	}
	return -ENOENT;
}

static int check_version(const char *dir, FILE *cfg, struct err *err)
{
	int major, minor;

	if (read_version(cfg, &major, &minor))
		return err__set(err, EINVAL, "%s/pyvenv.cfg does not say its Python version", dir);
	if (major == PY_MAJOR_VERSION && minor == PY_MINOR_VERSION)
		return 0;
	return err__set(err, EINVAL,
			"the virtual environment %s is for Python %d.%d, and this tamis has Python "
			"%d.%d; leave it (unset VIRTUAL_ENV), use one of Python %d.%d, or build "
			"tamis with make PYTHON=python%d.%d",
			dir, major, minor, PY_MAJOR_VERSION, PY_MINOR_VERSION, PY_MAJOR_VERSION,
			PY_MINOR_VERSION, major, minor);
}

int venv__find(const char *dir, char **python, struct err *err)
{
	_cleanup_fclose_ FILE *cfg = NULL;
	const char *env = getenv("VIRTUAL_ENV");
	bool asked = dir;
	char path[4096];
	int ret;

	*python = NULL;
	if (!dir)
		dir = env && *env ? env : NULL;
	if (!dir)
		return 0;
	snprintf(path, sizeof(path), "%s/pyvenv.cfg", dir);
	cfg = fopen(path, "re");
	if (!cfg && !asked)
		return 0;
	if (!cfg)
		return err__set(err, errno, "--venv %s: no virtual environment: %s: %s", dir, path,
				strerror(errno));
	ret = check_version(dir, cfg, err);
	if (ret)
		return ret;
	return asprintf(python, "%s/bin/python3", dir) < 0 ? -ENOMEM : 0;
}
