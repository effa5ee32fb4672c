// SPDX-License-Identifier: GPL-2.0-only
/*
 * run.c - `tamis run NAME`: the ready scripts, with the options that their first line gives them.
 *
 * A script is also a program: "#!/usr/bin/env -S tamis python OPTIONS". Here the same line is taken
 * apart as env -S would, so that it runs where env or the path of tamis is another.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "../data_dirs.h"
#include "commands.h"

#define FIRST_LINE     "tamis python "
#define LINE_MAX_BYTES 4096

struct words {
	char **v;
	size_t n, room;
};

static void words__free(struct words *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
}

static int words__add(struct words *w, const char *word)
{
	char *copy = strdup(word);

	if (copy && !array__push(w->v, w->n, w->room, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

/* One word as env -S splits them: blanks part them, quotes and backslashes protect. */
static const char *take_word(const char *s, struct strbuf *out)
{
	char quote = 0;

	strbuf__reset(out);
	strbuf__puts(out, "");
	for (; *s && *s != '\n' && (quote || (*s != ' ' && *s != '\t')); s++) {
		if (quote ? *s == quote : *s == '\'' || *s == '"')
			quote = quote ? 0 : *s;
		else if (*s == '\\' && s[1] && quote != '\'')
			strbuf__putc(out, *++s);
		else
			strbuf__putc(out, *s);
	}
	return s;
}

static int split(struct words *w, const char *s)
{
	struct strbuf word = {0};
	int ret = 0;

	while (!ret) {
		s += strspn(s, " \t");
		if (!*s || *s == '\n')
			break;
		s = take_word(s, &word);
		ret = word.failed ? -ENOMEM : words__add(w, word.s);
	}
	strbuf__free(&word);
	return ret;
}

/* The directories of scripts: the user's own before the installed ones. */
static const char *script_dir(int i, char *out, size_t room)
{
	return i ? data_dir("scripts", out, room) : user_dir("scripts", out, room);
}

/* @return a path, allocated; NULL: there is no such script */
static char *find_script(const char *name)
{
	char dir[PATH_MAX], *path;
	int i;

	for (i = 0; i < 2; i++) {
		if (!script_dir(i, dir, sizeof(dir)))
			continue;
		if (asprintf(&path, "%s/%s.py", dir, name) < 0)
			return NULL;
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* The first line of the docstring says what it does. */
static void print_script(const char *dir, const char *file)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[PATH_MAX + 256], line[LINE_MAX_BYTES];
	char *text;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		text = strstr(line, "\"\"\"");
		if (!text)
			continue;
		text += 3;
		text[strcspn(text, "\n\"")] = 0;
		printf("  %-12.*s %s\n", (int)strlen(file) - 3, file, text);
		return;
	}
}

static int is_script(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return e->d_name[0] != '_' && e->d_name[0] != '.' && dot && !strcmp(dot, ".py");
}

static int list_scripts(struct err *err)
{
	char dir[PATH_MAX];
	struct dirent **files;
	int i, j, n, found = 0;

	for (i = 0; i < 2; i++) {
		if (!script_dir(i, dir, sizeof(dir)))
			continue;
		n = scandir(dir, &files, is_script, alphasort);
		for (j = 0; j < n; j++) {
			print_script(dir, files[j]->d_name);
			free(files[j]);
		}
		if (n >= 0)
			free(files);
		found += n > 0 ? n : 0;
	}
	return found ? 0 : err__set(err, ENOENT, "run: no scripts are installed");
}

/* "python", the first line's options, the script, the user's words. */
static int make_argv(struct words *w, const char *path, char **args, struct err *err)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[LINE_MAX_BYTES];
	const char *options;
	int ret;

	if (!f || !fgets(line, sizeof(line), f))
		return err__set(err, errno ? errno : EIO, "run: %s: %s", path, strerror(errno));
	options = strstr(line, FIRST_LINE);
	if (strncmp(line, "#!", 2) || !options)
		return err__set(err, EINVAL,
				"run: %s: does not begin with #!/usr/bin/env -S " FIRST_LINE
				"OPTIONS",
				path);
	ret = words__add(w, "python");
	if (!ret)
		ret = split(w, options + strlen(FIRST_LINE));
	if (!ret)
		ret = words__add(w, path);
	for (; !ret && *args; args++)
		ret = words__add(w, *args);
	if (!ret)
		ret = array__push(w->v, w->n, w->room, NULL);
	return ret ? err__set(err, -ret, "run: %s: %s", path, strerror(-ret)) : 0;
}

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	_cleanup_free_ char *path = NULL;
	struct words w = {0};
	int ret;

	if (argc < 2)
		return list_scripts(err);
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		command__help(self, "  NAME alone: what it does by itself; NAME -h: its options\n");
		return 0;
	}
	if (argv[1][0] == '-')
		return err__usage(err, "run: unknown option %s; NAME comes first", argv[1]);
	path = find_script(argv[1]);
	if (!path)
		return err__usage(err, "run: no script %s; `tamis run` lists them", argv[1]);
	ret = make_argv(&w, path, argv + 2, err);
	if (!ret)
		ret = cmd_python.run(&cmd_python, (int)w.n - 1, w.v, err);
	words__free(&w);
	return ret;
}

static const char *const examples[] = {
	"tamis run",
	"tamis run opens -- cat /etc/hostname",
	"tamis run runqlat -i 1000",
	NULL,
};

const struct command cmd_run = {
	.name = "run",
	.summary = "Run a ready investigation: opens, execs, syscalls, runqlat, ...",
	.usage = "[NAME [OPTIONS] [ARGS]... [-- COMMAND...]]",
	.examples = examples,
	.run = run,
};
