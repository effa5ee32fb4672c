// SPDX-License-Identifier: GPL-2.0-only
/* profile.c - `tamis profile`: where CPUs spend their time, as a tree, folded stacks, a flame graph. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include "../base/guard.h"
#include "../collect/profiler.h"
#include "../collect/sideband.h"
#include "../event/catalog.h"
#include "../names_feed.h"
#include "../options.h"
#include "../output/call_tree.h"
#include "../scope/workload.h"
#include "../symbol/symbolizer.h"
#include "../symbol/unwind.h"
#include "broken_stacks.h"
#include "command.h"
#include "commands.h"
#include "loop.h"

#define GROUPS	     (OPT_SCOPE | OPT_OUTPUT | OPT_PROFILE)
#define FREQ_DEFAULT 99
#define FRAMES_MAX   512
#define LOOK_MS	     50	/* a process that lives as long is seen while it does */
#define SETTLE_NS    1000000000ull /* at first it is found out soon how processes can be unwound */
#define SETTLE_MS    100

struct profile {
	struct options *o;
	struct profiler *profiler;
	struct scope *scope;
	struct catalog *catalog;
	struct workload *workload;
	struct sideband *sideband; /* NULL: names by /proc alone */
	struct symbolizer *symbolizer;
	struct call_tree *tree;
	struct broken_stacks *broken;
	enum { UNWIND_AUTO, UNWIND_FP, UNWIND_DWARF } unwind;
	u64 ips[FRAMES_MAX];
	struct frame user[FRAMES_MAX], kernel[FRAMES_MAX];
	u64 began, ended;
	bool told; /* the symbolizer knows what happened up to this interval's end */
	int status; /* of the workload */
};

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/*
 * What the processes did is told when the samples of an interval are already closed and not yet
 * named: later, and samples would meet mappings that came after them; earlier, and the newest
 * samples would miss theirs.
 */
static void tell_processes(struct profile *p)
{
	if (p->sideband && !p->told)
		sideband__read(p->sideband, UINT64_MAX, names_feed, p->symbolizer);
	p->told = true;
}

/* What is not code has no name and is no frame, but that something was there is told. */
static u32 fold_unknown(struct frame *f, u32 n)
{
	u32 i, kept = 0;

	for (i = 0; i < n; i++) {
		if (!f[i].dso && kept && !f[kept - 1].dso)
			continue;
		f[kept] = f[i];
		if (!f[i].dso)
			f[kept].symbol = "[unknown]";
		kept++;
	}
	return kept;
}

static u32 name_user(struct profile *p, const struct stack_count *s)
{
	const struct stack_copy *c = s->copy;
	u32 n;

	if (!c) {
		n = symbolizer__frames(p->symbolizer, s->tgid, s->last, s->user, s->nr_user,
				       p->user);
	} else {
		const struct unwind_sample u = {s->last, c->abi,   c->mask,
						c->regs, c->stack, c->stack_size};

		n = symbolizer__unwind(p->symbolizer, s->tgid, &u, p->ips, FRAMES_MAX);
		n = symbolizer__frames(p->symbolizer, s->tgid, s->last, p->ips, n, p->user);
	}
	if (n && broken_stacks__note(p->broken, s->tgid, s->samples,
				     broken_stacks__is(p->user, n)) &&
	    !c && p->unwind == UNWIND_AUTO && !profiler__unwind(p->profiler, s->tgid))
		log__say(&p->o->log, LOG_DEBUG,
			 "%s (%u) has no frame pointers: its stacks are unwound by tables from "
			 "now on",
			 s->comm, s->tgid);
	return fold_unknown(p->user, n);
}

static int on_stack(void *ctx, const struct stack_count *s)
{
	struct profile *p = ctx;
	struct call_chain chain = {
		.comm = s->comm,
		.user = p->user,
		.kernel = p->kernel,
		.count = s->samples,
	};

	tell_processes(p);
	chain.nr_kernel = symbolizer__frames(p->symbolizer, s->tgid, s->last, s->kernel,
					     s->nr_kernel, p->kernel);
	chain.nr_user = name_user(p, s);
	return call_tree__add(p->tree, &chain);
}

static int read_stacks(struct profile *p, struct err *err)
{
	int ret;

	p->told = false;
	ret = profiler__read(p->profiler, on_stack, p, err);
	if (!ret)
		ret = profiler__read_copies(p->profiler, on_stack, p);
	tell_processes(p);
	return ret && !err->code ? err__set(err, -ret, "profile: %s", strerror(-ret)) : ret;
}

static int arm_scope(struct profile *p, struct err *err)
{
	int ret = scope__resolve(&p->scope, &p->o->scope, &p->o->log, err);

	if (!ret && p->o->workload)
		ret = workload__spawn(&p->workload, p->o->workload, err);
	if (ret)
		return ret;
	if (p->workload)
		scope__set_workload(p->scope, (u32)workload__pid(p->workload), &p->o->log);
	if (p->scope->follow)
		ret = catalog__open(&p->catalog, p->o->session.tracefs, &p->o->log, err);
	return ret ? ret : scope__arm(p->scope, p->catalog, err);
}

static int open_profiler(struct profile *p, struct err *err)
{
	unsigned int stack = p->o->session.stack;
	struct profiler_opts opts = {
		.freq = p->o->frequency ? p->o->frequency : FREQ_DEFAULT,
		.no_kernel = stack && !(stack & STACK_KERNEL),
		.no_user = stack && !(stack & STACK_USER),
		.self = p->o->session.self,
		.user_regs = unwind__regs(),
		.unwind_all = p->unwind == UNWIND_DWARF,
		.scope = p->scope,
		.log = &p->o->log,
	};

	if (opts.freq > 100000)
		return err__usage(err, "-F %u: at most 100000 samples a second", opts.freq);
	return profiler__open(&p->profiler, &opts, err);
}

static int parse_unwind(struct profile *p, struct err *err)
{
	const char *how = p->o->unwind;

	if (!how || !strcmp(how, "auto"))
		p->unwind = UNWIND_AUTO;
	else if (!strcmp(how, "fp"))
		p->unwind = UNWIND_FP;
	else if (!strcmp(how, "dwarf"))
		p->unwind = UNWIND_DWARF;
	else
		return err__usage(err, "--unwind %s: it is auto, fp or dwarf", how);
	return 0;
}

static int open_all(struct profile *p, struct err *err)
{
	struct symbolizer_opts names = {p->o->no_demangle, p->o->perf_map_dir};
	int ret = parse_unwind(p, err);

	if (!ret)
		ret = arm_scope(p, err);
	if (!ret)
		ret = open_profiler(p, err);
	if (!ret)
		ret = symbolizer__new(&p->symbolizer, &names, &p->o->log, err);
	p->tree = call_tree__new();
	p->broken = broken_stacks__new();
	if (!ret && (!p->tree || !p->broken))
		ret = err__set(err, ENOMEM, "profile: out of memory");
	return ret;
}

static void open_sideband(struct profile *p)
{
	struct sideband_opts opts = {.maps = true, .log = &p->o->log};
	struct err err = {0};

	if (sideband__open(&p->sideband, &opts, &err))
		log__say(&p->o->log, LOG_NOTICE,
			 "programs that end before they are looked at will have no names: %s",
			 err.text);
}

static int start(struct profile *p, struct err *err)
{
	int ret;

	open_sideband(p);
	symbolizer__scan(p->symbolizer);
	ret = profiler__attach(p->profiler, err);
	p->began = now_ns();
	return !ret && p->workload ? workload__release(p->workload, err) : ret;
}

static bool is_over(struct profile *p)
{
	if (*loop__stopped_at())
		return true;
	if (p->workload) {
		p->status = workload__status(p->workload);
		if (p->status >= 0)
			return true;
	}
	return !p->o->session.keep_waiting && !scope__alive(p->scope, &p->o->log);
}

static u64 interval_ns(const struct profile *p)
{
	u64 ms = profiler__interval(p->profiler);

	if (p->unwind == UNWIND_AUTO && now_ns() - p->began < SETTLE_NS && ms > SETTLE_MS)
		ms = SETTLE_MS;
	return ms * 1000000;
}

/* A signal ends poll() too. */
static int wait_for_interval(struct profile *p)
{
	u64 now = now_ns(), end = now + interval_ns(p);
	struct pollfd fds[] = {
		{p->workload ? workload__fd(p->workload) : -1, POLLIN, 0},
		{p->sideband ? sideband__fd(p->sideband) : -1, POLLIN, 0},
	};
	int ret = 0;

	for (; !ret && now < end; now = now_ns()) {
		u64 left = (end - now) / 1000000 + 1;

		if (poll(fds, 2, left < LOOK_MS ? left : LOOK_MS) < 0 || fds[0].revents)
			return 0;
		p->told = false;
		ret = profiler__read_copies(p->profiler, on_stack, p);
		tell_processes(p);
	}
	return ret;
}

static int collect(struct profile *p, struct err *err)
{
	int ret = start(p, err);

	while (!ret && !is_over(p)) {
		ret = wait_for_interval(p);
		profiler__rescan(p->profiler);
		if (!ret)
			ret = read_stacks(p, err);
	}
	p->ended = now_ns();
	profiler__detach(p->profiler);
	return ret ? ret : read_stacks(p, err);
}

static void title(const struct profile *p, char *text, size_t size)
{
	int n = snprintf(text, size, "On-CPU time"), i;

	for (i = 0; p->o->workload && p->o->workload[i] && n < (int)size; i++)
		n += snprintf(text + n, size - n, "%s%s", i ? " " : ": ", p->o->workload[i]);
	if (n >= (int)size)
		strcpy(text + size - 4, "...");
}

static int write_flame_graph(const struct profile *p, struct err *err)
{
	const char *path = p->o->flame_graph;
	_cleanup_fclose_ FILE *f = fopen(path, "we");
	char heading[96], subtitle[160];
	struct flame_graph g = {.title = heading, .subtitle = subtitle};
	size_t len = strlen(path);
	int ret;

	if (!f)
		return err__set(err, errno, "--flame-graph %s: %s", path, strerror(errno));
	title(p, heading, sizeof(heading));
	snprintf(subtitle, sizeof(subtitle), "%llu samples in %.1f s",
		 (unsigned long long)call_tree__total(p->tree), (p->ended - p->began) / 1e9);
	g.html = len > 5 && !strcmp(path + len - 5, ".html");
	ret = flame_graph__write(p->tree, f, &g);
	if (fflush(f) && !ret)
		ret = -errno;
	return ret ? err__set(err, -ret, "--flame-graph %s: %s", path, strerror(-ret)) : 0;
}

static int write_text(const struct profile *p, struct err *err)
{
	int ret = p->o->folded ? folded__write(p->tree, stdout)
			       : call_tree__print(p->tree, stdout, p->o->than);

	errno = 0;
	if (fflush(stdout) || ret) {
		if (errno == EPIPE)
			return 0;
		return err__set(err, errno ? errno : EIO, "%s: %s",
				p->o->output ? p->o->output : "stdout",
				strerror(errno ? errno : EIO));
	}
	return 0;
}

static void say_losses(struct profile *p, const struct profiler_stats *st)
{
	struct log *log = &p->o->log;

	if (st->lost)
		log__say(log, LOG_WARNING, "lost %llu of %llu samples: the stack table was full",
			 (unsigned long long)st->lost, (unsigned long long)st->samples);
	if (st->truncated)
		log__say(log, LOG_NOTICE,
			 "%llu samples with %u frames or more: their outermost callers may be missing "
			 "(kernel.perf_event_max_stack)",
			 (unsigned long long)st->truncated, st->max_frames);
	if (broken_stacks__most(p->broken))
		log__say(log, LOG_NOTICE,
			 "most user stacks are one or two frames deep or lead nowhere: the programs are "
			 "likely built without frame pointers; build them with "
			 "-fno-omit-frame-pointer, or use --unwind dwarf (stack=dwarf for events)");
}

static void say_summary(struct profile *p)
{
	struct symbolizer_stats names;
	struct profiler_stats st;

	profiler__stats(p->profiler, &st);
	symbolizer__stats(p->symbolizer, &names);
	say_losses(p, &st);
	log__say(&p->o->log, LOG_NOTICE,
		 "%llu samples in %.1f s, lost %llu, truncated %llu, own %llu; %llu of %llu frames "
		 "without a name, %llu of them of files that were gone",
		 (unsigned long long)st.samples, (p->ended - p->began) / 1e9,
		 (unsigned long long)st.lost, (unsigned long long)st.truncated,
		 (unsigned long long)st.own, (unsigned long long)names.nameless,
		 (unsigned long long)names.frames, (unsigned long long)names.late);
	if (names.map_lines || names.map_bad_lines)
		log__say(&p->o->log, LOG_DEBUG,
			 "perf map files: %llu lines, %llu malformed ones skipped",
			 (unsigned long long)names.map_lines,
			 (unsigned long long)names.map_bad_lines);
}

static int workload_exit(const struct profile *p)
{
	if (!p->workload || p->status < 0)
		return 0;
	return WIFSIGNALED(p->status) ? 128 + WTERMSIG(p->status) : WEXITSTATUS(p->status);
}

static int profile(struct profile *p, struct err *err)
{
	int ret = open_all(p, err);

	if (!ret)
		ret = collect(p, err);
	if (ret)
		return ret;
	if (p->o->flame_graph)
		ret = write_flame_graph(p, err);
	if (!ret && (!p->o->flame_graph || p->o->folded || p->o->output))
		ret = write_text(p, err);
	say_summary(p);
	return ret ? ret : workload_exit(p);
}

static void close_all(struct profile *p)
{
	profiler__close(p->profiler);
	if (p->scope)
		scope__disarm(p->scope);
	workload__free(p->workload);
	scope__free(p->scope);
	catalog__close(p->catalog);
	sideband__close(p->sideband);
	symbolizer__free(p->symbolizer);
	call_tree__free(p->tree);
	broken_stacks__free(p->broken);
}

static int run_with(struct options *o, struct err *err)
{
	struct profile *p = calloc(1, sizeof(*p));
	struct loop *l = NULL;
	int ret;

	if (!p)
		return err__set(err, ENOMEM, "profile: out of memory");
	p->o = o;
	p->status = -1;
	options__finish(o);
	ret = loop__open(&l, o, err);
	if (!ret)
		ret = profile(p, err);
	close_all(p);
	loop__free(l);
	free(p);
	return ret;
}

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	struct options o = {0};
	int ret = options__parse(&o, GROUPS, false, argc, argv, err);

	if (!ret && !o.help && o.nr_words)
		ret = err__usage(err, "'%s' is no option; a command to profile goes behind --",
				 o.words[0]);
	if (!ret)
		ret = o.help ? command__help_options(self, GROUPS) : run_with(&o, err);
	options__free(&o);
	return ret;
}

static const char *const examples[] = {
	"tamis profile -- find /usr -name 'x*'",
	"tamis profile -F 499 -p 1 --than 1",
	"tamis profile --flame-graph cpu.svg -- gzip -c /usr/bin/perf",
	"tamis profile -F 999 --folded -o stacks.folded -- sleep 10",
	NULL,
};

const struct command cmd_profile = {
	.name = "profile",
	.summary = "Show where CPUs spend their time",
	.usage = "[OPTIONS] [-- COMMAND...]",
	.examples = examples,
	.run = run,
};
