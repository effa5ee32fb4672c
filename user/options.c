// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/suggest.h"
#include "options.h"
#include "data_dirs.h"
#include "option_table.h"

#define PAGE 4096ull

int options__size(const char *text, u64 *bytes, struct err *err)
{
	char *end;
	u64 n, unit = PAGE;

	errno = 0;
	n = strtoull(text, &end, 0);
	switch (*end) {
	case 'k': case 'K': unit = 1ull << 10; end++; break;
	case 'm': case 'M': unit = 1ull << 20; end++; break;
	case 'g': case 'G': unit = 1ull << 30; end++; break;
	}
	if (errno || end == text || *end || *text == '-' || !n || n > (1ull << 40) / unit)
		return err__usage(err, "size '%s': want pages of 4 KiB, or bytes with K, M or G, "
				  "for example 512 or 8M", text);
	*bytes = n * unit;
	return 0;
}

static int parse_number(const char *text, const char *what, u64 *out, struct err *err)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || !*out)
		return err__usage(err, "%s '%s': want a number above 0", what, text);
	return 0;
}

static int add_string(struct string_list *l, const char *s)
{
	if (array__push(l->v, l->n, l->room, s) || array__push(l->v, l->n, l->room, NULL))
		return -ENOMEM;
	l->n--;
	return 0;
}

static int parse_with(const char *text, u32 *with, struct err *err)
{
	static const char *const names[EXTRA_MAX] = {
		"_comm", "_ppid", "_uid", "_nspid", "_nstid", "_cgroup", "_container",
	};
	const char *near = NULL, *p = text;

	while (*p) {
		size_t n = strcspn(p, ","), i;
		char word[32];

		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		for (i = 0; i < EXTRA_MAX && strcmp(names[i], word); i++)
			;
		if (i == EXTRA_MAX) {
			suggest__nearest(word, names, EXTRA_MAX, &near, 1);
			return err__caret(err, text, p - text, n,
					  "--with: no extra '%s' (nearest: %s); there are _comm _ppid "
					  "_uid _nspid _nstid _cgroup _container", word,
					  near ? near : "_comm");
		}
		*with |= 1u << i;
		p += n + (p[n] == ',');
	}
	return 0;
}

static int parse_transport(const char *text, enum transport *t, struct err *err)
{
	if (!strcmp(text, "bpf"))
		*t = TRANSPORT_BPF;
	else if (!strcmp(text, "perf"))
		*t = TRANSPORT_PERF;
	else
		return err__usage(err, "--transport '%s': want bpf or perf", text);
	return 0;
}

static void choose_chain(struct options *o, unsigned int part, bool on)
{
	if (!o->session.stack && on)
		o->session.stack = part;
	else if (on)
		o->session.stack |= part;
	else
		o->session.stack_off |= part;
	o->callchain_chosen = true;
}

static int take_scope(struct options *o, int id, const char *arg)
{
	switch (id) {
	case OPT_PID: o->scope.pids = arg; break;
	case OPT_TID: o->scope.tids = arg; break;
	case OPT_CPU: o->scope.cpus = arg; break;
	case OPT_COMM: o->scope.comm = arg; break;
	case OPT_USER: o->scope.user = arg; break;
	case OPT_PIDNS: o->scope.pidns = arg; break;
	case OPT_FOLLOW: o->scope.follow = true; break;
	case OPT_NO_FOLLOW: o->scope.no_follow = true; break;
	case OPT_EXACT: o->scope.exact = true; break;
	case OPT_CGROUP: return add_string(&o->cgroups, arg);
	case OPT_CONTAINER: return add_string(&o->containers, arg);
	case OPT_SELF: o->session.self = true; break;
	case OPT_KEEP: o->session.keep_waiting = true; break;
	default: return 1;
	}
	return 0;
}

static int take_session(struct options *o, int id, const char *arg, struct err *err)
{
	u64 n = 0;
	int ret = 0;

	switch (id) {
	case OPT_EVENT: return add_string(&o->events, arg);
	case OPT_PRESETS: return add_string(&o->preset_dirs, arg);
	case OPT_SIZE: return options__size(arg, &o->session.ring_bytes, err);
	case OPT_WITH: return parse_with(arg, &o->session.with, err);
	case OPT_TRANSPORT: return parse_transport(arg, &o->session.transport, err);
	case OPT_ORDER:
		ret = arg ? parse_number(arg, "--order", &n, err) : 0;
		o->session.order_ms = arg ? (int)n : 200;
		return ret;
	case OPT_NO_ORDER: o->no_order = true; break;
	case OPT_STACK: o->session.stack |= STACK_KERNEL | STACK_USER; break;
	case OPT_USER_CHAIN: choose_chain(o, STACK_USER, true); break;
	case OPT_KERNEL_CHAIN: choose_chain(o, STACK_KERNEL, true); break;
	case OPT_NO_USER_CHAIN: choose_chain(o, STACK_USER, false); break;
	case OPT_NO_KERNEL_CHAIN: choose_chain(o, STACK_KERNEL, false); break;
	case OPT_LOW_LATENCY: o->session.low_latency = true; break;
	case OPT_STRICT_TEXT: o->session.strict_text = true; break;
	case OPT_USER_FILTER: o->session.user_filter = true; break;
	case OPT_NOSTR: o->session.nostr = true; break;
	case OPT_TRACEFS: o->session.tracefs = arg; break;
	default: return 1;
	}
	return 0;
}

static int take_command(struct options *o, int id, const char *arg, struct err *err)
{
	switch (id) {
	case OPT_INTERVAL: return parse_number(arg, "--interval", &o->interval_ms, err);
	case OPT_NUMBER: return parse_number(arg, "-N", &o->max_events, err);
	case OPT_OUT: o->output = arg; break;
	case OPT_QUIET: o->quiet = true; break;
	case OPT_VERBOSE: o->session.verbose = true; break;
	case OPT_JSON: o->json = true; break;
	case OPT_SHOW: o->show = arg; break;
	case OPT_SORT: o->sort = arg; break;
	case OPT_ONCE: o->once = true; break;
	case OPT_HELP: o->help = true; break;
	case OPT_VENV: o->venv = arg; break;
	case OPT_BATCH_OUTPUT: o->batch_output = true; break;
	case OPT_PERF_MAP: o->perf_map = true; break;
	case OPT_PERF_MAP_DIR: o->perf_map_dir = arg; break;
	case OPT_FREQUENCY: return parse_number(arg, "-F", &o->frequency, err);
	case OPT_FLAME: o->flame_graph = arg; break;
	case OPT_UNWIND: o->unwind = arg; break;
	case OPT_FOLDED: o->folded = true; break;
	case OPT_THAN: o->than = atof(arg); break;
	case OPT_NO_DEMANGLE: o->no_demangle = true; break;
	case OPT_ON_ERROR:
		if (strcmp(arg, "continue") && strcmp(arg, "stop"))
			return err__usage(err, "--on-error '%s': want continue or stop", arg);
		o->on_error_continue = !strcmp(arg, "continue");
		break;
	default: return 1;
	}
	return 0;
}

static int take_stat(struct options *o, int id, const char *arg)
{
	switch (id) {
	case OPT_DELAY: o->delay = arg; break;
	case OPT_LOG_FILE: o->log_file = arg; break;
	case OPT_FIELDS: o->fields = arg; break;
	case OPT_LINES: o->lines = true; break;
	case OPT_CSV: o->csv = true; break;
	case OPT_SKIP_ZERO: o->skip_zero = true; break;
	case OPT_CHILDREN: return add_string(&o->children, arg);
	case OPT_VM_PID: o->vm_pid = arg; break;
	case OPT_GUEST: o->guest = arg; break;
	case OPT_TRACEPOINTS: o->tracepoints = true; break;
	case OPT_DEBUGFS: o->debugfs = true; break;
	case OPT_INCLUDE_PAST: o->include_past = true; break;
	case OPT_LATENCY: o->latency = true; break;
	default: return 1;
	}
	return 0;
}

static int take(struct options *o, int id, const char *arg, struct err *err)
{
	int ret = take_scope(o, id, arg);

	if (ret == 1)
		ret = take_session(o, id, arg, err);
	if (ret == 1)
		ret = take_command(o, id, arg, err);
	if (ret == 1)
		ret = take_stat(o, id, arg);
	return ret == -ENOMEM ? err__set(err, ENOMEM, "out of memory") : ret;
}

static int unknown_option(const char *word, unsigned int groups, struct err *err)
{
	const char *names[OPTIONS_MAX], *near = NULL;
	size_t n = option_table__names(groups, names), len = strcspn(word, "=");
	char plain[64];

	snprintf(plain, sizeof(plain), "%.*s", (int)len, word);
	if (word[1] == '-' && suggest__nearest(plain, names, n, &near, 1) > 0)
		return err__usage(err, "no option '%s' (nearest: %s); -h lists all", plain, near);
	return err__usage(err, "no option '%s'; -h lists all", plain);
}

/*
 * Sorts the words into ours, which getopt sees, and others. getopt cannot do that by itself: it
 * does not know whether the word behind a foreign option belongs to it.
 */
static int split(struct options *o, unsigned int groups, bool foreign, int argc, char **argv,
		 char **ours, int *nr_ours, struct err *err)
{
	int i;

	for (i = 1; i < argc; i++) {
		char *w = argv[i];
		int takes = option_table__takes(groups, w);

		if (!strcmp(w, "--")) {
			o->workload = argv + i + 1;
			break;
		}
		if (takes >= 0) {
			ours[(*nr_ours)++] = w;
			if (takes && i + 1 >= argc)
				return err__usage(err, "option '%s' wants a value", w);
			if (takes)
				ours[(*nr_ours)++] = argv[++i];
			continue;
		}
		if (w[0] == '-' && w[1] && !foreign)
			return unknown_option(w, groups, err);
		o->words[o->nr_words++] = w;
	}
	return 0;
}

static int run_getopt(struct options *o, unsigned int groups, int n, char **argv, struct err *err)
{
	struct option longs[OPTIONS_MAX + 1];
	char shorts[3 * OPTIONS_MAX];
	int id, ret = 0;

	option_table__getopt(groups, longs, shorts);
	optind = 0;
	opterr = 0;
	while (!ret && (id = getopt_long(n, argv, shorts, longs, NULL)) != -1) {
		if (id == '?' || id == ':')
			return err__usage(err, "option '%s': wants a value, or takes none; -h lists all",
					  argv[optind > 1 ? optind - 1 : 1]);
		ret = take(o, id < OPT_FIRST ? option_table__id(groups, id) : id, optarg, err);
	}
	return ret;
}

int options__parse(struct options *o, unsigned int groups, bool foreign, int argc, char **argv,
		   struct err *err)
{
	char **ours = calloc(argc + 1, sizeof(*ours));
	int n = 1, ret;

	o->words = calloc(argc + 1, sizeof(*o->words));
	if (!ours || !o->words) {
		free(ours);
		return err__set(err, ENOMEM, "out of memory");
	}
	ours[0] = argv[0];
	ret = split(o, groups, foreign, argc, argv, ours, &n, err);
	if (!ret)
		ret = run_getopt(o, groups, n, ours, err);
	free(ours);
	if (!ret && o->workload && !*o->workload)
		return err__usage(err, "there is no command behind --");
	return ret;
}

int options__add_preset_dirs(struct options *o, struct err *err)
{
	const char *own = user_dir("presets", o->own_presets, sizeof(o->own_presets));
	const char *installed = data_dir("presets", o->installed_presets,
					 sizeof(o->installed_presets));

	if ((own && add_string(&o->preset_dirs, own)) ||
	    (installed && add_string(&o->preset_dirs, installed)))
		return err__set(err, ENOMEM, "out of memory");
	return 0;
}

void options__finish(struct options *o)
{
	o->session.stack &= ~o->session.stack_off;
	o->session.events = o->events.v;
	o->session.preset_dirs = o->preset_dirs.v;
	o->scope.cgroups = o->cgroups.v;
	o->scope.containers = o->containers.v;
	o->session.scope = &o->scope;
	o->session.workload = o->workload;
	o->session.log = &o->log;
	o->session.raw_names = o->no_demangle;
	o->session.perf_map_dir = o->perf_map_dir;
	if (o->no_order)
		o->session.order_ms = 0;
	if (!o->log.level)
		o->log.level = o->session.verbose ? LOG_DEBUG : o->quiet ? LOG_WARNING : LOG_NOTICE;
}

void options__free(struct options *o)
{
	free(o->events.v);
	free(o->cgroups.v);
	free(o->containers.v);
	free(o->preset_dirs.v);
	free(o->children.v);
	free(o->words);
}

void options__help(struct strbuf *b, unsigned int groups)
{
	option_table__help(b, groups);
}
