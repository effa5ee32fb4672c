// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "../event/format.h"
#include "dispatch.h"
#include "rebuild_table.h"

#define NUMBERS	   1024 /* room for numbers of system calls */
#define R_ARGS	   R_REC
#define R_RECORD   R_WORK
#define ARG_REGS   0 /* struct pt_regs *, of both tracepoints */
#define ARG_SECOND 8 /* the number, or what is returned */

static const char *const tracepoint[DISPATCH_POINTS] = {"sys_enter", "sys_exit"};

/* r3 = number of the call of which @args are the tracepoint's arguments */
static bool load_number(enum dispatch_point point, struct kernel_types *k, struct code *c, int args)
{
	u32 offset, size;

	if (point == DISPATCH_ENTER) {
		code__load(c, R3, args, ARG_SECOND, 8);
		return true;
	}
	if (!kernel_types__member(k, "pt_regs", SYSCALL_NUMBER, &offset, &size) || size != 8)
		return false;
	code__load(c, R3, args, ARG_REGS, 8);
	code__load(c, R3, R3, offset, 8);
	return true;
}

/* syscalls:* leave out calls by the 32-bit interface, whose numbers mean something else. */
static bool make_code(struct dispatch *d, struct kernel_types *k, struct code *c)
{
	u32 status, size, rest;

	if (!kernel_types__member(k, "task_struct", "thread_info.status", &status, &size))
		return false;
	code__mov(c, R_REC, R1);
	code__helper(c, BPF_FUNC_get_current_task_btf);
	code__load(c, R1, R0, status, 4);
	rest = d->point == DISPATCH_ENTER ? 5 : 6;
	code__insn(c, BPF_JMP | BPF_JSET | BPF_K, R1, 0, rest, TS_COMPAT);
	if (!load_number(d->point, k, c, R_REC))
		return false;
	code__mov(c, R1, R_REC);
	code__map_fd(c, R2, d->programs);
	code__helper(c, BPF_FUNC_tail_call);
	code__mov_imm(c, R0, 1);
	code__insn(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return !c->err;
}

static int load(struct dispatch *d, struct kernel_types *k)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP,
		    .attach_btf_id = kernel_types__tracepoint(k, tracepoint[d->point]));
	struct code c = {0};
	int ret = -ENOTSUP;

	if (make_code(d, k, &c)) {
		d->fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "tamis_dispatch", "GPL", c.insn, c.n,
				      &opts);
		ret = d->fd < 0 ? -errno : 0;
	}
	code__free(&c);
	return ret;
}

int dispatch__open(struct dispatch *d, enum dispatch_point point, struct kernel_types *k)
{
	int ret;

	*d = (struct dispatch)DISPATCH_NONE;
	d->point = point;
	d->programs = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "tamis_calls", sizeof(u32),
				     sizeof(u32), NUMBERS, NULL);
	if (d->programs < 0)
		return -errno;
	ret = load(d, k);
	if (ret)
		dispatch__close(d);
	return ret;
}

void dispatch__close(struct dispatch *d)
{
	attach__detach(&d->attachment);
	if (d->fd >= 0)
		close(d->fd);
	if (d->programs >= 0)
		close(d->programs);
	*d = (struct dispatch)DISPATCH_NONE;
}

int dispatch__add(struct dispatch *d, int number, int prog)
{
	u32 is;

	if (number < 0 || number >= NUMBERS)
		return -EINVAL;
	if (!bpf_map_lookup_elem(d->programs, &number, &is))
		return -EEXIST;
	return bpf_map_update_elem(d->programs, &number, &prog, BPF_ANY) ? -errno : 0;
}

int dispatch__attach(struct dispatch *d, struct err *err)
{
	return attach__raw(&d->attachment, d->fd, NULL, "syscalls:*", err);
}

/* The number, and what is returned or the arguments in eight bytes each: nothing else. */
static bool is_plain(enum dispatch_point point, const struct event_format *f)
{
	size_t i, most = point == DISPATCH_ENTER ? 7 : 2;

	if (!f->nr_fields || f->nr_fields > most || strcmp(f->fields[0].name, "__syscall_nr"))
		return false;
	for (i = 1; i < f->nr_fields; i++)
		if (f->fields[i].room != 8 || f->fields[i].where == FIELD_DATA_LOC ||
		    f->fields[i].where == FIELD_REL_LOC)
			return false;
	return true;
}

static bool copy_arguments(const struct event_format *f, struct kernel_types *k, struct code *c)
{
	u32 offset, size;
	size_t i;

	code__load(c, R1, R_ARGS, ARG_REGS, 8);
	for (i = 1; i < f->nr_fields; i++) {
		if (!kernel_types__member(k, "pt_regs", native_registers[i - 1], &offset, &size))
			return false;
		code__load(c, R2, R1, offset, 8);
		code__store(c, R_RECORD, f->fields[i].offset, R2, 8);
	}
	return true;
}

bool dispatch__rebuild(enum dispatch_point point, const struct event_format *f,
		       struct kernel_types *k, struct code *c, struct rebuild_plan *plan)
{
	plan->tracepoint = tracepoint[point];
	plan->btf_id = kernel_types__tracepoint(k, plan->tracepoint);
	rebuild__clear_gaps(f, 0xffff, c);
	if (!plan->btf_id || !is_plain(point, f) || !load_number(point, k, c, R_ARGS))
		return false;
	code__store(c, R_RECORD, f->fields[0].offset, R3, f->fields[0].room);
	if (point == DISPATCH_ENTER)
		return copy_arguments(f, k, c) && !c->err;
	code__load(c, R1, R_ARGS, ARG_SECOND, 8);
	if (f->nr_fields == 2)
		code__store(c, R_RECORD, f->fields[1].offset, R1, 8);
	return !c->err;
}
