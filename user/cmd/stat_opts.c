// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "stat_opts.h"

enum {
	O_PIDS = 256,
	O_TID,
	O_FOLLOW,
	O_CPU,
	O_COMM,
	O_UID,
	O_CGROUP,
	O_CONTAINER,
	O_EXACT,
	O_PIDNS,
	O_KEEP,
	O_TRACEFS,
	O_INTERVAL,
	O_CHILDREN,
	O_LATENCY,
	O_TRANSPORT
};

#define COMMON                                                                                     \
	{"once", 0, NULL, '1'}, {"batch", 0, NULL, '1'}, {"csv", 0, NULL, 'c'},                    \
		{"fields", 1, NULL, 'f'}, {"log", 0, NULL, 'l'}, {"log-to-file", 1, NULL, 'L'},    \
		{"set-delay", 1, NULL, 's'}, {"skip-zero-records", 0, NULL, 'z'},                  \
		{"help", 0, NULL, 'h'}, {"quiet", 0, NULL, 'q'},                                   \
		{"interval", 1, NULL, O_INTERVAL}, {"tid", 1, NULL, O_TID},                        \
		{"follow", 0, NULL, O_FOLLOW}, {"cpu", 1, NULL, O_CPU}, {"comm", 1, NULL, O_COMM}, \
		{"uid", 1, NULL, O_UID}, {"cgroup", 1, NULL, O_CGROUP},                            \
		{"container", 1, NULL, O_CONTAINER}, {"exact", 0, NULL, O_EXACT},                  \
		{"pidns", 1, NULL, O_PIDNS}, {"keep", 0, NULL, O_KEEP},                            \
		{"tracefs", 1, NULL, O_TRACEFS},                                                   \
	{                                                                                          \
		"transport", 1, NULL, O_TRANSPORT                                                  \
	}

static const struct option kvm_options[] = {
	COMMON,
	{"pid", 1, NULL, 'p'},
	{"guest", 1, NULL, 'g'},
	{"debugfs", 0, NULL, 'd'},
	{"tracepoints", 0, NULL, 't'},
	{"debugfs-include-past", 0, NULL, 'i'},
	{"latency", 0, NULL, O_LATENCY},
	{NULL, 0, NULL, 0},
};

static const struct option event_options[] = {
	COMMON,
	{"event", 1, NULL, 'e'},
	{"children", 1, NULL, O_CHILDREN},
	{"pid", 1, NULL, O_PIDS},
	{NULL, 0, NULL, 0},
};

#define HELP_MODES                                                                               \
	"  -1, --once, --batch              one interval: name, total, what was added\n"         \
	"  -l, --log                        a line for each interval\n"                          \
	"  -c, --csv                        with -l: comma-separated\n"                          \
	"  -L, --log-to-file FILE           like -l, appended to FILE, opened again on SIGHUP\n" \
	"  -z, --skip-zero-records          with -l: no line for an interval without events\n"   \
	"  -s, --set-delay SECONDS          length of an interval (1; at least 0.1)\n"           \
	"      --interval MS                the same in milliseconds\n"                          \
	"  -f, --fields REGEX               only what begins with REGEX; help: lists them\n"

#define HELP_SCOPE                                                                                 \
	"      --tid TID,...                single threads\n"                                      \
	"      --follow                     children of --pid, too\n"                              \
	"      --cpu LIST                   only these CPUs, 0-3,5\n"                              \
	"      --comm NAME  --uid USER      command name or glob, user name or uid\n"              \
	"      --cgroup CG  --container C   a cgroup and all below it, a container; repeatable\n"  \
	"      --exact                      cgroups without what is below them\n"                  \
	"      --pidns PID                  the pid namespace of that process\n"                   \
	"      --keep                       wait on when nothing in scope is left\n"               \
	"      --transport bpf|perf         count by BPF programs (where they can be used) or by " \
	"perf\n"                                                                                   \
	"      --tracefs DIR                where tracefs is mounted\n"                            \
	"  -q, --quiet                      no notices\n"                                          \
	"  -h, --help                       this text\n"

const char *stat_opts__help(enum stat_kind kind)
{
	if (kind == STAT_KVM)
		return "Options:\n"
		       "  -t, --tracepoints                count tracepoints of KVM (the default)\n"
		       "  -d, --debugfs                    count KVM's files in debugfs\n"
		       "  -i, --debugfs-include-past       with what was counted before\n"
		       "  -p, --pid PID                    one virtual machine, by its process\n"
		       "  -g, --guest NAME                 one virtual machine, by its name\n"
		       "      --latency                    time from kvm_exit to kvm_entry, by "
		       "reason\n" HELP_MODES HELP_SCOPE;
	return "Options:\n"
	       "  -e, --event GLOB                 tracepoints to count, sys:name; repeatable\n"
	       "      --children EVENT:FIELD       count each value of a field of theirs; "
	       "repeatable\n" HELP_MODES
	       "      --pid PID,...                whole processes\n" HELP_SCOPE;
}

/* Python's \d is not in POSIX; \w \s \b are in the C library. */
static void put_pattern(struct strbuf *b, const char *s)
{
	strbuf__puts(b, "^(");
	for (; *s; s++) {
		if (s[0] == '\\' && s[1] == 'd') {
			strbuf__puts(b, "[0-9]");
			s++;
		} else {
			strbuf__putc(b, *s);
			if (s[0] == '\\' && s[1])
				strbuf__putc(b, *++s);
		}
	}
	strbuf__putc(b, ')');
}

int stat_fields__compile(regex_t *re, const char *text, struct err *err)
{
	struct strbuf b = {0};
	char why[128];
	int ret;

	/* Alone, so that an unbalanced parenthesis does not find ours. */
	ret = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
	if (!ret) {
		regfree(re);
		put_pattern(&b, text);
		ret = b.failed ? REG_ESPACE : regcomp(re, b.s, REG_EXTENDED | REG_NOSUB);
	}
	strbuf__free(&b);
	if (!ret)
		return 0;
	regerror(ret, re, why, sizeof(why));
	return err__usage(err, "-f %s: no regular expression: %s", text, why);
}

static int push(struct string_list *l, const char *s, struct err *err)
{
	if (array__push(l->v, l->n, l->room, s) || array__push(l->v, l->n, l->room, NULL))
		return err__set(err, ENOMEM, "out of memory");
	l->n--;
	return 0;
}

static int set_delay(struct stat_opts *o, const char *text, double unit, struct err *err)
{
	char *end;
	double v = strtod(text, &end) * unit;

	if (end == text || *end || !(v >= 0.1) || v > 86400)
		return err__usage(err,
				  "an interval of %s%s: it is a number, of at least 0.1 seconds",
				  text, unit == 1 ? " s" : " ms");
	o->delay = v;
	return 0;
}

static int set_transport(struct stat_opts *o, const char *text, struct err *err)
{
	if (strcmp(text, "bpf") && strcmp(text, "perf"))
		return err__usage(err, "--transport %s: it is bpf or perf", text);
	o->session.transport = *text == 'b' ? TRANSPORT_BPF : TRANSPORT_PERF;
	return 0;
}

static int set_fields(struct stat_opts *o, const char *text, struct err *err)
{
	if (!strcmp(text, "help")) {
		o->list_fields = true;
		return 0;
	}
	if (o->has_fields)
		regfree(&o->fields);
	o->has_fields = false;
	o->fields_text = text;
	if (stat_fields__compile(&o->fields, text, err))
		return -EINVAL;
	o->has_fields = true;
	return 0;
}

static int set_scope(struct stat_opts *o, int opt, const char *arg, struct err *err)
{
	switch (opt) {
	case O_PIDS:
		o->scope.pids = arg;
		return 0;
	case O_TID:
		o->scope.tids = arg;
		return 0;
	case O_FOLLOW:
		o->scope.follow = true;
		return 0;
	case O_CPU:
		o->scope.cpus = arg;
		return 0;
	case O_COMM:
		o->scope.comm = arg;
		return 0;
	case O_UID:
		o->scope.user = arg;
		return 0;
	case O_CGROUP:
		return push(&o->cgroups, arg, err);
	case O_CONTAINER:
		return push(&o->containers, arg, err);
	case O_EXACT:
		o->scope.exact = true;
		return 0;
	case O_PIDNS:
		o->scope.pidns = arg;
		return 0;
	default:
		return -ENOENT;
	}
}

static int set(struct stat_opts *o, int opt, const char *arg, struct err *err)
{
	int ret = set_scope(o, opt, arg, err);

	if (ret != -ENOENT)
		return ret;
	switch (opt) {
	case '1':
		o->once = true;
		return 0;
	case 'c':
		o->csv = true;
		return 0;
	case 'l':
		o->lines = true;
		return 0;
	case 'L':
		o->file = arg;
		return 0;
	case 'z':
		o->skip_zero = true;
		return 0;
	case 'h':
		o->help = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'p':
		o->pid = arg;
		return 0;
	case 'g':
		o->guest = arg;
		return 0;
	case 'd':
		o->debugfs = true;
		return 0;
	case 't':
		o->tracepoints = true;
		return 0;
	case 'i':
		o->include_past = true;
		return 0;
	case 'f':
		return set_fields(o, arg, err);
	case 's':
		return set_delay(o, arg, 1, err);
	case 'e':
		return push(&o->events, arg, err);
	case O_INTERVAL:
		return set_delay(o, arg, 1e-3, err);
	case O_CHILDREN:
		return push(&o->children, arg, err);
	case O_TRANSPORT:
		return set_transport(o, arg, err);
	case O_LATENCY:
		o->latency = true;
		return 0;
	case O_KEEP:
		o->session.keep_waiting = true;
		return 0;
	case O_TRACEFS:
		o->session.tracefs = arg;
		return 0;
	}
	return err__usage(err, "unknown option");
}

static int check(const struct stat_opts *o, struct err *err)
{
	if (o->once && (o->lines || o->file))
		return err__usage(err, "-1 and -l exclude each other");
	if (o->lines && o->file)
		return err__usage(err, "-l and -L exclude each other");
	if (o->csv && !o->lines && !o->file)
		return err__usage(err, "-c needs -l or -L");
	if (o->skip_zero && !o->lines && !o->file)
		return err__usage(err, "-z needs -l or -L");
	if (o->pid && o->guest)
		return err__usage(err, "-p and -g exclude each other");
	return 0;
}

/* The words behind `--`; getopt_long() must not see them. */
static int take_workload(struct stat_opts *o, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--")) {
			if (argv[i + 1])
				o->session.workload = argv + i + 1;
			return i;
		}
	return argc;
}

static int bad_option(char **argv, int opt, struct err *err)
{
	const char *word = argv[optind - 1] ? argv[optind - 1] : "";

	if (opt == ':')
		return err__usage(err, "%s needs a value", word);
	if (optopt && optopt < 256)
		return err__usage(err, "unknown option -%c; -h shows them", optopt);
	return err__usage(err, "unknown option %s; -h shows them", word);
}

int stat_opts__parse(struct stat_opts *o, enum stat_kind kind, int argc, char **argv,
		     struct err *err)
{
	const char *letters = kind == STAT_KVM ? ":1cf:lL:s:zhqp:g:dti" : ":1cf:lL:s:zhqe:";
	const struct option *longs = kind == STAT_KVM ? kvm_options : event_options;
	int opt, ret = 0;

	o->delay = 1;
	o->log.level = LOG_NOTICE;
	argc = take_workload(o, argc, argv);
	optind = 0;
	opterr = 0;
	while (!ret && (opt = getopt_long(argc, argv, letters, longs, NULL)) != -1)
		ret = opt == '?' || opt == ':' ? bad_option(argv, opt, err)
					       : set(o, opt, optarg, err);
	if (!ret && optind < argc)
		ret = err__usage(err, "'%s' is no option; a command to watch goes behind --",
				 argv[optind]);
	if (!ret && !o->help)
		ret = check(o, err);
	o->scope.cgroups = o->cgroups.v;
	o->scope.containers = o->containers.v;
	o->session.scope = &o->scope;
	o->session.log = &o->log;
	o->session.only_grow = true;
	if (o->quiet)
		o->log.level = LOG_WARNING;
	return ret;
}

void stat_opts__free(struct stat_opts *o)
{
	if (o->has_fields)
		regfree(&o->fields);
	free(o->cgroups.v);
	free(o->containers.v);
	free(o->events.v);
	free(o->children.v);
}
