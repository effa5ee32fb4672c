// SPDX-License-Identifier: GPL-2.0-only
/* top.c - `tamis top`: what events sum up in the kernel, as live tables, blocks of text or JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../base/clock.h"
#include "../options.h"
#include "../output/live_table.h"
#include "commands.h"
#include "loop.h"
#include "output_file.h"

#define GROUPS	    (OPT_SESSION | OPT_SCOPE | OPT_OUTPUT | OPT_RUN | OPT_TOP)
#define INTERVAL_MS 1000
#define KEYS_MS	    200 /* how often a terminal's keys are looked at */

struct top {
	const struct options *o;
	struct session *session;
	struct table_names names;
	struct table_view *views;
	size_t nr;
	struct live_table *live; /* NULL: text or JSON */
	void (*say)(void *ctx, enum log_level level,
		    const char *line); /* where notices went before */
	u64 interval_ms, ticks;
	struct strbuf out;
	struct err *err;
};

static const char *name_cgroup(void *ctx, u64 id, bool container)
{
	struct top *t = ctx;

	return container ? session__container(t->session, id) : session__cgroup(t->session, id);
}

static int read_tables(struct top *t)
{
	u64 now = clock__ns(CLOCK_MONOTONIC);
	int ret = 0;

	for (size_t i = 0; i < t->nr && !ret; i++)
		ret = table_view__read(&t->views[i], now, t->err);
	return ret;
}

static void put_clock(struct strbuf *b)
{
	time_t now = time(NULL);
	char text[32];
	struct tm tm;

	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", localtime_r(&now, &tm));
	strbuf__printf(b, "%s\n", text);
}

/* One block of all tables, in one write, so that a reader of the pipe sees it whole. */
static int print(struct top *t)
{
	int ret;

	strbuf__reset(&t->out);
	if (!t->o->json)
		put_clock(&t->out);
	for (size_t i = 0; i < t->nr; i++) {
		if (t->o->json)
			table_view__json(&t->out, &t->views[i], clock__ns(CLOCK_REALTIME));
		else
			table_view__block(&t->out, &t->views[i]);
	}
	ret = t->out.len ? output_file__write(&t->out, t->err) : 0;
	return ret;
}

static int show(struct top *t)
{
	int ret = read_tables(t);

	if (ret)
		return ret;
	if (!t->live)
		return print(t);
	live_table__draw(t->live);
	return 0;
}

static int on_interval(void *ctx)
{
	struct top *t = ctx;
	int ret = 0;

	if (t->live && !live_table__keys(t->live)) {
		loop__stop();
		return 0;
	}
	if (++t->ticks * t->o->interval_ms % t->interval_ms)
		return 0;
	if (!t->live || !live_table__paused(t->live))
		ret = show(t);
	if (!ret && t->o->once)
		loop__stop();
	return ret;
}

/* Records of events with emit are not what top is about. */
static int on_records(void *ctx, const struct record *recs, int n)
{
	(void)ctx;
	(void)recs;
	(void)n;
	return 0;
}

static int make_views(struct top *t, struct err *err)
{
	size_t n = session__nr_events(t->session);

	t->views = calloc(n, sizeof(*t->views));
	if (!t->views)
		return err__set(err, ENOMEM, "out of memory");
	t->names = (struct table_names){.cgroup = name_cgroup, .ctx = t};
	for (size_t i = 0; i < n; i++) {
		struct table *table = session__table(t->session, i);

		if (table)
			table_view__init(&t->views[t->nr++], table, &t->names,
					 clock__ns(CLOCK_MONOTONIC));
	}
	if (t->nr)
		return 0;
	return err__usage(err,
			  "no event counts anything: add count, hist=EXPR or another operator");
}

/* The first table that has the column decides nothing for the others. */
static int choose_sort(struct top *t, struct err *err)
{
	bool found = !t->o->sort;

	for (size_t i = 0; i < t->nr && t->o->sort; i++) {
		int column = table_view__column(&t->views[i], t->o->sort);

		if (column < 0)
			continue;
		t->views[i].sort = (unsigned int)column;
		found = true;
	}
	return found ? 0 : err__usage(err, "--sort: no table has a column '%s'", t->o->sort);
}

static bool has_stacks(const struct top *t)
{
	for (size_t i = 0; i < t->nr; i++)
		for (size_t k = 0; k < table__nr_parts(t->views[i].table); k++)
			if (table__part_kind(t->views[i].table, k) >= PART_STACK)
				return true;
	return false;
}

/* While the screen is ours, notices go to its last line. */
static void say_on_screen(void *ctx, enum log_level level, const char *line)
{
	struct top *t = ctx;

	if (level >= LOG_NOTICE && t->live)
		live_table__say(t->live, line);
}

static int run_live(struct top *t, struct options *o, struct loop *l, struct err *err)
{
	struct session_sink sink = {on_records, NULL, t};
	struct loop_hooks hooks = {.interval = on_interval, .ctx = t};
	struct log was = o->log;
	int ret = live_table__open(&t->live, t->views, t->nr, err);

	if (ret)
		return ret;
	o->log.write = say_on_screen;
	o->log.ctx = t;
	ret = loop__run(l, t->session, &sink, &hooks, err);
	o->log.write = was.write;
	o->log.ctx = was.ctx;
	live_table__close(t->live);
	t->live = NULL;
	return ret;
}

/* What came after the last interval is shown too, unless one was all that was asked for. */
static int finish(struct top *t, int ret)
{
	if (ret == -EPIPE)
		return 0;
	if (ret || (t->o->once && t->ticks))
		return ret;
	ret = show(t);
	return ret == -EPIPE ? 0 : ret;
}

static int run_loop(struct top *t, struct options *o, struct loop *l, struct err *err)
{
	struct session_sink sink = {on_records, NULL, t};
	struct loop_hooks hooks = {.interval = on_interval, .ctx = t};
	bool screen = !o->json && !o->once && !o->output && isatty(STDOUT_FILENO) &&
		      isatty(STDIN_FILENO);
	int ret = make_views(t, err);

	if (!ret)
		ret = choose_sort(t, err);
	if (ret)
		return ret;
	if (has_stacks(t))
		t->names.symbolizer = session__symbolizer(t->session);
	t->interval_ms = o->interval_ms ? o->interval_ms : INTERVAL_MS;
	o->interval_ms = screen && t->interval_ms % KEYS_MS == 0 ? KEYS_MS : t->interval_ms;
	ret = screen ? run_live(t, o, l, err) : loop__run(l, t->session, &sink, &hooks, err);
	ret = finish(t, ret);
	if (!ret)
		loop__summary(l, t->session);
	return ret ? ret : loop__workload_exit(t->session);
}

static void free_views(struct top *t)
{
	for (size_t i = 0; i < t->nr; i++)
		table_view__free(&t->views[i]);
	free(t->views);
	strbuf__free(&t->out);
}

static int top(struct options *o, struct err *err)
{
	struct top t = {.o = o, .err = err};
	struct loop *l = NULL;
	int ret;

	o->session.count = true;
	options__finish(o);
	ret = loop__open(&l, o, err);
	if (!ret)
		ret = session__open(&t.session, &o->session, err);
	if (!ret)
		ret = run_loop(&t, o, l, err);
	free_views(&t);
	session__close(t.session);
	loop__free(l);
	return ret;
}

static int parse(struct options *o, int argc, char **argv, struct err *err)
{
	int ret = options__parse(o, GROUPS, false, argc, argv, err);

	if (ret || o->help)
		return ret;
	if (o->nr_words)
		return err__usage(err, "'%s' is no option; a command to trace goes behind --",
				  o->words[0]);
	return options__add_preset_dirs(o, err);
}

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	struct options o = {0};
	int ret = parse(&o, argc, argv, err);

	if (!ret)
		ret = o.help ? command__help_options(self, GROUPS) : top(&o, err);
	options__free(&o);
	return ret;
}

static const char *const examples[] = {
	"tamis top -e 'raw_syscalls:sys_enter//count/by=id,_comm/'",
	"tamis top -e "
	"'sched:sched_wakeup//key=pid/alias=w/,sched:sched_switch//since=w/key=next_pid/"
	"hist=latency/by=next_comm/'",
	"tamis top -e 'syscalls:sys_exit_read/ret>0/sum=ret/max=ret/by=_comm/' --sort sum",
	"tamis top -e 'syscalls:sys_enter_openat//count/by=filename/' --once -- ls /",
	"tamis top -e 'kmem:kmalloc//hist=bytes_req/by=stack/' --json --once",
	NULL,
};

const struct command cmd_top = {
	.name = "top",
	.summary = "Count and sum up events in the kernel, as live tables and histograms",
	.usage = "-e EVENT/.../count/by=KEY/ [OPTIONS] [-- COMMAND...]",
	.examples = examples,
	.run = run,
};
