// SPDX-License-Identifier: GPL-2.0-only
/* doctor.c - `tamis doctor`: what works here, and what to do about what does not. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "../collect/features.h"
#include "../embed/script.h"
#include "../format/format.h"
#include "command.h"

static const char options[] = "  --json          one JSON object\n"
			      "  --tracefs DIR   where tracefs is mounted\n";

static const char *const examples[] = {"tamis doctor", "tamis doctor --json", NULL};

/* The first line that @command writes; "": none. */
static void first_line(const char *command, char *line, size_t size)
{
	FILE *p = popen(command, "re");

	line[0] = 0;
	if (p && !fgets(line, (int)size, p))
		line[0] = 0;
	line[strcspn(line, "\n")] = 0;
	if (p)
		pclose(p);
}

static void add_python(struct features *f)
{
	char version[64];

	features__add(f, "Python scripts", script__available() ? FEATURE_OK : FEATURE_PART,
		      script__available() ? NULL : "build with make PYTHON=/usr/bin/python3", "%s",
		      script__available() ? "the interpreter is built in"
					  : "tamis was built without Python");
	/* asked of the python3 that programs to be profiled are run with */
	first_line("python3 -c 'import sys; print(*sys.version_info[:2], sep=\".\", end=\" \"); "
		   "print(hasattr(sys, \"activate_stack_trampoline\"))' 2>/dev/null",
		   version, sizeof(version));
	if (!version[0])
		features__add(f, "perf maps of Python", FEATURE_PART, NULL,
			      "there is no python3 in PATH");
	else if (strstr(version, "True"))
		features__add(f, "perf maps of Python", FEATURE_OK, NULL,
			      "python3 -X perf names Python functions in stacks");
	else
		features__add(
			f, "perf maps of Python", FEATURE_PART,
			"python3 of 3.12 or later has -X perf; node and java have perf maps too",
			"python3 is %.*s", (int)strcspn(version, " "), version);
}

static const char *const states[] = {
	[FEATURE_OK] = "ok",
	[FEATURE_PART] = "part",
	[FEATURE_MISSING] = "missing",
};

static void put_member(struct strbuf *b, const char *key, const char *value, const char *end)
{
	strbuf__printf(b, "\"%s\": ", key);
	format__json_string(b, value, strlen(value));
	strbuf__puts(b, end);
}

static void print_json(const struct features *f, bool works)
{
	struct strbuf b = {0};
	size_t i;

	strbuf__printf(&b, "{\"main_job\": %s, \"features\": [", works ? "true" : "false");
	for (i = 0; i < f->n; i++) {
		strbuf__puts(&b, i ? ",\n  {" : "\n  {");
		put_member(&b, "name", f->v[i].name, ", ");
		put_member(&b, "state", states[f->v[i].state], ", ");
		put_member(&b, "found", f->v[i].what, ", ");
		put_member(&b, "todo", f->v[i].todo, "}");
	}
	strbuf__puts(&b, "\n]}\n");
	fwrite(b.s, 1, b.len, stdout);
	strbuf__free(&b);
}

/* Lines of a message that go on are indented under the first. */
static void print_lines(const char *text)
{
	for (; *text; text++) {
		putchar(*text);
		if (*text == '\n')
			printf("%31s", "");
	}
	putchar('\n');
}

static void print_text(const struct features *f, bool works)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		printf("%-8s %-21s ", states[f->v[i].state], f->v[i].name);
		print_lines(f->v[i].what);
		if (f->v[i].todo[0] && f->v[i].state != FEATURE_OK) {
			printf("%31s", "-> ");
			print_lines(f->v[i].todo);
		}
	}
	printf("\n%s\n", works ? "The main job, tracing events, runs here."
			       : "Tracing does not run here: see what is missing above.");
}

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	static const struct option table[] = {
		{"json", no_argument, NULL, 'j'},
		{"tracefs", required_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	_cleanup_free_ struct features *f = calloc(1, sizeof(*f));
	const char *tracefs = NULL;
	bool json = false, works;
	int c;

	optind = 1;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "h", table, NULL)) != -1) {
		if (c == 'h') {
			command__help(self, options);
			return 0;
		}
		if (c == '?')
			return err__usage(err, "doctor: unknown option %s", argv[optind - 1]);
		json |= c == 'j';
		if (c == 't')
			tracefs = optarg;
	}
	if (optind < argc)
		return err__usage(err, "doctor: takes no arguments, so not %s", argv[optind]);
	if (!f)
		return err__set(err, ENOMEM, "doctor: out of memory");
	features__system(f);
	works = features__main_job(f, tracefs);
	features__bpf(f);
	features__probes(f);
	features__perf(f);
	features__cgroups(f);
	add_python(f);
	if (json)
		print_json(f, works);
	else
		print_text(f, works);
	return works ? 0 : 1;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "Say what works on this machine, and what to do about the rest",
	.usage = "[--json]",
	.examples = examples,
	.run = run,
};
