// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_scope.c - what of a scope perf_event_open() cannot be told.
 *
 * It knows threads and their children, or cgroups with their descendants, and CPUs. The rest is
 * checked by a BPF program on sampling sources, which may drop a sample without anybody noticing
 * (not so on tracepoints, where it would hide the event from others); on tracepoints by the
 * kernel's filter or in user space.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "../base/guard.h"
#include "../base/types.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"
#include "../base/strbuf.h"
#include "../scope/scope_code.h"
#include "perf_parts.h"

static bool has_tasks(const struct scope *s)
{
	return s->nr_tgids || s->nr_tids || s->workload;
}

static bool has_v1(const struct scope *s)
{
	size_t i;

	for (i = 0; i < s->nr_cgroups; i++)
		if (s->cgroups[i].v1 >= 0)
			return true;
	return false;
}

bool perf_scope__by_cgroup(const struct scope *s)
{
	return s && s->nr_cgroups && !has_v1(s) && !(has_tasks(s) && s->follow);
}

unsigned int perf_scope__rest(const struct scope *s)
{
	unsigned int rest = 0;

	if (!s)
		return 0;
	if (s->nr_cgroups && !perf_scope__by_cgroup(s))
		rest |= REST_BPF;
	if (perf_scope__by_cgroup(s) && has_tasks(s))
		rest |= REST_IDS;
	if (perf_scope__by_cgroup(s) && s->exact)
		rest |= REST_EXACT;
	if (s->uid >= 0 || s->pidns_ino)
		rest |= REST_BPF;
	if (s->comm)
		rest |= REST_COMM;
	return rest;
}

bool perf_transport__wants_armed(const struct scope *s)
{
	return perf_scope__rest(s);
}

static int cannot(const struct event *e, const char *why, struct err *err)
{
	return err__set(
		err, EOPNOTSUPP,
		"%s: this scope (--comm, -u, --pidns, a v1 cgroup, or a cgroup together with "
		"followed tasks) needs BPF: %s",
		e->label, why);
}

/* Code of the scope hole as a program of its own: rejecting jumps lead to its exit. */
static int load(const struct event *e, struct code *c, struct err *err)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	struct code prog = {0};
	size_t i;
	int fd;

	code__mov(&prog, R_REC, R1);
	code__insn(&prog, BPF_ALU64 | BPF_MOV | BPF_X, R_WORK, BPF_REG_10, 0, 0);
	code__alu_imm(&prog, BPF_ADD, R_WORK, -(s32)sizeof(struct work));
	for (i = 0; i < c->n; i++)
		code__insn(&prog, c->insn[i].code, c->insn[i].dst_reg, c->insn[i].src_reg,
			   c->insn[i].off, c->insn[i].imm);
	for (i = 0; i < c->nr_rejects && !prog.err; i++)
		prog.insn[3 + c->rejects[i]].off = c->n - c->rejects[i] - 1;
	code__insn(&prog, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	fd = prog.err ? prog.err
		      : bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "tamis_scope", "GPL", prog.insn,
				      prog.n, &opts);
	code__free(&prog);
	return fd < 0 ? cannot(e, strerror(-fd), err) : fd;
}

static int source_program(const struct perf_transport *t, struct perf_slot *slot, struct err *err)
{
	_cleanup_(code__free) struct code c = {0};
	int ret;

	if (!t->opts.scope->kernel)
		return cannot(slot->event, "it cannot be used here", err);
	code__mov_imm(&c, R0, SCOPE_IN);
	ret = scope__code(t->opts.scope, slot->event, true, &c, err);
	if (ret)
		return ret;
	if (c.nr_calls)
		return err__usage(err,
				  "%s: --comm takes no such pattern for a sampling source, only a "
				  "name or a prefix with *",
				  slot->event->label);
	slot->program = load(slot->event, &c, err);
	return slot->program < 0 ? slot->program : 0;
}

/* The kernel's filters know the command name, but as a string without escapes. */
static int add_comm(struct perf_slot *slot, const struct scope *s, struct err *err)
{
	struct strbuf b = {0};

	if (strchr(s->comm, '"') || strpbrk(s->comm, "?[\\"))
		return cannot(slot->event, "the kernel's filters cannot say this name", err);
	if (slot->kernel_filter)
		strbuf__printf(&b, "(%s) && ", slot->kernel_filter);
	strbuf__printf(&b, "COMM %s \"%s\"", s->comm_is_glob ? "~" : "==", s->comm);
	if (b.failed)
		return err__set(err, ENOMEM, "out of memory");
	free(slot->kernel_filter);
	slot->kernel_filter = b.s;
	return 0;
}

int perf_scope__prepare(const struct perf_transport *t, struct perf_slot *slot, struct err *err)
{
	unsigned int rest = perf_scope__rest(t->opts.scope);

	if (!rest)
		return 0;
	if (slot->event->kind == SPEC_SOURCE)
		return source_program(t, slot, err);
	if (rest & REST_BPF)
		return cannot(slot->event, "it travels by the perf transport here", err);
	slot->check = rest & (REST_IDS | REST_EXACT);
	return rest & REST_COMM ? add_comm(slot, t->opts.scope, err) : 0;
}

static bool in(const u32 *v, size_t n, u32 id)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i] == id)
			return true;
	return !n;
}

static bool in_cgroups(const struct scope *s, u64 id)
{
	size_t i;

	for (i = 0; i < s->nr_cgroups; i++)
		if (s->cgroups[i].id == id)
			return true;
	return false;
}

bool perf_scope__has(const struct scope *s, unsigned int check, const struct record *rec)
{
	struct sample_parts p;

	if (check & REST_IDS &&
	    (!in(s->tgids, s->nr_tgids, rec->tgid) || !in(s->tids, s->nr_tids, rec->tid) ||
	     (s->workload && rec->tgid != s->workload)))
		return false;
	if (!(check & REST_EXACT))
		return true;
	sample__parse_until(&rec->event->sample, rec->data, rec->size, PERF_SAMPLE_CGROUP, &p);
	return p.has & PERF_SAMPLE_CGROUP && in_cgroups(s, p.cgroup);
}
