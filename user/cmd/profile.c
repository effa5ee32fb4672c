// SPDX-License-Identifier: GPL-2.0-only
/* profile.c - `tamis profile`: where CPUs spend their time, as a tree, folded stacks, a flame graph. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "../collect/sideband.h"
#include "../event/catalog.h"
#include "../scope/scope.h"
#include "../scope/workload.h"
#include "../symbol/unwind.h"
#include "command.h"
#include "commands.h"
#include "loop.h"
#include "profile_parts.h"

#define FREQ_MAX 100000u
#define GROUPS	 (OPT_SCOPE | OPT_OUTPUT | OPT_PROFILE)

u32 profile__frequency(const struct profile *p)
{
	return p->o->frequency ? p->o->frequency : FREQ_DEFAULT;
}

static int resolve_scope(struct profile *p, struct err *err)
{
	int ret = scope__resolve(&p->scope, &p->o->scope, &p->o->log, err);

	if (!ret && p->o->workload)
		ret = workload__spawn(&p->workload, p->o->workload, err);
	return ret;
}

static int arm_scope(struct profile *p, struct err *err)
{
	int ret = 0;

	if (p->workload)
		scope__set_workload(p->scope, (u32)workload__pid(p->workload), &p->o->log);
	if (p->scope->follow)
		ret = catalog__open(&p->catalog, p->o->session.tracefs, &p->o->log, err);
	return ret ? ret : scope__arm(p->scope, p->catalog, err);
}

static int open_profiler(struct profile *p, struct err *err)
{
	unsigned int stack = p->o->session.stack, off = p->o->session.stack_off;
	struct profiler_opts opts = {
		.freq = profile__frequency(p),
		.no_kernel = off & STACK_KERNEL || (stack && !(stack & STACK_KERNEL)),
		.no_user = off & STACK_USER || (stack && !(stack & STACK_USER)),
		.self = p->o->session.self,
		.user_regs = unwind__regs(),
		.unwind_all = p->unwind == UNWIND_DWARF,
		.scope = p->scope,
		.log = &p->o->log,
	};

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

static int open_symbolizer(struct profile *p, struct err *err)
{
	struct symbolizer_opts names = {p->o->no_demangle, p->o->perf_map_dir};

	return symbolizer__new(&p->symbolizer, &names, &p->o->log, err);
}

static int prepare(struct profile *p, struct err *err)
{
	if (profile__frequency(p) > FREQ_MAX)
		return err__usage(err, "-F %u: at most %u samples a second", profile__frequency(p),
				  FREQ_MAX);
	p->tree = call_tree__new();
	p->broken = broken_stacks__new();
	if (!p->tree || !p->broken)
		return err__set(err, ENOMEM, "profile: out of memory");
	return parse_unwind(p, err);
}

static int workload_exit(const struct profile *p)
{
	if (p->status < 0)
		return 0;
	return WIFSIGNALED(p->status) ? 128 + WTERMSIG(p->status) : WEXITSTATUS(p->status);
}

static void close_scope(struct profile *p)
{
	profiler__close(p->profiler);
	if (p->scope)
		scope__disarm(p->scope);
	workload__free(p->workload);
	scope__free(p->scope);
	catalog__close(p->catalog);
	p->profiler = NULL;
	p->scope = NULL;
	p->workload = NULL;
	p->catalog = NULL;
}

static void close_all(struct profile *p)
{
	close_scope(p);
	sideband__close(p->sideband);
	if (!p->session)
		symbolizer__free(p->symbolizer);
	session__close(p->session);
	call_tree__free(p->tree);
	broken_stacks__free(p->broken);
}

/* What the kernel says when it takes no BPF programs, from us or at all. */
static bool is_without_bpf(int ret)
{
	return ret == -EPERM || ret == -EACCES || ret == -EOPNOTSUPP || ret == -ENOSYS;
}

static int open_by_bpf(struct profile *p, struct err *err)
{
	int ret;

	if (p->o->session.transport == TRANSPORT_PERF)
		return -EOPNOTSUPP;
	ret = arm_scope(p, err);
	if (!ret)
		ret = open_profiler(p, err);
	return ret ? ret : open_symbolizer(p, err);
}

static int collect(struct profile *p, struct loop *l, struct err *err)
{
	int ret = resolve_scope(p, err);

	if (ret)
		return ret;
	ret = open_by_bpf(p, err);
	if (!ret)
		return profile__collect(p, err);
	if (!is_without_bpf(ret) || p->o->session.transport == TRANSPORT_BPF)
		return ret;
	if (err->code)
		log__say(&p->o->log, LOG_NOTICE, "without BPF each sample travels: %s", err->text);
	*err = (struct err){0};
	close_scope(p);
	return profile__by_samples(p, l, err);
}

static int profile(struct profile *p, struct loop *l, struct err *err)
{
	int ret = prepare(p, err);

	if (!ret)
		ret = collect(p, l, err);
	if (ret)
		return ret;
	ret = profile__write(p, err);
	profile__summary(p);
	return ret ? ret : workload_exit(p);
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
		ret = profile(p, l, err);
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
