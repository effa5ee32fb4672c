// SPDX-License-Identifier: GPL-2.0-only
/*
 * scope_code.c - the checks of a scope, the cheap ones first.
 *
 * A check that fails leaves with r0 = SCOPE_OUT (the event's own cpus= with SCOPE_NEVER), one that
 * passes falls through to the next.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../event/event.h"
#include "bpf/record.h"
#include "bpf/template.h"
#include "code_parts.h"
#include "kernel.h"
#include "parts.h"
#include "scope_code.h"

#define RANGES_MAX 24 /* more are looked up in a bitmap */

struct cpu_range {
	u32 first, last;
};

static size_t find_ranges(const u64 *bits, size_t nr_bits, struct cpu_range *out)
{
	size_t n = 0;
	u32 i;

	for (i = 0; i < nr_bits; i++) {
		if (!(bits[i / 64] >> (i % 64) & 1))
			continue;
		if (n && out[n - 1].last + 1 == i) {
			out[n - 1].last = i;
			continue;
		}
		if (n == RANGES_MAX)
			return n + 1;
		out[n++] = (struct cpu_range){i, i};
	}
	return n;
}

static void cpu_ranges(struct code *c, const struct cpu_range *r, size_t n)
{
	struct jumps in = {0};
	size_t i;

	for (i = 0; i + 1 < n; i++) {
		code__reject(c, BPF_JLT, R1, r[i].first);
		jump_imm(c, &in, BPF_JLE, R1, (s32)r[i].last);
	}
	code__reject(c, BPF_JLT, R1, r[i].first);
	code__reject(c, BPF_JGT, R1, r[i].last);
	jumps__land(c, &in);
}

static void cpu_bitmap(struct code *c, int map, size_t nr_bits)
{
	code__reject(c, BPF_JGE, R1, (s64)nr_bits);
	code__mov(c, R3, R1);
	code__alu_imm(c, BPF_RSH, R3, 6);
	code__alu_imm(c, BPF_LSH, R3, 3);
	code__map_value(c, R2, map, 0);
	code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R2, R3, 0, 0);
	code__load(c, R2, R2, 0, 8);
	code__insn(c, BPF_ALU64 | BPF_RSH | BPF_X, R2, R1, 0, 0);
	code__alu_imm(c, BPF_AND, R2, 1);
	code__reject(c, BPF_JEQ, R2, 0);
}

/* @out what r0 is of another CPU */
static int check_cpus(struct code *c, const u64 *bits, size_t nr_bits, int map, int out,
		      struct err *err)
{
	struct cpu_range ranges[RANGES_MAX];
	size_t n = find_ranges(bits, nr_bits, ranges);

	if (n > RANGES_MAX && map < 0)
		return err__usage(err, "cpus=: more than %d ranges of CPUs; use -C", RANGES_MAX);
	code__helper(c, BPF_FUNC_get_smp_processor_id);
	code__mov(c, R1, R0);
	code__mov_imm(c, R0, out);
	if (n <= RANGES_MAX)
		cpu_ranges(c, ranges, n);
	else
		cpu_bitmap(c, map, nr_bits);
	return 0;
}

static int check_event_cpus(struct code *c, const char *list, struct err *err)
{
	_cleanup_free_ u64 *bits = NULL;
	size_t nr_bits;
	int r = cpus__parse(list, "cpus", &bits, &nr_bits, err);

	return r ? r : check_cpus(c, bits, nr_bits, -1, SCOPE_NEVER, err);
}

static void check_uid(struct code *c, s64 uid)
{
	code__helper(c, BPF_FUNC_get_current_uid_gid);
	code__insn(c, BPF_ALU | BPF_MOV | BPF_X, R1, R0, 0, 0);
	code__mov_imm(c, R0, SCOPE_OUT);
	code__reject(c, BPF_JNE, R1, uid);
}

/* The namespace that the wanted level of the task's numbers is of: its own or one around it. */
static void check_pidns_below(struct code *c, const struct scope *s)
{
	const struct pidns_layout *l = &s->kernel->pidns_layout;
	u32 number = l->pid_numbers + (u32)s->pidns_level * l->number_size;

	code__helper(c, BPF_FUNC_get_current_task);
	code__read_kernel(c, l->task_pid, 8, SCOPE_TMP);
	code__store(c, R_WORK, SCOPE_TMP + 8, R0, 8);
	code__read_kernel(c, l->pid_level, 4, SCOPE_TMP);
	code__mov(c, R1, R0);
	code__mov_imm(c, R0, SCOPE_OUT);
	code__reject(c, BPF_JLT, R1, s->pidns_level);
	code__load(c, R0, R_WORK, SCOPE_TMP + 8, 8);
	code__read_kernel(c, number + l->number_ns, 8, SCOPE_TMP);
	code__read_kernel(c, l->ns_inum, 4, SCOPE_TMP);
	code__mov(c, R1, R0);
	code__mov_imm(c, R0, SCOPE_OUT);
	code__imm64(c, R2, s->pidns_ino);
	code__reject_reg(c, BPF_JNE, R1, R2);
}

static void check_pidns(struct code *c, const struct scope *s)
{
	if (s->kernel->has_pidns_layout) {
		check_pidns_below(c, s);
		return;
	}
	current_ids_in(c, s->pidns_dev, s->pidns_ino);
	code__mov(c, R1, R0);
	code__mov_imm(c, R0, SCOPE_OUT);
	code__reject(c, BPF_JNE, R1, 0);
}

/* r0 != 0 rejects: the first @len bytes of the command name are not @name. */
static void compare_comm(struct code *c, const char *name, size_t len)
{
	int word;

	code__mov_imm(c, R0, SCOPE_OUT);
	for (word = 0; word < 2 && len; word++) {
		size_t n = len < 8 ? len : 8;
		u64 value = 0, mask = 0;

		/* by bytes, so that it is right on either endianness */
		memcpy(&value, name + 8 * word, n);
		memset(&mask, 0xff, n);
		code__load(c, R1, R_WORK, SCOPE_TMP + 8 * word, 8);
		if (n < 8) {
			code__imm64(c, R2, mask);
			code__insn(c, BPF_ALU64 | BPF_AND | BPF_X, R1, R2, 0, 0);
		}
		code__reject(c, BPF_JNE, R1, (s64)value);
		len -= n;
	}
}

static void check_comm(struct code *c, const struct scope *s)
{
	size_t literal = strcspn(s->comm, "*?[\\");

	code__mov_imm(c, R1, 0);
	/* what is behind the NUL is left as it was before 6.5 */
	code__store(c, R_WORK, SCOPE_TMP, R1, 8);
	code__store(c, R_WORK, SCOPE_TMP + 8, R1, 8);
	work_address(c, R1);
	code__mov_imm(c, R2, 16);
	code__helper(c, BPF_FUNC_get_current_comm);
	if (!s->comm_is_glob) {
		compare_comm(c, s->comm, strlen(s->comm) + 1);
		return;
	}
	if (!strcmp(s->comm + literal, "*")) {
		compare_comm(c, s->comm, literal);
		return;
	}
	work_address(c, R1);
	code__mov_imm(c, R2, 16);
	code__map_value(c, R3, s->kernel->glob_fd, 0);
	code__call(c, FN_GLOB);
	code__reject(c, BPF_JEQ, R0, 0);
}

bool scope__leaves_out_own(const struct event *e, bool self)
{
	if (self || !e->task_context)
		return false;
	return !e->spec || (!e->spec->key.n && !e->spec->since && !e->spec->is_start);
}

/* The last check: what is left out by another one is not counted as own. */
static void mark_own(struct code *c, const struct scope *s)
{
	struct jumps others = {0};

	if (s && s->own_ns_ino) {
		current_ids_in(c, s->own_ns_dev, s->own_ns_ino);
		jump_imm(c, &others, BPF_JNE, R0, 0);
		code__load(c, R1, R_WORK, SCOPE_TMP + 4, 4);
	} else {
		code__helper(c, BPF_FUNC_get_current_pid_tgid);
		code__mov(c, R1, R0);
		code__alu_imm(c, BPF_RSH, R1, 32);
	}
	code__mov_imm(c, R0, SCOPE_OWN);
	code__reject(c, BPF_JEQ, R1, getpid());
	jumps__land(c, &others);
}

static int check_scope(struct code *c, const struct scope *s, struct err *err)
{
	int r = 0;

	if (s->cpus)
		r = check_cpus(c, s->cpus, s->nr_cpus, s->kernel->cpus_fd, SCOPE_OUT, err);
	if (!r && s->kernel->nr_seeds)
		check_tasks(c, s->kernel);
	if (!r && s->uid >= 0)
		check_uid(c, s->uid);
	if (!r && s->nr_cgroups)
		check_cgroups(c, s);
	if (!r && s->pidns_ino)
		check_pidns(c, s);
	if (!r && s->comm)
		check_comm(c, s);
	return r;
}

/* Only a process that is scoped by its pid can be this one. */
static bool may_be_own(const struct scope *s)
{
	size_t i;

	if (!s || !s->kernel || !s->kernel->nr_seeds || s->kernel->by_thread)
		return true;
	for (i = 0; i < s->kernel->nr_seeds; i++)
		if (s->kernel->seeds[i].id == (u32)getpid())
			return true;
	return false;
}

int scope__code(const struct scope *s, const struct event *e, bool self, struct code *c,
		struct err *err)
{
	size_t n = c->n;
	int r = 0;

	if (s && !s->kernel)
		return err__set(err, EINVAL, "scope__code() before scope__arm()");
	if (e->spec && e->spec->cpus)
		r = check_event_cpus(c, e->spec->cpus, err);
	if (!r && s)
		r = check_scope(c, s, err);
	if (!r && scope__leaves_out_own(e, self) && may_be_own(s))
		mark_own(c, s);
	if (!r && c->n > n)
		code__mov_imm(c, R0, SCOPE_IN);
	if (!r && c->err)
		r = err__set(err, -c->err, "scope: out of memory");
	return r;
}
