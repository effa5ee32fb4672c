// SPDX-License-Identifier: GPL-2.0-only
/* trace.c - `tamis trace`: every event as a line of text or JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/array.h"
#include "../format/chain.h"
#include "../format/format.h"
#include "../options.h"
#include "commands.h"
#include "loop.h"
#include "output_file.h"

#define GROUPS (OPT_SESSION | OPT_SCOPE | OPT_OUTPUT | OPT_RUN | OPT_TRACE)
#define ORDER_MS 200

struct trace {
	struct strbuf out;
	struct format_opts format;
	struct string_list show;
	char *show_text;	/* what @show points into */
	struct session *session;
	struct err *err;
	bool json;
	bool fields_shown;	/* --show names fields, not extras alone */
};

static void put_chain(void *ctx, struct strbuf *b, const struct record *rec)
{
	struct trace *t = ctx;

	format__chain_json(b, rec, session__symbolizer(t->session));
}

static const char *name_cgroup(void *ctx, u64 id, bool container)
{
	struct trace *t = ctx;

	return container ? session__container(t->session, id) : session__cgroup(t->session, id);
}

static void print_record(struct trace *t, const struct record *rec)
{
	if (t->json) {
		format__json(&t->out, rec, &t->format);
	} else {
		t->format.comm = session__comm_at(t->session, rec->tid, rec->time);
		format__line(&t->out, rec, &t->format);
		if (rec->event->spec->stack)
			format__chain(&t->out, rec, session__symbolizer(t->session));
	}
	strbuf__putc(&t->out, '\n');
}

static int on_records(void *ctx, const struct record *recs, int n)
{
	struct trace *t = ctx;
	int i, ret;

	for (i = 0; i < n; i++)
		print_record(t, &recs[i]);
	ret = output_file__write(&t->out, t->err);
	strbuf__reset(&t->out);
	return ret;
}

/* Losses are records, so that a reader of the JSON knows of them. Others see them on stderr. */
static void on_lost(void *ctx, const struct loss *loss)
{
	struct trace *t = ctx;

	if (!t->json)
		return;
	strbuf__puts(&t->out, "{\"_lost\": ");
	strbuf__printf(&t->out, "%" PRIu64 ", \"_event\": ", loss->count);
	if (loss->event)
		format__json_string(&t->out, loss->event->label, strlen(loss->event->label));
	else
		strbuf__puts(&t->out, "null");
	strbuf__printf(&t->out, ", \"_cpu\": %u, \"_before\": %" PRIu64 ", \"_after\": %" PRIu64 "}\n",
		       loss->cpu, loss->before, loss->after);
}

static int extra_of(const char *name)
{
	int i;

	for (i = 0; i < EXTRA_MAX; i++)
		if (!strcmp(format__extra_name(i) + 1, name + (name[0] == '_')))
			return i;
	return -1;
}

/* Extras, with or without their underscore, add a column; the others choose fields. */
static const char *show_name(struct trace *t, struct options *o, const char *name)
{
	int extra = extra_of(name);

	t->fields_shown |= extra < 0;
	if (extra < 0)
		return name;
	o->session.with |= 1u << extra;
	return format__extra_name(extra);
}

static int take_show(struct trace *t, struct options *o, const char *name)
{
	if (array__push(t->show.v, t->show.n, t->show.room, show_name(t, o, name)) ||
	    array__push(t->show.v, t->show.n, t->show.room, NULL))
		return -ENOMEM;
	t->show.n--;
	return 0;
}

static int parse_show(struct trace *t, struct options *o, struct err *err)
{
	char *save, *name;

	if (!o->show)
		return 0;
	t->show_text = strdup(o->show);
	for (name = t->show_text ? strtok_r(t->show_text, ",", &save) : NULL; name;
	     name = strtok_r(NULL, ",", &save))
		if (take_show(t, o, name))
			return err__set(err, ENOMEM, "out of memory");
	/* extras alone are columns beside all the fields */
	t->format.show = t->fields_shown ? t->show.v : NULL;
	return t->show_text ? 0 : err__set(err, ENOMEM, "out of memory");
}

/* A field that none of the events has was mistyped. */
static int check_show(const struct trace *t, const struct session *s, struct err *err)
{
	size_t i, k;

	for (i = 0; t->fields_shown && i < t->show.n; i++) {
		if (extra_of(t->show.v[i]) >= 0)
			continue;
		for (k = 0; k < session__nr_events(s); k++)
			if (event__field(session__event(s, k), t->show.v[i]))
				break;
		if (k == session__nr_events(s))
			return err__usage(err, "--show: no event has a field '%s'", t->show.v[i]);
	}
	return 0;
}

static int run_loop(struct trace *t, struct loop *l, struct err *err)
{
	struct session_sink sink = {on_records, on_lost, t};
	int ret = check_show(t, t->session, err);

	if (!ret)
		ret = loop__run(l, t->session, &sink, NULL, err);
	if (!ret && t->out.len)
		ret = output_file__write(&t->out, err);
	if (ret == -EPIPE)
		ret = 0;
	if (!ret)
		loop__summary(l, t->session);
	return ret ? ret : loop__workload_exit(t->session);
}

static int trace(struct trace *t, struct options *o, struct err *err)
{
	struct loop *l = NULL;
	int ret;

	t->err = err;
	t->json = o->json;
	t->format.callchain = put_chain;
	t->format.cgroup = name_cgroup;
	t->format.ctx = t;
	t->format.date = true;
	t->format.terminal = isatty(STDOUT_FILENO) && !o->output;
	o->session.with |= 1u << EXTRA_COMM;
	if (!o->session.order_ms)
		o->session.order_ms = ORDER_MS;
	options__finish(o);
	ret = loop__open(&l, o, err);
	if (!ret)
		ret = session__open(&t->session, &o->session, err);
	if (!ret)
		ret = run_loop(t, l, err);
	session__close(t->session);
	loop__free(l);
	return ret;
}

static int parse(struct trace *t, struct options *o, int argc, char **argv, struct err *err)
{
	int ret = options__parse(o, GROUPS, false, argc, argv, err);

	if (ret || o->help)
		return ret;
	if (o->nr_words)
		return err__usage(err, "'%s' is no option; a command to trace goes behind --",
				  o->words[0]);
	ret = options__add_preset_dirs(o, err);
	return ret ? ret : parse_show(t, o, err);
}

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	struct options o = {0};
	struct trace t = {0};
	int ret = parse(&t, &o, argc, argv, err);

	if (!ret)
		ret = o.help ? command__help_options(self, GROUPS) : trace(&t, &o, err);
	free(t.show.v);
	free(t.show_text);
	strbuf__free(&t.out);
	options__free(&o);
	return ret;
}

static const char *const examples[] = {
	"tamis trace -e sched:sched_process_exec",
	"tamis trace -e 'syscalls:sys_enter_openat/filename ~ \"/etc/*\"/'",
	"tamis trace -e 'sched:sched_switch/prev_comm==\"bash\"/' --show prev_comm,next_comm",
	"tamis trace -e 'syscalls:sys_exit_*/ret<0/' --json -- ls /nonexistent",
	"tamis trace -e sock:inet_sock_set_state --show container",
	NULL,
};

const struct command cmd_trace = {
	.name = "trace",
	.summary = "Print events as they happen",
	.usage = "-e EVENT[,EVENT...] [OPTIONS] [-- COMMAND...]",
	.examples = examples,
	.run = run,
};
