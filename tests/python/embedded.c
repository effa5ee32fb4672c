// SPDX-License-Identifier: GPL-2.0-only
/*
 * embedded.c - the embedded interpreter without a kernel: script.h over a session that is made up.
 *
 *	embedded [-c] [-q] [-o] [-p] [-l] [-b] [-n N] [-r ROUNDS] [-V VENV] SCRIPT ARGS...
 *
 * Two events, test:made (fields pid and comm) and test:other, take turns; N records a batch. What
 * the script asks of the session is written to stderr. -l tells of a loss in each round, -c is
 * --on-error=continue, -o --order, -p "called as perf-prof", -b batch output, -m --perf-map.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "user/session.h"
#include "bpf/record.h"
#include "user/base/log.h"
#include "user/embed/script.h"

static const char format_text[] =
	"name: made\nID: 7\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n\n"
	"print fmt: \"pid=%d comm=%s\", REC->pid, REC->comm\n";

struct raw {
	u16 type;
	u8 flags, preempt_count;
	s32 common_pid, pid;
	char comm[16];
};

struct made_record {
	struct record_head head;
	struct raw raw;
};

struct session {
	struct event events[2];
	u64 made;
};

static struct event make_event(const char *label, const char *handler, u16 index)
{
	struct event e = {.refs = 1, .index = index, .kind = SPEC_TRACEPOINT,
			  .transport = TRANSPORT_BPF};
	struct err err = {0};

	if (event_format__parse(&e.format, "test", "made", format_text, strlen(format_text), &err))
		abort();
	e.label = strdup(label);
	e.handler = strdup(handler);
	e.fields = calloc(e.format->nr_fields, sizeof(*e.fields));
	memcpy(e.fields, e.format->fields, e.format->nr_fields * sizeof(*e.fields));
	e.nr_fields = e.format->nr_fields;
	e.layout.raw = sizeof(struct record_head);
	return e;
}

/* --- session.h, made up --- */

size_t session__nr_events(const struct session *s)
{
	return ARRAY_SIZE(s->events);
}

struct event *session__event(const struct session *s, size_t i)
{
	return (struct event *)&s->events[i];
}

void session__need_extras(struct session *s, size_t event, u32 with)
{
	fprintf(stderr, "need_extras %s %#x\n", s->events[event].label, with);
}

int session__need_perf(struct session *s, size_t event, struct err *err)
{
	(void)err;
	fprintf(stderr, "need_perf %s\n", s->events[event].label);
	return 0;
}

const char *session__comm(struct session *s, u32 tid)
{
	(void)s;
	return tid == 1 ? "init" : NULL;
}

const char *session__cgroup(struct session *s, u64 id)
{
	(void)s;
	return id == 1 ? "/" : NULL;
}

const char *session__container(struct session *s, u64 id)
{
	(void)s;
	(void)id;
	return NULL;
}

struct symbolizer *session__symbolizer(struct session *s)
{
	(void)s;
	return NULL;
}

struct table *session__table(struct session *s, size_t event)
{
	(void)s;
	(void)event;
	return NULL;
}

/* --- rounds --- */

struct options {
	struct script_opts script;
	int records, rounds;
	bool lost;
};

static volatile u64 stop;

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void on_signal(int signo)
{
	script__interrupt();
	if (stop)
		_exit(128 + signo);
	stop = now();
}

static void make_record(struct session *s, struct made_record *m, struct record *rec)
{
	struct event *event = &s->events[s->made % 2];

	*m = (struct made_record){
		.head = {.time = ++s->made, .tgid = 1, .tid = 1, .size = sizeof(*m),
			 .event = event->index},
		.raw = {.type = 7, .common_pid = 1, .pid = s->made, .comm = "made"},
	};
	*rec = (struct record){.time = m->head.time, .data = m, .event = event,
			       .size = sizeof(*m), .tgid = 1, .tid = 1};
}

/* The bytes are overwritten once the sink has had them, as a ring's are. */
static int batch(struct session *s, const struct session_sink *sink, int n)
{
	struct made_record *made = calloc(n + 1, sizeof(*made));
	struct record *recs = calloc(n + 1, sizeof(*recs));
	int i, ret;

	for (i = 0; i < n; i++)
		make_record(s, &made[i], &recs[i]);
	ret = sink->records(sink->ctx, recs, n);
	memset(made, 0xdd, n * sizeof(*made));
	free(made);
	free(recs);
	return ret;
}

static int round_of(struct session *s, struct script *script, const struct options *o)
{
	const struct session_sink *sink = script__sink(script);
	const struct loss loss = {.count = 3, .before = 5, .after = 9};

	if (batch(s, sink, o->records))
		return SCRIPT_STOP;
	if (o->lost)
		sink->lost(sink->ctx, &loss);
	usleep(1000);
	return script__stopped(script) || script__interval(script) ||
	       script__print_stat(script, 2);
}

static int run(struct script *script, struct session *s, const struct options *o, struct err *err)
{
	int i, ret;

	ret = script__init(script, s, err);
	for (i = 0; !ret && !stop && i < o->rounds; i++)
		ret = round_of(s, script, o);
	script__exit(script);
	return ret < 0 ? ret : 0;
}

static void write_log(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "log: %s\n", line);
}

static int parse(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+cqoplbmn:r:V:")) > 0) {
		switch (c) {
		case 'c':
			o->script.on_error_continue = true;
			break;
		case 'q':
			o->script.quiet = true;
			break;
		case 'o':
			o->script.order = true;
			break;
		case 'p':
			o->script.perf_prof = true;
			break;
		case 'l':
			o->lost = true;
			break;
		case 'b':
			o->script.batch_output = true;
			break;
		case 'm':
			o->script.perf_map = true;
			break;
		case 'n':
			o->records = atoi(optarg);
			break;
		case 'r':
			o->rounds = atoi(optarg);
			break;
		case 'V':
			o->script.venv = optarg;
			break;
		default:
			return -1;
		}
	}
	o->script.script = argv[optind];
	o->script.args = argv + optind + 1;
	return argv[optind] ? 0 : -1;
}

static int help(const struct options *o)
{
	struct session s = {.events = {make_event("test:made", "test__made", 0),
				       make_event("test:other", "test__other", 1)}};
	struct strbuf out = {0};
	struct err err = {0};
	int ret = script__help(&o->script, &s, &out, &err);

	printf("%s%s", out.s ? out.s : "", err.text);
	strbuf__free(&out);
	return ret ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct log log = {.level = LOG_NOTICE, .write = write_log};
	struct options o = {.records = 10, .rounds = 3, .script = {.stopped_at = &stop, .log = &log}};
	struct session session = {.events = {make_event("test:made", "test__made", 0),
					     make_event("test:other", "test__other", 1)}};
	struct script *script = NULL;
	struct err err = {0};
	u64 live, undelivered;
	int ret, status;

	if (parse(&o, argc, argv))
		return 2;
	if (!strcmp(o.script.script, "help"))
		return help(&o);
	signal(SIGINT, on_signal);
	ret = script__load(&script, &o.script, &err);
	if (!ret)
		ret = run(script, &session, &o, &err);
	status = script__status(script);
	script__counts(script, &live, &undelivered);
	if (undelivered)
		fprintf(stderr, "undelivered %llu\n", (unsigned long long)undelivered);
	if (script__free(script, &err) && status < 0)
		status = 1;
	if (err.code)
		fprintf(stderr, "embedded: %s\n", err.text);
	return status >= 0 ? status : ret < 0 ? 1 : 0;
}
