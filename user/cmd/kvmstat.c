// SPDX-License-Identifier: GPL-2.0-only
/* kvmstat.c - counters of KVM: tracepoints counted in the kernel, and KVM's own files in debugfs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "../collect/kvm_debugfs.h"
#include "../event/catalog.h"
#include "../scope/guests.h"
#include "../stat_tables.h"
#include "commands.h"
#include "kvm_latency.h"
#include "stat_run.h"

#define GUESTS_MAX 64

struct kvmstat {
	struct stat_opts *o;
	struct catalog *catalog;
	struct stat_tables *tables;
	struct kvm_debugfs *debugfs;
	struct stat_run run;
	struct err *err;
};

/* The field that tells why; architectures call it differently. Others have none. */
static const char *reason_field(struct event_format *f)
{
	static const char *const names[] = {"exit_reason", "esr_ec", "exit_nr"};
	size_t i;

	if (!strcmp(f->name, "kvm_userspace_exit"))
		return event_format__field(f, "reason") ? "reason" : NULL;
	if (strcmp(f->name, "kvm_exit"))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (event_format__field(f, names[i]))
			return names[i];
	return NULL;
}

/* isa of the kvm_exit event: which of the two modules is there. -1: cannot be told */
static s64 isa(void)
{
	if (!access("/sys/module/kvm_intel", F_OK))
		return 1;
	return access("/sys/module/kvm_amd", F_OK) ? -1 : 2;
}

/* What the live table does not show now it may show later; a log has its columns for good. */
static bool is_wanted(const struct kvmstat *k, const char *name, const char *field)
{
	if (!k->o->has_fields || k->o->list_fields ||
	    !(k->o->given.once || k->o->given.lines || k->o->given.log_file))
		return true;
	return field || !regexec(&k->o->fields, name, 0, NULL, 0);
}

static int add_event(void *ctx, const char *system, const char *name)
{
	struct kvmstat *k = ctx;
	struct stat_event event = {.system = system,
				   .name = name,
				   .shown = name,
				   .strip = "KVM_EXIT_",
				   .chosen = isa()};
	struct event_format *f = NULL;
	const char *field;
	int ret = catalog__format(k->catalog, system, name, &f, k->err);

	if (ret)
		return ret;
	field = reason_field(f);
	event.field = field;
	if (!is_wanted(k, name, field)) {
		event_format__put(f);
		return 0;
	}
	ret = stat_tables__add(k->tables, k->catalog, &event, k->err);
	event_format__put(f);
	return ret;
}

static int list_tracepoints(struct kvmstat *k, struct err *err)
{
	int ret = catalog__open(&k->catalog, k->o->given.session.tracefs, &k->o->given.log, err);

	k->err = err;
	if (!ret)
		ret = stat_tables__new(&k->tables, err);
	if (!ret)
		ret = catalog__each(k->catalog, "kvm", "*", add_event, k, err);
	if (!ret && !stat_tables__nr(k->tables))
		ret = err__set(err, ENOENT,
			       "this kernel has no tracepoints of KVM: is kvm loaded?");
	if (!ret && stat_tables__declare(k->tables, k->run.counts))
		ret = err__set(err, ENOMEM, "out of memory");
	return ret;
}

static int add_tracepoints(struct kvmstat *k, struct err *err)
{
	const struct options *o = &k->o->given;
	int ret = list_tracepoints(k, err);

	if (ret || k->o->list_fields)
		return ret;
	return stat_run__count(&k->run, k->tables, o->vm_pid || o->guest ? k->run.view.tgid : 0,
			       err);
}

static int add_debugfs(struct kvmstat *k, struct err *err)
{
	int ret = kvm_debugfs__open(&k->debugfs, NULL, k->o->given.include_past,
				    &k->o->given.log, err);

	if (ret)
		return ret;
	if (kvm_debugfs__declare(k->debugfs, k->run.counts))
		return err__set(err, ENOMEM, "out of memory");
	k->run.providers[k->run.nr_providers++] = (struct count_provider){kvm_debugfs__read,
									  k->debugfs};
	return 0;
}

/* Tracepoints unless only debugfs is asked for; that also where they cannot be counted. */
static int open_providers(struct kvmstat *k, struct err *err)
{
	bool debugfs = k->o->given.debugfs || k->o->given.include_past;
	bool tracepoints = k->o->given.tracepoints || !debugfs;
	struct err why = {0}, no_debugfs = {0};

	if (tracepoints && !add_tracepoints(k, &why)) {
		tracepoints = false;
	} else if (tracepoints) {
		if (k->o->given.tracepoints || why.usage ||
		    (!debugfs && add_debugfs(k, &no_debugfs))) {
			*err = why;
			return -why.code;
		}
		log__say(&k->o->given.log, LOG_NOTICE,
			 "tracepoints cannot be counted (%s); counting by debugfs", why.text);
	}
	if (debugfs && add_debugfs(k, err))
		return -err->code;
	return stat_run__spawn(&k->run, err);
}

static int several(const char *name, const u32 *pids, size_t n, struct err *err)
{
	struct strbuf b = {0};
	size_t i;
	int ret;

	for (i = 0; i < n; i++)
		strbuf__printf(&b, "%s%u", i ? ", " : "", pids[i]);
	ret = err__set(err, EINVAL, "-g %s: several guests have this name: %s; use -p", name,
		       b.s ? b.s : "");
	strbuf__free(&b);
	return ret;
}

static int choose_guest(struct kvmstat *k, struct err *err)
{
	const char *name = k->o->given.guest;
	u32 pids[GUESTS_MAX];
	size_t n = guests__find(name, pids, GUESTS_MAX);

	if (!n)
		return err__set(err, ESRCH, "-g %s: no guest has this name", name);
	if (n > 1)
		return several(name, pids, n < GUESTS_MAX ? n : GUESTS_MAX, err);
	k->run.view.tgid = pids[0];
	return 0;
}

static int choose_pid(struct kvmstat *k, struct err *err)
{
	char path[32], *end;
	unsigned long pid = strtoul(k->o->given.vm_pid, &end, 10);

	snprintf(path, sizeof(path), "/proc/%lu", pid);
	if (*end || !pid || pid > INT32_MAX)
		return err__usage(err, "-p %s: a pid is a number", k->o->given.vm_pid);
	if (access(path, F_OK))
		return err__usage(err, "-p %s: no such process", k->o->given.vm_pid);
	k->run.view.tgid = pid;
	return 0;
}

static int choose(struct kvmstat *k, struct err *err)
{
	if (k->o->has_fields) {
		k->run.view.fields = &k->o->fields;
		k->run.filter_text = k->o->given.fields;
		k->run.view.children = true;
	}
	if (k->o->given.vm_pid)
		return choose_pid(k, err);
	return k->o->given.guest ? choose_guest(k, err) : 0;
}

static int list_fields(struct kvmstat *k, struct err *err)
{
	const struct view all = {.children = true};
	struct lines l;
	size_t i;

	if (counts__by_name(k->run.counts, &all, &l))
		return err__set(err, ENOMEM, "out of memory");
	for (i = 0; i < l.n; i++)
		printf("%s\n", l.v[i].name);
	lines__free(&l);
	return 0;
}

static int latency(struct kvmstat *k, struct err *err)
{
	struct event_format *f = NULL;
	const char *field = NULL;
	int ret = catalog__open(&k->catalog, k->o->given.session.tracefs, &k->o->given.log, err);

	if (!ret) {
		ret = catalog__format(k->catalog, "kvm", "kvm_exit", &f, err);
		if (ret == -ENOENT)
			ret = err__set(err, ENOENT,
				       "this kernel has no kvm:kvm_exit: is kvm loaded?");
	}
	if (!ret)
		field = reason_field(f);
	event_format__put(f);
	if (!ret && !field)
		ret = err__set(err, EOPNOTSUPP,
			       "--latency: kvm_exit of this architecture gives no reason");
	return ret ? ret : kvm_latency(k->o, k->catalog, field, k->run.view.tgid, err);
}

static int kvmstat(struct kvmstat *k, struct err *err)
{
	int ret = choose(k, err);

	if (!ret && k->o->given.latency)
		return latency(k, err);
	k->run.counts = counts__new();
	if (!k->run.counts)
		return err__set(err, ENOMEM, "out of memory");
	if (!ret)
		ret = open_providers(k, err);
	if (ret)
		return ret;
	return k->o->list_fields ? list_fields(k, err) : stat_run(&k->run, err);
}

static void close_all(struct kvmstat *k)
{
	stat_run__close(&k->run);
	kvm_debugfs__close(k->debugfs);
	stat_tables__free(k->tables);
	catalog__close(k->catalog);
	counts__free(k->run.counts);
}

#define GROUPS (OPT_KVM | OPT_STAT | OPT_SCOPE)

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	struct stat_opts o = {0};
	struct kvmstat k = {
		.o = &o, .err = err, .run = {.o = &o, .title = "kvm statistics", .guests = true}};
	int ret = stat_opts__parse(&o, GROUPS, argc, argv, err);

	stat_log(&o.given.log);
	if (!ret && o.given.help)
		command__help_options(self, GROUPS);
	else if (!ret)
		ret = kvmstat(&k, err);
	close_all(&k);
	stat_opts__free(&o);
	return ret;
}

static const char *const examples[] = {
	"tamis kvmstat",
	"tamis kvmstat -1 -f 'kvm_exit'",
	"tamis kvmstat -g web1 -l -s 5",
	"tamis kvmstat -c -L /var/log/kvm.csv -z",
	"tamis kvmstat -f help",
	NULL,
};

const struct command cmd_kvmstat = {
	.name = "kvmstat",
	.summary = "Count events of KVM, live",
	.usage = "[OPTIONS]",
	.examples = examples,
	.run = run,
};
