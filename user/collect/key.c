// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "key.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define KEY_AT	   ((int)offsetof(struct work, key))
#define DST_AT	   ((int)offsetof(struct work, dst))
#define SMALL_KEY  sizeof(((struct work *)0)->key)
#define COMM_SIZE  16
#define USER_STACK (1u << 8) /* BPF_F_USER_STACK */

void key__free(struct key *k)
{
	for (size_t i = 0; i < k->nr; i++)
		expr__free(k->slots[i].e);
	free(k->slots);
	*k = (struct key){0};
}

static enum part_kind kind_of(const struct expr *e)
{
	if (e->op == EXPR_TEXT)
		return PART_TEXT;
	switch (e->operand) {
	case OPERAND_STACK:
		return PART_STACK;
	case OPERAND_USTACK:
		return PART_USTACK;
	case OPERAND_CGROUP:
	case OPERAND_CONTAINER:
		return PART_CGROUP;
	default:
		return e->is_signed ? PART_INT : PART_UINT;
	}
}

int key__parse(struct key *k, const struct event *event, const struct spec_list *list,
	       enum expr_want want, const struct expr_world *world, struct log *log,
	       struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		struct key_slot slot = {.name = list->v[i].s};

		if (expr__parse(&slot.e, event, &list->v[i], want, world, log, err))
			return -err->code;
		slot.kind = kind_of(slot.e);
		if (array__push(k->slots, k->nr, k->room, slot)) {
			expr__free(slot.e);
			return err__set(err, ENOMEM, "out of memory");
		}
	}
	return 0;
}

/* --- where parts are --- */

static u32 align8(u32 n)
{
	return (n + 7) & ~7u;
}

static bool is_comm(const struct field *f)
{
	size_t n = strlen(f->name);

	return f->size == COMM_SIZE && n >= 4 && !strcmp(f->name + n - 4, "comm");
}

/* Bytes of a text: those of its array, or as many as there is room for. */
static u32 text_bytes(const struct expr *e, u32 max)
{
	u32 n = max - 1;

	if (!e->field)
		return COMM_SIZE - 1;
	if (e->field->where == FIELD_STATIC) {
		/* the kernel ends names of tasks with a NUL */
		n = is_comm(e->field) ? COMM_SIZE - 1 : e->field->size;
	}
	return n < max ? n : max - 1;
}

static void place(struct key_slot *s, u32 text_max)
{
	s->size = 8;
	switch (s->kind) {
	case PART_TEXT:
		s->text = text_bytes(s->e, text_max);
		s->size = align8(s->text + 1);
		return;
	case PART_USTACK:
		s->size = 8 + 8 * TASK_WORDS;
		return;
	default:
		return;
	}
}

int key__place(struct key *k, const struct event *event, u32 text_max, struct err *err)
{
	u32 at = 0;

	for (size_t i = 0; i < k->nr; i++) {
		struct key_slot *s = &k->slots[i];

		place(s, text_max);
		s->at = at;
		at += s->size;
		if (at > BIG_KEY)
			return err__caret(
				err, event->spec->text, s->e->at, s->e->len,
				"the parts of the key take more than %u bytes: leave one out",
				BIG_KEY);
	}
	k->size = at ? at : 8;
	k->big = at > SMALL_KEY;
	return 0;
}

bool key__has_stacks(const struct key *k)
{
	for (size_t i = 0; i < k->nr; i++)
		if (k->slots[i].kind == PART_STACK || k->slots[i].kind == PART_USTACK)
			return true;
	return false;
}

/* --- code --- */

/* r<reg> = the address of byte @at of the key */
static void key_address(const struct key *k, struct code *c, int reg, u32 at)
{
	if (k->big) {
		code__load(c, reg, R_WORK, DST_AT, 8);
		code__alu_imm(c, BPF_ADD, reg, at);
	} else {
		code__mov(c, reg, R_WORK);
		code__alu_imm(c, BPF_ADD, reg, KEY_AT + at);
	}
}

/* stores r1; r2 is lost */
static void store_word(const struct key *k, struct code *c, u32 at)
{
	if (k->big) {
		code__load(c, R2, R_WORK, DST_AT, 8);
		code__store(c, R2, at, R1, 8);
	} else {
		code__store(c, R_WORK, KEY_AT + at, R1, 8);
	}
}

static void comm_code(const struct key *k, const struct key_slot *s, struct code *c)
{
	/* some kernels leave what is behind the NUL as it was */
	code__mov_imm(c, R1, 0);
	store_word(k, c, s->at);
	store_word(k, c, s->at + 8);
	key_address(k, c, R1, s->at);
	code__mov_imm(c, R2, COMM_SIZE);
	code__helper(c, BPF_FUNC_get_current_comm);
}

static bool is_name(const struct key_slot *s)
{
	const struct field *f = s->e->field;

	return f && f->where == FIELD_STATIC && !s->e->may_be_unknown && is_comm(f) &&
	       s->size == COMM_SIZE && f->offset % 4 == 0;
}

/* 8 bytes of the record, which may be aligned to 4 only; r4 is lost */
static void load_8(struct code *c, int reg, u32 at)
{
	if (at % 8 == 0) {
		code__load(c, reg, R_REC, at, 8);
		return;
	}
	code__load(c, reg, R_REC, at, 4);
	code__load(c, R4, R_REC, at + 4, 4);
	code__alu_imm(c, BPF_LSH, R4, 32);
	code__insn(c, BPF_ALU64 | BPF_OR | BPF_X, reg, R4, 0, 0);
}

static void name_code(const struct key *k, const struct key_slot *s, struct code *c)
{
	load_8(c, R2, s->e->field->offset);
	load_8(c, R3, s->e->field->offset + 8);
	key_address(k, c, R1, s->at);
	code__call(c, FN_KEY_NAME);
}

static void text_code(const struct key *k, const struct key_slot *s, struct code *c)
{
	const struct field *f = s->e->field;
	bool user = s->e->may_be_unknown;

	code__mov(c, R2, R_REC);
	if (f->kept && user) {
		code__kept(c, R2, f->kept);
	} else if (f->kept) {
		code__mov(c, R2, R_WORK);
		code__alu_imm(c, BPF_ADD, R2, code__kept_at(f->kept));
	} else if (user) {
		code__load(c, R2, R_REC, f->offset, 8);
	} else if (f->where == FIELD_STATIC) {
		code__alu_imm(c, BPF_ADD, R2, f->offset);
	} else {
		code__load(c, R1, R_REC, f->offset, 4);
		code__alu_imm(c, BPF_AND, R1, 0xffff);
		code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R2, R1, 0, 0);
		if (f->where == FIELD_REL_LOC)
			code__alu_imm(c, BPF_ADD, R2, f->offset + 4);
	}
	key_address(k, c, R1, s->at);
	code__mov_imm(c, R3, s->size);
	code__call(c, user ? FN_KEY_USER : FN_KEY_TEXT);
	/* an array without a NUL: what follows it was read too */
	if (s->text + 1 < s->size) {
		code__mov_imm(c, R1, 0);
		key_address(k, c, R2, 0);
		for (u32 i = s->text; i < s->size; i++)
			code__store(c, R2, s->at + i, R1, 1);
	}
}

static void stack_code(const struct key *k, const struct key_slot *s, struct code *c, bool user)
{
	code__load(c, R1, R_WORK, offsetof(struct work, ctx), 8);
	code__mov_imm(c, R2, user ? USER_STACK : 0);
	code__call(c, FN_KEY_STACK);
	code__mov(c, R1, R0);
	store_word(k, c, s->at);
}

/* Equal addresses of two processes are two keys. */
static int ustack_code(const struct key *k, const struct key_slot *s, struct code *c,
		       struct compile_env *env, struct err *err)
{
	stack_code(k, s, c, true);
	if (task_layout__find(&env->task, env->types, err))
		return -err->code;
	for (int i = 0; i < TASK_WORDS; i++) {
		task_code__identity(c, &env->task, i, 0);
		store_word(k, c, s->at + 8 + 8 * i);
	}
	return 0;
}

/* An array's key has 4 bytes; what is no index becomes one that no array has. */
static void index_code(const struct key *k, struct code *c)
{
	code__insn(c, BPF_JMP | BPF_JLT | BPF_K, R1, 0, 1, k->limit);
	code__mov_imm(c, R1, -1);
	code__store(c, R_WORK, KEY_AT, R1, 4);
}

static int int_code(const struct key *k, const struct key_slot *s, struct code *c,
		    const struct event *event, struct compile_env *env, struct err *err)
{
	int ret;

	if (s->e->operand == OPERAND_CONTAINER) {
		code__helper(c, BPF_FUNC_get_current_cgroup_id);
		code__mov(c, R1, R0);
	} else {
		ret = compile__int_or_zero(c, s->e, event, env, err);
		if (ret)
			return ret;
	}
	if (k->index)
		index_code(k, c);
	else
		store_word(k, c, s->at);
	return 0;
}

static int slot_code(const struct key *k, const struct key_slot *s, struct code *c,
		     const struct event *event, struct compile_env *env, struct err *err)
{
	switch (s->kind) {
	case PART_TEXT:
		if (is_name(s))
			name_code(k, s, c);
		else if (s->e->field)
			text_code(k, s, c);
		else
			comm_code(k, s, c);
		return 0;
	case PART_STACK:
		stack_code(k, s, c, false);
		return 0;
	case PART_USTACK:
		return ustack_code(k, s, c, env, err);
	default:
		return int_code(k, s, c, event, env, err);
	}
}

int key__code(const struct key *k, struct code *c, const struct event *event,
	      struct compile_env *env, struct err *err)
{
	int ret = 0;

	if (!k->nr) { /* one row, whatever happens */
		code__mov_imm(c, R1, 0);
		code__store(c, R_WORK, KEY_AT, R1, 8);
	}
	for (size_t i = 0; i < k->nr && !ret; i++)
		ret = slot_code(k, &k->slots[i], c, event, env, err);
	if (!ret && c->n > KEY_ROOM)
		ret = err__caret(err, event->spec->text, k->slots[0].e->at,
				 k->slots[k->nr - 1].e->at + k->slots[k->nr - 1].e->len -
					 k->slots[0].e->at,
				 "the key takes %zu instructions in the kernel, there is room for "
				 "%u: say it simpler",
				 c->n, KEY_ROOM);
	return ret;
}
