// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include "../base/log.h"
#include "../event/event.h"
#include "../event/probe.h"
#include "../scope/scope.h"
#include "../scope/scope_code.h"
#include "bpf_event.h"
#include "bpf_template.h"
#include "probe_code.h"
#include "syscall_table.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define ENOTSUPP_KERNEL 524 /* an error number that only the kernel has */

static bool needs_ns_ids(const struct scope *s)
{
	return s && s->own_ns_ino;
}

static bool wants_chain(const struct event *e)
{
	return e->spec && e->spec->stack;
}

static int syscall_number(const struct bpf_event *be)
{
	return syscall_table__number(be->event->format->name);
}

bool bpf_event__can_dispatch(const struct bpf_event *be, const struct bpf_transport_opts *opts)
{
	const struct event_format *f = be->event->format;

	return !opts->generic && (f->is_syscall_enter || f->is_syscall_exit) &&
	       !wants_chain(be->event) && syscall_number(be) >= 0;
}

int bpf_event__init(struct bpf_event *be, struct event *e, const struct bpf_transport_opts *opts,
		    struct kernel_types *types, u32 max_stack, struct err *err)
{
	bool task_extras;

	*be = (struct bpf_event){
		.event = e,
		.holes = HOLES_EMIT,
		.program.fd = -1,
		.attachment = ATTACHMENT_NONE,
	};
	if (!opts->generic)
		be->rebuild = rebuild__find(e->format);
	task_extras = emit__task_extras(e) && task_members__find(&be->emit.task, types);
	if (emit__task_extras(e) && !task_extras)
		log__once(
			opts->log, LOG_NOTICE,
			"_ppid, _nspid and _nstid are not known: the kernel does not describe its "
			"types (/sys/kernel/btf/vmlinux)");
	return emit__layout(&be->emit, e, needs_ns_ids(opts->scope), task_extras, max_stack, err);
}

static u32 event_flags(const struct bpf_event *be)
{
	const struct event_spec *spec = be->event->spec;
	u32 flags = be->holes.flags | be->emit.flags;

	if (spec && spec->sample > 1)
		flags |= F_SAMPLE;
	if (spec && spec->rate)
		flags |= F_RATE;
	return flags;
}

static u32 clamp(u64 n)
{
	return n < INT32_MAX ? n : INT32_MAX;
}

static int patch(struct bpf_event *be, const struct bpf_shared *shared, struct err *err)
{
	const struct event *e = be->event;
	const struct {
		u32 mark, value;
	} imms[] = {
		{IMM_FLAGS, event_flags(be)},
		{IMM_SIZE, be->emit.size},
		{IMM_EVENT, e->index},
		{IMM_COUNTERS, (u32)e->index * shared->counters->nr_cpus},
		{IMM_WAKE, shared->wake},
		{IMM_SCRATCH, be->scratch},
		{IMM_SAMPLE, e->spec ? clamp(e->spec->sample) : 0},
		{IMM_RATE, e->spec ? clamp(e->spec->rate) : 0},
		{IMM_STARTS, (u32)be->holes.end_event * shared->counters->nr_cpus},
		{IMM_SKIP, be->rebuild ? rebuild__own_frames(be->rebuild) : 0},
		{IMM_BEGINS, (u32)be->holes.begin_event * shared->counters->nr_cpus},
	};
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(imms) && !ret; i++)
		if (stencil__has_imm(be->program.stencil, imms[i].mark))
			ret = program__patch(&be->program, imms[i].mark, imms[i].value, err);
	return ret;
}

static int fill_scope(struct bpf_event *be, const struct bpf_shared *shared, struct err *err)
{
	struct code c = {0};
	int ret = scope__code(shared->opts->scope, be->event, shared->opts->self, &c, err);

	if (!ret)
		ret = program__fill(&be->program, MARK_SCOPE, &c, "its scope", err);
	code__free(&c);
	return ret;
}

static int fill_copy(struct bpf_event *be, const struct bpf_shared *shared, struct err *err)
{
	struct code c = {0};
	int ret;

	if (!(be->holes.flags & F_EMIT))
		return 0;
	emit__code(&be->emit, be->event, shared->opts->scope, &c);
	ret = program__fill(&be->program, MARK_COPY, &c, "what its records hold", err);
	code__free(&c);
	return ret;
}

static int fill_expressions(struct bpf_event *be, struct err *err)
{
	const struct holes *h = &be->holes;
	const struct {
		u32 mark;
		const struct code *code;
		const char *what;
	} all[] = {
		{MARK_FILTER, &h->filter, "its filter"},
		{MARK_LATE, &h->late, "the part of its filter that uses latency"},
		{MARK_KEY, &h->key, "by="},
		{MARK_VALUE, &h->value, "what it sums up"},
		{MARK_UPDATE, &h->update, "what it sums up"},
		{MARK_STARTKEY, &h->start_key, "key="},
		{MARK_ENDKEY, &h->end_key, "key="},
		{MARK_KEEP, &h->keep, "keep="},
	};
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(all) && !ret; i++)
		ret = program__fill(&be->program, all[i].mark, all[i].code, all[i].what, err);
	return ret;
}

static void swap_maps(struct bpf_event *be, const struct bpf_shared *shared)
{
	const struct bpf_template *t = shared->template;
	bool by_task = be->holes.flags & F_TASK;

	program__map(&be->program, t->counters, shared->counters->fd);
	program__map(&be->program, t->scratch, shared->scratch);
	if (be->holes.agg >= 0)
		program__map(&be->program, t->agg, be->holes.agg);
	if (be->holes.swap >= 0)
		program__map(&be->program, t->swap, be->holes.swap);
	if (be->holes.starts >= 0)
		program__map(&be->program, by_task ? t->task_starts : t->starts, be->holes.starts);
	if (be->holes.ends >= 0)
		program__map(&be->program, by_task ? t->task_ends : t->ends, be->holes.ends);
	if (be->holes.stacks >= 0)
		program__map(&be->program, t->stacks, be->holes.stacks);
}

static int fill(struct bpf_event *be, const struct bpf_shared *shared, struct err *err)
{
	int ret = patch(be, shared, err);

	if (!ret)
		ret = fill_scope(be, shared, err);
	if (!ret)
		ret = fill_copy(be, shared, err);
	if (!ret)
		ret = fill_expressions(be, err);
	if (!ret)
		swap_maps(be, shared);
	return ret;
}

/* Only emitted; if its expressions call functions as well, the short program does not do. */
static bool may_be_short(const struct bpf_event *be)
{
	return event_flags(be) == (F_EMIT | be->emit.flags);
}

static int load_classic_from(struct bpf_event *be, const struct bpf_shared *shared,
			     const struct stencil *s, struct err *err)
{
	int ret = program__init(&be->program, s, BPF_PROG_TYPE_TRACEPOINT, be->event->label, err);

	be->scratch = 0; /* classic programs exclude each other on a CPU */
	if (!ret)
		ret = fill(be, shared, err);
	return ret ? ret : program__load(&be->program, err);
}

static int load_classic(struct bpf_event *be, const struct bpf_shared *shared, struct err *err)
{
	const struct bpf_template *t = shared->template;
	struct err ignored = {0};

	if (may_be_short(be) && !load_classic_from(be, shared, &t->classic_emit, &ignored))
		return 0;
	program__free(&be->program);
	return load_classic_from(be, shared, &t->classic, err);
}

static int init_raw(struct bpf_event *be, const struct stencil *s, const struct code *c,
		    struct err *err)
{
	bool typed = be->plan.btf_id;
	int ret = program__init(&be->program, s,
				typed ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_RAW_TRACEPOINT,
				be->event->label, err);

	be->program.btf_id = be->plan.btf_id;
	be->program.attach_type = typed ? BPF_TRACE_RAW_TP : 0;
	if (!ret)
		ret = program__patch(&be->program, IMM_RESULT, 1, err);
	return ret ? ret : program__fill(&be->program, MARK_REBUILD, c, "its record", err);
}

static bool rebuild_code(struct bpf_event *be, struct kernel_types *types, struct code *c)
{
	const struct event_format *f = be->event->format;

	if (be->dispatch)
		return dispatch__rebuild(be->dispatch->point, f, types, c, &be->plan);
	return rebuild__code(be->rebuild, f, rebuild__words(f, &be->holes), types, c, &be->plan);
}

static int load_raw_from(struct bpf_event *be, const struct bpf_shared *shared,
			 const struct stencil *s, struct err *err)
{
	struct code c = {0};
	int ret = -ENOENT;

	if (rebuild_code(be, shared->types, &c))
		ret = init_raw(be, s, &c, err);
	code__free(&c);
	if (!ret)
		ret = fill(be, shared, err);
	if (!ret)
		ret = program__load(&be->program, err);
	if (ret || !be->dispatch)
		return ret;
	ret = dispatch__add(be->dispatch, syscall_number(be), be->program.fd);
	if (!ret)
		program__free(&be->program); /* the dispatcher's map holds it */
	return ret;
}

/* @return not 0, whatever the reason: a classic program has to do */
static int try_raw(struct bpf_event *be, const struct bpf_shared *shared)
{
	const struct bpf_template *t = shared->template;
	struct err ignored = {0};
	int ret;

	if (may_be_short(be) && !load_raw_from(be, shared, &t->raw_emit, &ignored))
		return 0;
	program__free(&be->program);
	ignored.code = 0;
	ret = load_raw_from(be, shared, &t->raw, &ignored);
	if (!ret)
		return 0;
	program__free(&be->program);
	if (ignored.code)
		log__say(shared->opts->log, LOG_DEBUG, "%s: a classic program: %s",
			 be->event->label, ignored.text);
	return ret;
}

static int init_probe(struct bpf_event *be, const struct bpf_shared *shared, struct err *err)
{
	int attach_type;
	enum bpf_prog_type type = probe_attach__type(be->event, &attach_type);
	struct code c = {0};
	int ret = program__init(&be->program, &shared->template->raw, type, be->event->label, err);

	be->program.attach_type = attach_type;
	if (type == BPF_PROG_TYPE_TRACING)
		be->program.btf_id = be->event->format->probe->btf_id;
	else
		be->scratch = 0; /* these programs exclude each other on a CPU */
	probe_code__record(be->event, &c);
	/* the kernel wants 0 of the former; of the latter, 0 would keep the event from perf */
	if (!ret)
		ret = program__patch(&be->program, IMM_RESULT, type != BPF_PROG_TYPE_TRACING, err);
	if (!ret)
		ret = program__fill(&be->program, MARK_REBUILD, &c, "its record", err);
	code__free(&c);
	return ret;
}

/* Tracepoints are allowed where this is not, so that "run as root" would mislead. */
static int load_trampoline(struct bpf_event *be, struct err *err)
{
	struct err why = {0};
	int ret = program__load(&be->program, &why);

	if (ret == -EPERM || ret == -EOPNOTSUPP || ret == -ENOTSUPP_KERNEL)
		return err__set(err, -ret,
				"%s: this kernel refuses fentry and fexit programs (%s): it is locked "
				"down, was built without them, or CAP_BPF and CAP_PERFMON are missing; "
				"try kprobe: or a tracepoint",
				be->event->label, strerror(-ret));
	if (ret)
		*err = why;
	return ret;
}

static int load_probe(struct bpf_event *be, const struct bpf_shared *shared, struct err *err)
{
	int ret = init_probe(be, shared, err);

	if (!ret)
		ret = fill(be, shared, err);
	if (!ret && be->program.type == BPF_PROG_TYPE_TRACING)
		return load_trampoline(be, err);
	return ret ? ret : program__load(&be->program, err);
}

static bool may_be_raw(const struct bpf_event *be)
{
	if (wants_chain(be->event) || be->holes.stacks >= 0)
		return be->rebuild && rebuild__own_frames(be->rebuild);
	return be->rebuild || be->dispatch;
}

int bpf_event__load(struct bpf_event *be, const struct bpf_shared *shared, struct err *err)
{
	if (be->event->format->probe)
		return load_probe(be, shared, err);
	if (may_be_raw(be) && !try_raw(be, shared))
		return 0;
	be->rebuild = NULL;
	be->dispatch = NULL;
	return load_classic(be, shared, err);
}

int bpf_event__attach(struct bpf_event *be, struct err *err)
{
	if (be->dispatch)
		return 0; /* with the program that jumps here */
	if (be->event->format->probe)
		return probe_attach__all(&be->links, be->event, be->program.fd, err);
	if (be->rebuild)
		return attach__raw(&be->attachment, be->program.fd,
				   be->plan.btf_id ? NULL : be->plan.tracepoint, be->event->label,
				   err);
	return attach__tracepoint(&be->attachment, be->program.fd, be->event->format->id,
				  be->event->label, err);
}

void bpf_event__detach(struct bpf_event *be)
{
	attach__detach(&be->attachment);
	probe_attach__free(&be->links);
}

static void free_holes(struct holes *h)
{
	struct code *all[] = {&h->filter, &h->late,	 &h->key,  &h->value,
			      &h->update, &h->start_key, &h->keep, &h->end_key};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		code__free(all[i]);
}

void bpf_event__free(struct bpf_event *be)
{
	free_holes(&be->holes);
	bpf_event__detach(be);
	program__free(&be->program);
}

u64 bpf_event__missed(const struct bpf_event *be)
{
	struct bpf_prog_info info = {0};
	u32 len = sizeof(info);

	if (be->program.fd < 0 || bpf_obj_get_info_by_fd(be->program.fd, &info, &len))
		return 0;
	return info.recursion_misses;
}
