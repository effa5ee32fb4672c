// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_prof.c - the program called as perf-prof: its `python` command line, its defaults, its words.
 *
 * What perf-prof's options mean is turned into tamis's options here; the run is python.c's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include "../options.h"
#include "python.h"

#define GROUPS (OPT_SESSION | OPT_SCOPE | OPT_OUTPUT | OPT_RUN | OPT_PYTHON)

/* --- options that tamis has not --- */

enum foreign { VALUE, NO_VALUE, REFUSED, KERNEL_FRAMES, USER_FRAMES, NO_KERNEL, NO_USER, STACKS,
	       CGROUPS, VERSION };

static const struct {
	const char *name;
	enum foreign what;
} foreign[] = {
	{"--watermark", VALUE},
	{"--usage-self", VALUE},
	{"--sampling-limit", VALUE},
	{"--monotonic", NO_VALUE},
	{"--python-callchain", NO_VALUE},
	{"--tsc", REFUSED},
	{"--kvmclock", REFUSED},
	{"--clock-offset", REFUSED},
	{"-g", STACKS},
	{"--call-graph", STACKS},
	{"--kernel-callchain", KERNEL_FRAMES},
	{"--user-callchain", USER_FRAMES},
	{"--no-kernel-callchain", NO_KERNEL},
	{"--no-user-callchain", NO_USER},
	{"--cgroups", CGROUPS},
	{"-V", VERSION},
	{"--version", VERSION},
};

struct prof {
	struct options o;
	struct script_opts script;
	char **argv;		/* what is left for tamis's own parser; owned array */
	int argc;
	char *cgroups;		/* the list that was split; owned */
	unsigned int frames;	/* STACK_* of a call chain */
	bool stacks;		/* -g */
	bool version;
};

static void write_log(void *ctx, enum log_level level, const char *line)
{
	struct timeval now;
	char date[32];
	struct tm tm;

	(void)ctx;
	(void)level;
	gettimeofday(&now, NULL);
	strftime(date, sizeof(date), "%F %T", localtime_r(&now.tv_sec, &tm));
	fprintf(stderr, "%s.%06ld python: %s\n", date, (long)now.tv_usec, line);
}

/* perf-prof's list is tamis's option repeated. */
static int add_cgroups(struct prof *p, const char *list)
{
	char *name, *save = NULL;

	free(p->cgroups);
	p->cgroups = strdup(list);
	if (!p->cgroups)
		return -ENOMEM;
	for (name = strtok_r(p->cgroups, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		p->argv[p->argc++] = "--cgroup";
		p->argv[p->argc++] = name;
	}
	return 0;
}

static int apply(struct prof *p, const char *name, enum foreign what, const char *value,
		 struct err *err)
{
	switch (what) {
	case REFUSED:
		return err__usage(err, "%s: tamis tells times on CLOCK_MONOTONIC only", name);
	case STACKS:
		p->stacks = true;
		return 0;
	case KERNEL_FRAMES:
		p->frames |= STACK_KERNEL;
		return 0;
	case USER_FRAMES:
		p->frames |= STACK_USER;
		return 0;
	case NO_KERNEL:
		p->frames &= ~STACK_KERNEL;
		return 0;
	case NO_USER:
		p->frames &= ~STACK_USER;
		return 0;
	case CGROUPS:
		return add_cgroups(p, value);
	case VERSION:
		p->version = true;
		return 0;
	default:
		return 0;
	}
}

/* @return words taken; 0: not one of them; negative: an error */
static int take_foreign(struct prof *p, int left, char **argv, struct err *err)
{
	size_t len = strcspn(argv[0], "="), i;
	bool wants, inside = argv[0][len];
	int ret;

	for (i = 0; i < ARRAY_SIZE(foreign); i++)
		if (strlen(foreign[i].name) == len && !strncmp(foreign[i].name, argv[0], len))
			break;
	if (i == ARRAY_SIZE(foreign))
		return 0;
	wants = foreign[i].what == VALUE || foreign[i].what == CGROUPS;
	if (wants && !inside && left < 2)
		return err__usage(err, "option '%s' wants a value", argv[0]);
	ret = apply(p, foreign[i].name, foreign[i].what,
		    inside ? argv[0] + len + 1 : wants ? argv[1] : NULL, err);
	return ret ? ret : wants && !inside ? 2 : 1;
}

static int split(struct prof *p, int argc, char **argv, struct err *err)
{
	int i, n;

	/* a list of cgroups may become many words */
	p->argv = calloc(argc + 1 + 8192, sizeof(*p->argv));
	if (!p->argv)
		return err__set(err, ENOMEM, "out of memory");
	for (i = 0; i < argc && strcmp(argv[i], "--"); i += n ? n : 1) {
		n = take_foreign(p, argc - i, argv + i, err);
		if (n < 0)
			return n;
		if (!n)
			p->argv[p->argc++] = argv[i];
	}
	for (; i < argc; i++)
		p->argv[p->argc++] = argv[i];
	return 0;
}

/* --- the command line --- */

/* There is no workload: what is behind `--` is the script, or is the script's. */
static int take_script(struct prof *p, struct err *err)
{
	struct options *o = &p->o;
	char **rest = o->workload;

	o->workload = NULL;
	if (rest && o->nr_words)
		o->words[o->nr_words++] = "--";
	for (; rest && *rest; rest++)
		o->words[o->nr_words++] = *rest;
	o->words[o->nr_words] = NULL;
	if (!o->nr_words)
		return err__usage(err, "no script: perf-prof python -e EVENT [--] SCRIPT [ARGS]");
	p->script.script = o->words[0];
	memmove(o->words, o->words + 1, o->nr_words * sizeof(*o->words));
	o->nr_words--;
	return 0;
}

static void set_defaults(struct prof *p)
{
	struct options *o = &p->o;

	o->session.nostr = true;
	o->session.stack = p->stacks ? p->frames : 0;
	o->session.stack_default = p->frames;
	o->session.stack_off = p->frames ? 0 : STACK_KERNEL | STACK_USER;
	/* a healthy run has nothing on stderr */
	o->log.level = o->session.verbose ? LOG_DEBUG : LOG_WARNING;
	o->log.write = write_log;
	o->quiet = true;
	p->script.perf_prof = true;
	p->script.on_error_continue = true;
	p->script.batch_output = o->batch_output;
	p->script.perf_map = o->perf_map;
	p->script.venv = o->venv;
	p->script.order = o->session.order_ms;
}

static int parse(struct prof *p, int argc, char **argv, struct err *err)
{
	int ret = split(p, argc, argv, err);

	if (!ret)
		ret = options__parse(&p->o, GROUPS, true, p->argc, p->argv, err);
	if (ret || p->o.help || p->version)
		return ret;
	ret = options__add_preset_dirs(&p->o, err);
	if (!ret)
		ret = take_script(p, err);
	p->script.quiet = p->o.quiet;
	set_defaults(p);
	return ret;
}

/* --- help, on stderr as perf-prof has it --- */

static int help(void)
{
	struct strbuf b = {0};

	options__help(&b, GROUPS);
	strbuf__putc(&b, '\n');
	script__describe(&b);
	fprintf(stderr,
		"Usage: perf-prof python -e EVENT[,EVENT...] [OPTIONS] [--] SCRIPT [ARGS]...\n\n"
		"Hands events to a Python script.\n\n%s\nEXAMPLES\n"
		"  perf-prof python -e sched:sched_wakeup,sched:sched_switch -i 1000 script.py\n"
		"  perf-prof python -e sched:sched_wakeup help > script.py\n"
		"  perf-prof python -e sched:sched_wakeup -g -- script.py --top 10\n",
		b.s ? b.s : "");
	strbuf__free(&b);
	return 0;
}

static int overview(int status)
{
	fprintf(stderr,
		"Usage: perf-prof profiler [OPTIONS]\n\nAvailable Profilers:\n"
		"  python      Hands events to a Python script\n\n"
		"This is tamis, which takes the command line of perf-prof's python; called as tamis "
		"it does more.\n");
	return status;
}

static int run_python(int argc, char **argv, struct err *err)
{
	struct prof p = {.frames = STACK_KERNEL};
	int ret = parse(&p, argc, argv, err);

	if (!ret && p.version)
		fprintf(stderr, "perf-prof python of tamis\n");
	else if (!ret)
		ret = p.o.help ? help() : python__run(&p.o, &p.script, err);
	options__free(&p.o);
	free(p.argv);
	free(p.cgroups);
	return ret;
}

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	(void)self;
	if (argc < 2 || !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
		return overview(0);
	if (!strcmp(argv[1], "python"))
		return run_python(argc - 1, argv + 1, err);
	return err__usage(err, "called as perf-prof, tamis has the command python and no '%s'",
			  argv[1]);
}

const struct command cmd_perf_prof = {
	.name = "perf-prof",
	.summary = "The command line of perf-prof's python",
	.run = run,
};
