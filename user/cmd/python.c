// SPDX-License-Identifier: GPL-2.0-only
/* python.c - `tamis python`: every event to a Python script. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../embed/script.h"
#include "../options.h"
#include "loop.h"
#include "output_file.h"
#include "python.h"
#include "signals.h"

#define GROUPS (OPT_SESSION | OPT_SCOPE | OPT_OUTPUT | OPT_RUN | OPT_PYTHON)

static int on_interval(void *ctx)
{
	return script__interval(ctx);
}

static int on_stat(void *ctx)
{
	return script__print_stat(ctx, 0);
}

/* Up to the next `--` all is the script's; what follows is the workload. */
static void split_form2(struct options *o)
{
	char **w = o->workload;
	int i;

	o->workload = NULL;
	for (i = 0; w[i]; i++) {
		if (!strcmp(w[i], "--")) {
			o->workload = w + i + 1;
			break;
		}
		o->words[o->nr_words++] = w[i];
	}
	o->words[o->nr_words] = NULL;
}

/* The script is the first word that is no option; its arguments are all other words. */
static int find_script(struct options *o, const char **script, struct err *err)
{
	int i;

	if (!o->nr_words && o->workload)
		split_form2(o);
	for (i = 0; i < o->nr_words && o->words[i][0] == '-' && o->words[i][1]; i++)
		;
	if (i == o->nr_words)
		return err__usage(err, "no script: tamis python -e EVENT SCRIPT [ARGS]; "
				  "`tamis python -e EVENT help` prints one to start from");
	*script = o->words[i];
	memmove(o->words + i, o->words + i + 1, (o->nr_words - i) * sizeof(*o->words));
	o->words[--o->nr_words] = NULL;
	return 0;
}

static int print_template(const struct script_opts *opts, struct session *s, struct err *err)
{
	struct strbuf b = {0};
	int ret = script__help(opts, s, &b, err);

	if (!ret)
		ret = output_file__write(&b, err);
	strbuf__free(&b);
	return ret;
}

/* perf-prof has no summary: what was lost has been said as it happened. */
static int run_script(const struct script_opts *opts, struct script *script, struct session *s,
		      struct loop *l, struct err *err)
{
	struct loop_hooks hooks = {on_interval, on_stat, script};
	int ret = script__init(script, s, err);

	if (!ret)
		ret = loop__run(l, s, script__sink(script), &hooks, err);
	script__exit(script);
	if (ret >= 0 && !opts->perf_prof)
		loop__summary(l, s);
	return ret;
}

/* sys.exit's status, else 1 after an error, else the workload's. */
static int exit_status(const struct script *script, const struct session *s)
{
	int status = script ? script__status(script) : -1;

	return status >= 0 ? status : loop__workload_exit(s);
}

static int run_session(struct options *o, const struct script_opts *opts, struct loop *l,
		       struct session *s, struct err *err)
{
	struct script *script = NULL;
	struct err last = {0};
	int ret, status;

	if (!strcmp(opts->script, "help"))
		return print_template(opts, s, err);
	signals__on_stop(script__interrupt);
	ret = script__load(&script, opts, err);
	if (!ret)
		ret = run_script(opts, script, s, l, err);
	status = exit_status(script, s);
	if (script__free(script, &last) && ret >= 0 && !err->code) {
		*err = last;
		ret = -last.code;
	}
	(void)o;
	return ret < 0 ? ret : status;
}

int python__run(struct options *o, struct script_opts *opts, struct err *err)
{
	struct session *s = NULL;
	struct loop *l = NULL;
	int ret;

	options__finish(o);
	opts->args = o->words;
	opts->stopped_at = loop__stopped_at();
	opts->log = &o->log;
	ret = loop__open(&l, o, err);
	if (!ret)
		ret = session__open(&s, &o->session, err);
	if (!ret)
		ret = run_session(o, opts, l, s, err);
	session__close(s);
	loop__free(l);
	return ret;
}

static int help(const struct command *self)
{
	struct strbuf b = {0};

	options__help(&b, GROUPS);
	strbuf__putc(&b, '\n');
	script__describe(&b);
	command__help(self, b.s);
	strbuf__free(&b);
	return 0;
}

static int parse(struct options *o, struct script_opts *opts, int argc, char **argv,
		 struct err *err)
{
	int ret = options__parse(o, GROUPS, true, argc, argv, err);

	if (ret || o->help)
		return ret;
	ret = options__add_preset_dirs(o, err);
	if (!ret)
		ret = find_script(o, &opts->script, err);
	opts->venv = o->venv;
	opts->on_error_continue = o->on_error_continue;
	opts->batch_output = o->batch_output;
	opts->perf_map = o->perf_map;
	opts->quiet = o->quiet;
	opts->order = o->session.order_ms;
	return ret;
}

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	struct script_opts opts = {0};
	struct options o = {0};
	int ret = parse(&o, &opts, argc, argv, err);

	if (!ret)
		ret = o.help ? help(self) : python__run(&o, &opts, err);
	options__free(&o);
	return ret;
}

static const char *const examples[] = {
	"tamis python -e sched:sched_switch,sched:sched_wakeup -i 1000 script.py",
	"tamis python -e sched:sched_wakeup help > script.py",
	"tamis python -e 'syscalls:sys_enter_openat/filename ~ \"/etc/*\"/' opens.py",
	"tamis python -e 'raw_syscalls:sys_enter//count/by=id,_comm/' -i 1000 table.py",
	"tamis python -e sched:sched_process_exec execs.py -- make -j2",
	NULL,
};

const struct command cmd_python = {
	.name = "python",
	.summary = "Hand events to a Python script",
	.usage = "-e EVENT[,EVENT...] [OPTIONS] SCRIPT [ARGS]... [-- COMMAND...]",
	.examples = examples,
	.run = run,
};
