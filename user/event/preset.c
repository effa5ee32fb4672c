// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include "../base/guard.h"
#include "names.h"
#include "preset.h"

#define PRESET_MAX 65536

void preset__free(struct preset *p)
{
	free(p->name);
	free(p->help);
	free(p->events);
	*p = (struct preset){0};
}

static bool is_name(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (!isalnum((u8)*s) && !strchr("_-", *s))
			return false;
	return true;
}

/* @return the text, the caller's; NULL: no such file */
static char *read_file(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	struct stat st;
	char *text;
	size_t n;

	if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode))
		return NULL;
	text = malloc(PRESET_MAX + 1);
	if (!text)
		return NULL;
	n = fread(text, 1, PRESET_MAX, f);
	text[n] = 0;
	return text;
}

/* Lines that begin with # are comments; the first other one is the help. */
static int take_apart(struct preset *p, char *text)
{
	char *line, *save = NULL, *out;

	p->events = out = calloc(1, strlen(text) + 2);
	if (!out)
		return -ENOMEM;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t\r");
		if (*line == '#' || !*line)
			continue;
		if (!p->help)
			p->help = strdup(line);
		else
			out += sprintf(out, "%s%s", *p->events ? " " : "", line);
	}
	return p->help ? 0 : -ENODATA;
}

/* Where an event's fields differ by machine, NAME.aarch64 and the like stand beside NAME. */
static char *read_preset(const char *dir, const char *name, char path[4096])
{
	struct utsname machine;
	char *text = NULL;

	if (!uname(&machine)) {
		snprintf(path, 4096, "%s/%s.%s", dir, name, machine.machine);
		text = read_file(path);
	}
	if (text)
		return text;
	snprintf(path, 4096, "%s/%s", dir, name);
	return read_file(path);
}

int preset__load(struct preset *p, const char *name, const char *const *dirs, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	char path[4096];
	int ret;

	*p = (struct preset){0};
	for (; is_name(name) && dirs && *dirs && !text; dirs++)
		text = read_preset(*dirs, name, path);
	if (!text)
		return -ENOENT;
	ret = take_apart(p, text);
	p->name = strdup(name);
	if (!ret && p->name && *p->events)
		return 0;
	preset__free(p);
	return err__set(err, EINVAL, "%s: a preset is a line of help and the events behind it",
			path);
}

static int list_dir(struct names *names, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	int ret = 0;

	while (dir && !ret && (d = readdir(dir)))
		if (is_name(d->d_name))
			ret = names__add(names, d->d_name);
	if (dir)
		closedir(dir);
	return ret;
}

int preset__each(const char *const *dirs, int (*fn)(void *ctx, const struct preset *p), void *ctx,
		 struct err *err)
{
	const char *const *d;
	struct names names = {0};
	struct preset p;
	int ret = 0;
	size_t i;

	for (d = dirs; d && *d && !ret; d++)
		ret = list_dir(&names, *d);
	names__sort(&names);
	for (i = 0; !ret && i < names.n; i++) {
		if (i && !strcmp(names.v[i], names.v[i - 1]))
			continue;
		ret = preset__load(&p, names.v[i], dirs, err);
		if (!ret)
			ret = fn(ctx, &p);
		else if (ret == -ENOENT)
			ret = 0;
		preset__free(&p);
	}
	names__free(&names);
	return ret;
}
