// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include "../base/err.h"
#include "../event/event.h"
#include "../scope/scope.h"
#include "emit.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define COMMON_SIZE   8 /* common_*, which a classic program may not read */
#define BULK	      136 /* bytes of raw record from which a helper beats single loads */
#define USER_STACK    (1u << 8) /* BPF_F_USER_STACK */
#define DEFAULT_STACK 127

static u32 align8(u32 n)
{
	return (n + 7) & ~7u;
}

static u16 take(u32 *pos, u32 size)
{
	u16 at = *pos;

	*pos += size;
	return at;
}

/* u64 parts first, so that everything is aligned to its size. */
static void place_words(struct event *e, u32 *pos)
{
	struct record_layout *l = &e->layout;
	size_t i;

	if (e->with & (1u << EXTRA_COMM))
		l->extra[EXTRA_COMM] = take(pos, 16);
	if (e->with & (1u << EXTRA_CGROUP | 1u << EXTRA_CONTAINER))
		l->extra[EXTRA_CGROUP] = l->extra[EXTRA_CONTAINER] = take(pos, 8);
	for (i = 0; i < e->nr_fields; i++)
		if (e->fields[i].where == FIELD_VALUE && e->fields[i].slot < LAYOUT_VALUES)
			l->value[e->fields[i].slot] = take(pos, align8(e->fields[i].size));
}

u32 emit__task_extras(const struct event *e)
{
	return e->with & (1u << EXTRA_PPID | 1u << EXTRA_NSPID | 1u << EXTRA_NSTID);
}

static void place_halves(struct event *e, bool ns_ids, u32 with, u32 *pos)
{
	struct record_layout *l = &e->layout;
	size_t i;
	int x;

	if (ns_ids)
		l->ns_ids = take(pos, 8);
	for (x = 0; x < EXTRA_MAX; x++)
		if (with & (1u << x))
			l->extra[x] = take(pos, 4);
	for (i = 0; i < e->nr_fields; i++)
		if (field__is_user_text(&e->fields[i]) && e->fields[i].slot < LAYOUT_TEXTS)
			l->text[e->fields[i].slot] = take(pos, 4);
}

static bool has_payload(const struct event *e)
{
	size_t i;

	for (i = 0; i < e->nr_fields; i++)
		if (e->fields[i].where == FIELD_DATA_LOC || e->fields[i].where == FIELD_REL_LOC ||
		    field__is_user_text(&e->fields[i]))
			return true;
	return false;
}

static u32 frames(const struct event_spec *spec, u32 max_stack_default)
{
	u32 n;

	if (!spec || !(spec->stack & (STACK_KERNEL | STACK_USER)))
		return 0;
	n = spec->max_stack ? spec->max_stack : max_stack_default;
	return n < CHAIN_WORDS ? n : CHAIN_WORDS;
}

int emit__layout(struct emit *em, struct event *e, bool ns_ids, bool task_extras,
		 u32 max_stack_default, struct err *err)
{
	u32 pos = sizeof(struct record_head);
	u32 halves = (e->with & 1u << EXTRA_UID) | (task_extras ? emit__task_extras(e) : 0);

	memset(&e->layout, 0, sizeof(e->layout));
	em->flags = 0;
	em->max_stack = frames(e->spec, max_stack_default ? max_stack_default : DEFAULT_STACK);
	place_words(e, &pos);
	place_halves(e, ns_ids, halves, &pos);
	e->layout.raw = align8(pos);
	em->size = e->layout.raw + e->format->size;
	e->layout.dynamic = em->max_stack || has_payload(e);
	if (e->layout.dynamic) {
		em->flags = F_DYNAMIC;
		em->size = align8(em->size);
	}
	if (em->size > RECORD_MAX)
		return err__set(err, E2BIG, "%s: its record of %u bytes is longer than %u bytes",
				e->label, em->size, RECORD_MAX);
	return 0;
}

/* r2 is the record, until a helper is called */
static void load_dst(struct code *c)
{
	code__load(c, R2, R_WORK, offsetof(struct work, dst), 8);
}

static void store_at(struct code *c, int src, u32 off, int size)
{
	load_dst(c);
	code__store(c, R2, off, src, size);
}

static void copy_common(const struct event *e, struct code *c)
{
	u32 raw = e->layout.raw;

	load_dst(c);
	code__mov_imm(c, R1, e->format->id & 0xffff);
	code__store(c, R2, raw, R1, 4);
	code__load(c, R1, R2, offsetof(struct record_head, tid), 4);
	code__store(c, R2, raw + 4, R1, 4);
}

/* The widest aligned loads; none may reach past the event's static size. */
static void copy_by_loads(const struct event *e, struct code *c)
{
	u32 at = COMMON_SIZE, end = e->format->size, step;

	load_dst(c);
	while (at < end) {
		step = code__piece(at, end - at);
		code__load(c, R1, R_REC, at, step);
		code__store(c, R2, e->layout.raw + at, R1, step);
		at += step;
	}
}

static void copy_by_helper(const struct event *e, struct code *c)
{
	load_dst(c);
	code__mov(c, R1, R2);
	code__alu_imm(c, BPF_ADD, R1, e->layout.raw + COMMON_SIZE);
	code__mov_imm(c, R2, e->format->size - COMMON_SIZE);
	code__mov(c, R3, R_REC);
	code__alu_imm(c, BPF_ADD, R3, COMMON_SIZE);
	code__helper(c, BPF_FUNC_probe_read_kernel);
}

/* What is between the static part and the payload; records compare by their bytes. */
static void clear_gap(const struct emit *em, const struct event *e, struct code *c)
{
	u32 at = e->layout.raw + e->format->size, step;

	if (!em->flags || at >= em->size)
		return;
	load_dst(c);
	code__mov_imm(c, R1, 0);
	for (; at < em->size; at += step) {
		for (step = 4; at % step || at + step > em->size; step /= 2)
			;
		code__store(c, R2, at, R1, step);
	}
}

static void copy_comm(u32 at, struct code *c)
{
	/* the helper leaves what follows the NUL as it was on some kernels */
	load_dst(c);
	code__mov_imm(c, R1, 0);
	code__store(c, R2, at, R1, 8);
	code__store(c, R2, at + 8, R1, 8);
	code__mov(c, R1, R2);
	code__alu_imm(c, BPF_ADD, R1, at);
	code__mov_imm(c, R2, 16);
	code__helper(c, BPF_FUNC_get_current_comm);
}

static void copy_extras(const struct event *e, struct code *c)
{
	const struct record_layout *l = &e->layout;

	if (l->extra[EXTRA_COMM])
		copy_comm(l->extra[EXTRA_COMM], c);
	if (l->extra[EXTRA_CGROUP]) {
		code__helper(c, BPF_FUNC_get_current_cgroup_id);
		store_at(c, R0, l->extra[EXTRA_CGROUP], 8);
	}
	if (l->extra[EXTRA_UID]) {
		code__helper(c, BPF_FUNC_get_current_uid_gid);
		store_at(c, R0, l->extra[EXTRA_UID], 4);
	}
}

/* The helper gives struct bpf_pidns_info: tid first; zeroes if the task is not visible there. */
static void copy_ns_ids(const struct event *e, const struct scope *s, struct code *c)
{
	u32 tmp = offsetof(struct work, tmp);

	code__imm64(c, R1, s->own_ns_dev);
	code__imm64(c, R2, s->own_ns_ino);
	code__mov(c, R3, R_WORK);
	code__alu_imm(c, BPF_ADD, R3, tmp);
	code__mov_imm(c, R4, 8);
	code__helper(c, BPF_FUNC_get_ns_current_pid_tgid);
	load_dst(c);
	code__load(c, R1, R_WORK, tmp + 4, 4);
	code__store(c, R2, e->layout.ns_ids, R1, 4);
	code__load(c, R1, R_WORK, tmp, 4);
	code__store(c, R2, e->layout.ns_ids + 4, R1, 4);
}

static void copy_latency(const struct event *e, const struct field *f, struct code *c)
{
	code__load(c, R1, R_WORK, offsetof(struct work, latency), 8);
	store_at(c, R1, e->layout.value[f->slot], 8);
}

static void copy_kept(const struct event *e, const struct field *f, struct code *c)
{
	u32 i;

	for (i = 0; i < align8(f->size) / 8; i++) {
		code__kept(c, R1, f->kept + i);
		store_at(c, R1, e->layout.value[f->slot] + 8 * i, 8);
	}
}

static void copy_values(const struct event *e, struct code *c)
{
	size_t i;

	for (i = 0; i < e->nr_fields; i++) {
		const struct field *f = &e->fields[i];

		if (f->where != FIELD_VALUE || f->slot >= LAYOUT_VALUES)
			continue;
		if (f->kept)
			copy_kept(e, f, c);
		else
			copy_latency(e, f, c);
	}
}

static u32 maxlen(const struct event *e, const struct field *f)
{
	u32 n = e->spec && e->spec->maxlen ? e->spec->maxlen : MAXLEN_DEFAULT;

	if (n > RECORD_MAX)
		n = RECORD_MAX;
	return f->kind == FIELD_ARRAY && f->elem_size ? n - n % f->elem_size : n;
}

static void put_dynamic(const struct event *e, const struct field *f, struct code *c)
{
	code__mov(c, R1, R_REC);
	code__load(c, R2, R_REC, f->offset, 4);
	code__mov_imm(c, R3, e->layout.raw + f->offset);
	code__mov_imm(c, R4, e->layout.raw | (f->where == FIELD_REL_LOC ? PUT_REL : 0));
	code__mov_imm(c, R5, maxlen(e, f));
	code__call(c, FN_PUT_DYNAMIC);
}

static void put_user(const struct event *e, const struct field *f, struct code *c)
{
	if (f->slot >= LAYOUT_TEXTS)
		return;
	if (f->kept)
		code__kept(c, R1, f->kept);
	else
		code__load(c, R1, R_REC, f->offset, f->room);
	code__mov_imm(c, R2, e->layout.text[f->slot]);
	code__mov_imm(c, R3, maxlen(e, f));
	code__call(c, FN_PUT_USER);
}

static void put_payload(const struct event *e, struct code *c)
{
	size_t i;

	for (i = 0; i < e->nr_fields; i++) {
		switch (e->fields[i].where) {
		case FIELD_DATA_LOC:
		case FIELD_REL_LOC:
			put_dynamic(e, &e->fields[i], c);
			break;
		case FIELD_USER_TEXT:
		case FIELD_KEPT_TEXT:
			put_user(e, &e->fields[i], c);
			break;
		default:
			break;
		}
	}
}

static void put_chain(const struct emit *em, u32 flags, struct code *c)
{
	code__load(c, R1, R_WORK, offsetof(struct work, ctx), 8);
	code__mov_imm(c, R2, em->max_stack);
	code__mov_imm(c, R3, flags);
	code__call(c, FN_PUT_CHAIN);
}

void emit__code(const struct emit *em, const struct event *e, const struct scope *s, struct code *c)
{
	copy_common(e, c);
	if (e->format->size >= BULK)
		copy_by_helper(e, c);
	else
		copy_by_loads(e, c);
	clear_gap(em, e, c);
	copy_values(e, c);
	copy_extras(e, c);
	if (e->layout.ns_ids)
		copy_ns_ids(e, s, c);
	emit_task__code(&em->task, &e->layout, c);
	put_payload(e, c);
	if (em->max_stack && e->spec->stack & STACK_KERNEL)
		put_chain(em, 0, c);
	if (em->max_stack && e->spec->stack & STACK_USER)
		put_chain(em, USER_STACK, c);
	code__accept(c);
}
