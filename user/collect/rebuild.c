// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "../event/format.h"
#include "rebuild.h"
#include "rebuild_maker.h"
#include "rebuild_table.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

/* The bytes of word @word that values of fields cover, as bits. */
static u8 covered(const struct event_format *f, u32 word)
{
	u32 i, byte, size;
	u8 bits = 0;

	for (i = 0; i < f->nr_fields; i++) {
		size = f->fields[i].size;
		if (!size || size > f->fields[i].room)
			size = f->fields[i].room;
		for (byte = 0; byte < 8; byte++)
			if (8 * word + byte - f->fields[i].offset < size)
				bits |= 1u << byte;
	}
	return bits;
}

void rebuild__clear_gaps(const struct event_format *f, u16 words, struct code *c)
{
	u32 word, last = (f->size - 1) / 8;
	bool zero = false;

	for (word = 1; word <= last && word < 16; word++) {
		if (!(words & 1u << word) || covered(f, word) == 0xff)
			continue;
		if (!zero)
			code__mov_imm(c, R1, 0);
		zero = true;
		code__store(c, R_RECORD, 8 * word, R1, 8);
	}
}

static const struct rebuild_field *find_field(const struct rebuild *r, const char *name)
{
	const struct rebuild_field *f;

	for (f = r->fields; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static bool knows_all(const struct rebuild *r, const struct event_format *f)
{
	size_t i;

	for (i = 0; i < f->nr_fields; i++)
		if (!find_field(r, f->fields[i].name))
			return false;
	return f->size <= sizeof(struct rebuilt);
}

const struct rebuild *rebuild__find(const struct event_format *f)
{
	const struct rebuild *r;

	for (r = rebuild_table; r->system; r++)
		if (!strcmp(r->system, f->system) && !strcmp(r->name, f->name))
			return knows_all(r, f) ? r : NULL;
	return NULL;
}

u32 rebuild__own_frames(const struct rebuild *r)
{
	/* since 6.13 these may sleep, and what calls bpf_trace_runN() is a frame of its own */
	return strcmp(r->system, "raw_syscalls") ? OWN_FRAMES : 0;
}

static u16 words_of(u32 offset, u32 size)
{
	u32 first = offset / 8, last = (offset + size - 1) / 8;

	return last > 15 ? 0xffff : (1u << (last + 1)) - (1u << first);
}

static u32 width(u8 code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

/* The address of the record was taken, to go on to a field of it, or to be used as it is. */
static u16 words_at(const struct event_format *f, const struct bpf_insn *next, int reg)
{
	size_t i;

	if (next->code != (BPF_ALU64 | BPF_ADD | BPF_K) || next->dst_reg != reg)
		return 0xffff;
	for (i = 0; i < f->nr_fields; i++)
		if (f->fields[i].where == FIELD_STATIC &&
		    (u32)next->imm - f->fields[i].offset < f->fields[i].room)
			return words_of(f->fields[i].offset, f->fields[i].room);
	return 0xffff;
}

static u16 words_read(const struct event_format *f, const struct code *c)
{
	const struct bpf_insn *in;
	u16 words = 0;
	size_t i;

	for (i = 0; i < c->n; i++) {
		in = &c->insn[i];
		if (in->code == (BPF_LD | BPF_IMM | BPF_DW))
			i++; /* its second half is no instruction */
		else if (in->src_reg != R_REC)
			continue;
		else if (BPF_CLASS(in->code) == BPF_LDX)
			words |= words_of(in->off, width(in->code));
		else if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && i + 1 < c->n)
			words |= words_at(f, in + 1, in->dst_reg);
		else
			return 0xffff;
	}
	return words;
}

u16 rebuild__words(const struct event_format *f, const struct holes *h)
{
	const struct code *all[] = {&h->filter, &h->late,      &h->key,	 &h->value,
				    &h->update, &h->start_key, &h->keep, &h->end_key};
	u16 words = 0;
	size_t i;

	if (h->flags & F_EMIT)
		return 0xffff;
	for (i = 0; i < ARRAY_SIZE(all); i++)
		words |= words_read(f, all[i]);
	return words;
}

/* r1 holds the argument: @size bytes at @from behind it, in pieces aligned at @to */
static void copy_member(struct maker *m, u32 to, u32 from, u32 size)
{
	u32 at, step;

	for (at = 0; at < size; at += step) {
		step = code__piece(to + at, size - at);
		code__load(m->c, R2, R1, from + at, step);
		code__store(m->c, R_RECORD, to + at, R2, step);
	}
}

static bool follow(struct maker *m, const struct rebuild_field *rf, u32 *offset, u32 *size)
{
	return maker__follows(m, rf) &&
	       kernel_types__member(m->types, rf->type, rf->member, offset, size);
}

static bool make_member(struct maker *m, const struct rebuild_field *rf, const struct field *f)
{
	u32 offset, size;

	if (!follow(m, rf, &offset, &size) || size != f->room)
		return false;
	maker__load_arg(m, R1, rf->arg);
	copy_member(m, f->offset, offset, size);
	return true;
}

static bool make_current(struct maker *m, const struct rebuild_field *rf, const struct field *f)
{
	u32 offset, size;

	m->typed = true;
	if (!kernel_types__member(m->types, rf->type, rf->member, &offset, &size) ||
	    size != f->room)
		return false;
	code__helper(m->c, BPF_FUNC_get_current_task_btf);
	code__mov(m->c, R1, R0);
	copy_member(m, f->offset, offset, size);
	return true;
}

static bool make_deref(struct maker *m, const struct rebuild_field *rf, const struct field *f)
{
	code__mov(m->c, R1, R_RECORD);
	code__alu_imm(m->c, BPF_ADD, R1, f->offset);
	code__mov_imm(m->c, R2, f->room);
	maker__load_arg(m, R3, rf->arg);
	code__helper(m->c, BPF_FUNC_probe_read_kernel);
	return true;
}

/* prev_state of sched_switch; before 5.18 the state was no argument, and had changed by now */
static bool make_state(struct maker *m, const struct rebuild_field *rf, const struct field *f)
{
	u32 offset, size;

	if (!follow(m, rf, &offset, &size) || size != 4 ||
	    !kernel_types__arg_is(m->types, m->event->name, 3, NULL))
		return false;
	maker__load_arg(m, R1, 0);
	maker__load_arg(m, R2, 3);
	maker__load_arg(m, R3, rf->arg);
	code__load(m->c, R3, R3, offset, 4);
	code__call(m->c, FN_TASK_STATE);
	code__store(m->c, R_RECORD, f->offset, R0, f->room);
	return true;
}

/* r3 = address of the text: an array in the struct, or what its member points to */
static void load_text(struct maker *m, const struct rebuild_field *rf, u32 offset, u32 size)
{
	maker__load_arg(m, R3, rf->arg);
	if (size == sizeof(u64))
		code__load(m->c, R3, R3, offset, 8);
	else
		code__alu_imm(m->c, BPF_ADD, R3, offset);
}

/* Text goes behind the static part, where the kernel's own records have it too. */
static bool make_text(struct maker *m, const struct rebuild_field *rf, const struct field *f)
{
	u32 offset, size, room = sizeof(struct rebuilt) - m->behind;

	if (!follow(m, rf, &offset, &size) || f->where != FIELD_DATA_LOC || size > room)
		return false;
	if (size != sizeof(u64))
		room = size;
	load_text(m, rf, offset, size);
	code__mov(m->c, R1, R_RECORD);
	code__alu_imm(m->c, BPF_ADD, R1, m->behind);
	code__mov_imm(m->c, R2, room);
	code__helper(m->c, BPF_FUNC_probe_read_kernel_str);
	code__insn(m->c, BPF_JMP | BPF_JSGE | BPF_K, R0, 0, 1, 0);
	code__mov_imm(m->c, R0, 0);
	code__alu_imm(m->c, BPF_LSH, R0, 16);
	code__alu_imm(m->c, BPF_OR, R0, m->behind);
	code__store(m->c, R_RECORD, f->offset, R0, 4);
	m->behind += room;
	return true;
}

/* The kernel has one byte there too, a NUL. */
static bool make_nothing(struct maker *m, const struct field *f)
{
	if (f->where != FIELD_DATA_LOC || m->behind + 8 > sizeof(struct rebuilt))
		return false;
	code__mov_imm(m->c, R1, 0);
	code__store(m->c, R_RECORD, m->behind, R1, 1);
	code__mov_imm(m->c, R1, m->behind | 1 << 16);
	code__store(m->c, R_RECORD, f->offset, R1, 4);
	m->behind += 8;
	return true;
}

/* Offsets of the registers in @names; all of them or false. */
static bool find_registers(struct maker *m, const char *const *names, u32 *offsets)
{
	u32 size;
	int i;

	for (i = 0; i < 6; i++)
		if (!kernel_types__member(m->types, "pt_regs", names[i], &offsets[i], &size))
			return false;
	return true;
}

static void copy_registers(struct maker *m, const u32 *offsets, u32 to)
{
	int i;

	for (i = 0; i < 6; i++) {
		code__load(m->c, R2, R1, offsets[i], 8);
		code__store(m->c, R_RECORD, to + 8 * i, R2, 8);
	}
}

/* A call by the 32-bit interface has its arguments in other registers. */
static bool make_arguments(struct maker *m, const struct rebuild_field *rf, const struct field *f)
{
	u32 native[6], compat[6], status, size;

	if (!maker__follows(m, rf) || f->room != 48 ||
	    !find_registers(m, native_registers, native) ||
	    !find_registers(m, compat_registers, compat) ||
	    !kernel_types__member(m->types, "task_struct", "thread_info.status", &status, &size))
		return false;
	code__helper(m->c, BPF_FUNC_get_current_task_btf);
	code__load(m->c, R3, R0, status, 4);
	maker__load_arg(m, R1, rf->arg);
	code__insn(m->c, BPF_JMP | BPF_JSET | BPF_K, R3, 0, 13, TS_COMPAT);
	copy_registers(m, native, f->offset);
	code__insn(m->c, BPF_JMP | BPF_JA, 0, 0, 12, 0);
	copy_registers(m, compat, f->offset);
	return true;
}

static bool make_field(struct maker *m, const struct rebuild_field *rf, const struct field *f)
{
	switch (rf->how) {
	case FROM_ARG:
		maker__load_arg(m, R1, rf->arg);
		code__store(m->c, R_RECORD, f->offset, R1, f->room);
		return true;
	case FROM_MEMBER:
		return f->where == FIELD_DATA_LOC ? make_text(m, rf, f) : make_member(m, rf, f);
	case FROM_POINTER:
		return make_deref(m, rf, f);
	case FROM_JIFFIES:
		code__helper(m->c, BPF_FUNC_jiffies64);
		code__store(m->c, R_RECORD, f->offset, R0, f->room);
		return true;
	case FROM_STATE:
		return make_state(m, rf, f);
	case FROM_TEXT:
		return make_text(m, rf, f);
	case FROM_REGISTERS:
		return make_arguments(m, rf, f);
	case FROM_CURRENT:
		return make_current(m, rf, f);
	case FROM_NOTHING:
		return make_nothing(m, f);
	default:
		return rebuild_block__field(m, rf, f);
	}
}

bool rebuild__code(const struct rebuild *r, const struct event_format *f, u16 words,
		   struct kernel_types *k, struct code *c, struct rebuild_plan *plan)
{
	struct maker m = {.event = r, .types = k, .c = c, .behind = f->size};
	size_t i;

	rebuild__clear_gaps(f, words, c);
	for (i = 0; i < f->nr_fields; i++) {
		if (!(words & words_of(f->fields[i].offset, f->fields[i].room)))
			continue;
		if (!make_field(&m, find_field(r, f->fields[i].name), &f->fields[i]))
			return false;
	}
	*plan = (struct rebuild_plan){.tracepoint = r->tracepoint ? r->tracepoint : r->name};
	if (m.typed)
		plan->btf_id = kernel_types__tracepoint(k, plan->tracepoint);
	return !c->err && (!m.typed || plan->btf_id);
}
