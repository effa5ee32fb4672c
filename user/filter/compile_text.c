// SPDX-License-Identifier: GPL-2.0-only
/*
 * compile_text.c - comparing text: a constant in pieces as immediates, all else by functions of
 * the template, with the pattern in a map of its own.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "compiler.h"

#define MASK_WORDS 16
#define INLINE_MAX 64 /* bytes of a field that are copied piece by piece for a glob */

/* --- the pattern --- */

static int add_map(struct compiler *cp, const char *name, const void *value, u32 size)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(u32), size, 1, NULL);
	u32 zero = 0;

	if (fd < 0 || bpf_map_update_elem(fd, &zero, value, 0)) {
		int code = errno;

		if (fd >= 0)
			close(fd);
		err__set(cp->err, code, "a map for the pattern cannot be made: %s", strerror(code));
		return -1;
	}
	if (array__push(cp->env->maps, cp->env->nr_maps, cp->env->maps_room, fd)) {
		close(fd);
		err__set(cp->err, ENOMEM, "out of memory");
		return -1;
	}
	return fd;
}

static int pattern_map(struct compiler *cp, const struct expr *e)
{
	struct glob g;

	if (e->glob)
		glob__compile(&g, e->text);
	else
		glob__literal(&g, e->text);
	return add_map(cp, "tamis_glob", &g, sizeof(g));
}

/* A text that the automaton has too few states for. */
static int wanted_map(struct compiler *cp, const struct expr *e)
{
	struct wanted w = {.len = e->text_len};

	memcpy(w.text, e->text, e->text_len);
	return add_map(cp, "tamis_text", &w, sizeof(w));
}

static bool is_long(const struct expr *e)
{
	return !e->glob && e->text_len > GLOB_MAX;
}

/* r<reg> = the address of what the functions compare with */
static void load_pattern(struct compiler *cp, const struct expr *e, int reg)
{
	int fd;

	if (cp->dead || cp->err->code)
		return;
	fd = is_long(e) ? wanted_map(cp, e) : pattern_map(cp, e);
	if (fd >= 0)
		code__map_value(cp->c, reg, fd, 0);
}

/* --- outcomes --- */

static void yes_or_no(struct compiler *cp, int reg, struct targets t)
{
	if (t.next == t.yes) {
		compiler__jump(cp, BPF_JEQ, reg, 0, t.no);
		return;
	}
	compiler__jump(cp, BPF_JNE, reg, 0, t.yes);
	if (t.next != t.no)
		compiler__goto(cp, t.no);
}

/* The function's answer is in r0. A text that is not there is noted in the record's flags. */
static void answer(struct compiler *cp, struct targets t)
{
	label_t known = compiler__label(cp);
	int flags = offsetof(struct work, flags);

	compiler__jump(cp, BPF_JNE, R0, TEXT_UNKNOWN, known);
	EMIT(cp, code__load(cp->c, R1, R_WORK, flags, 8));
	EMIT(cp, code__alu_imm(cp->c, BPF_OR, R1, RECORD_UNREADABLE));
	EMIT(cp, code__store(cp->c, R_WORK, flags, R1, 8));
	compiler__goto(cp, t.unknown);
	compiler__bind(cp, known);
	yes_or_no(cp, R0, t);
}

static void settle(struct compiler *cp, bool yes, struct targets t)
{
	label_t to = yes ? t.yes : t.no;

	if (to != t.next)
		compiler__goto(cp, to);
}

/* --- equality and prefixes, in pieces --- */

/* @len bytes at @base + @off, in an object of @size bytes, must be @want. */
static void compare_pieces(struct compiler *cp, int reg, int base, u32 off, u32 size,
			   const char *want, u32 len, label_t no)
{
	u32 at = 0, step, use;
	u64 v;

	for (; at < len; at += use) {
		step = code__piece(off + at, size - at);
		use = len - at < step ? len - at : step;
		v = 0;
		memcpy(&v, want + at, use);
		EMIT(cp, code__load(cp->c, reg, base, off + at, step));
		if (use < step) {
			EMIT(cp, code__alu_imm(cp->c, BPF_LSH, reg, 64 - 8 * use));
			v <<= 64 - 8 * use;
		} else if (step == 4) {
			v = (u32)v;
		}
		compiler__jump(cp, BPF_JNE, reg, v, no);
	}
}

/* What has to be compared of the text, the NUL that ends it included; -1: a glob needs more. */
static int prefix_of(const struct expr *e, u32 size, char *out)
{
	size_t len = strlen(e->text);

	if (!e->glob) {
		memcpy(out, e->text, len + 1);
		return len < size ? len + 1 : len;
	}
	if (!len || e->text[len - 1] != '*')
		return -1;
	memcpy(out, e->text, len + 1);
	while (len && out[len - 1] == '*')
		out[--len] = 0;
	/* an escaped star at the end is a star */
	if (len && out[len - 1] == '\\')
		return -1;
	return glob__is_plain(out, out) ? (int)strlen(out) : -1;
}

static bool is_inside(const struct compiler *cp, const struct field *f)
{
	return f->kept || (f->offset >= 8 && f->offset + f->size <= cp->static_size);
}

/* r0 = room for a text in the scratch area; without one there is no match. */
static void text_room(struct compiler *cp, label_t none)
{
	EMIT(cp, code__call(cp->c, FN_TEXT_ROOM));
	compiler__jump(cp, BPF_JEQ, R0, 0, none);
}

static void match_comm(struct compiler *cp, const struct expr *e, int d, struct targets t)
{
	char want[STR_MAX];
	int len = prefix_of(e, 16, want);
	struct code *c = cp->c;

	if (len > 16) {
		settle(cp, false, t);
		return;
	}
	if (!compiler__push(cp, 2))
		return;
	if (len < 0) {
		text_room(cp, t.no);
		EMIT(cp, code__store(c, R_WORK, TMP(cp->tmp - 1), R0, 8));
		EMIT(cp, code__mov(c, R1, R0));
	} else {
		EMIT(cp, code__mov(c, R1, R_WORK));
		EMIT(cp, code__alu_imm(c, BPF_ADD, R1, TMP(cp->tmp - 2)));
	}
	EMIT(cp, code__mov_imm(c, R2, 16));
	EMIT(cp, code__helper(c, BPF_FUNC_get_current_comm));
	if (len < 0) {
		EMIT(cp, code__load(c, R1, R_WORK, TMP(cp->tmp - 1), 8));
		EMIT(cp, code__mov_imm(c, R2, 16));
		load_pattern(cp, e, R3);
		EMIT(cp, code__call(c, FN_GLOB));
		yes_or_no(cp, R0, t);
	} else {
		compare_pieces(cp, d, R_WORK, TMP(cp->tmp - 2), 16, want, len, t.no);
		settle(cp, true, t);
	}
	cp->tmp -= 2;
}

/* (record, offset and length as in a __data_loc word, pattern) */
static void match_at(struct compiler *cp, const struct expr *e, struct targets t)
{
	EMIT(cp, code__mov(cp->c, R1, R_REC));
	load_pattern(cp, e, R3);
	EMIT(cp, code__call(cp->c, is_long(e) ? FN_EQ_DYNAMIC : FN_STR_DYNAMIC));
	answer(cp, t);
}

/* Where a text of fixed size is. */
struct place {
	int base; /* R_REC, or of what the start kept R_WORK */
	u32 off;
};

static struct place place_of(const struct field *f)
{
	if (f->kept)
		return (struct place){R_WORK, code__kept_at(f->kept)};
	return (struct place){R_REC, f->offset};
}

static void match_copy(struct compiler *cp, const struct expr *e, const struct field *f,
		       struct targets t)
{
	const struct place p = place_of(f);
	u32 at, step;

	text_room(cp, t.no);
	for (at = 0; at < f->size; at += step) {
		step = code__piece(p.off + at, f->size - at);
		EMIT(cp, code__load(cp->c, R2, p.base, p.off + at, step));
		EMIT(cp, code__store(cp->c, R0, at, R2, step));
	}
	EMIT(cp, code__mov(cp->c, R1, R0));
	EMIT(cp, code__mov_imm(cp->c, R2, f->size));
	load_pattern(cp, e, R3);
	EMIT(cp, code__call(cp->c, FN_GLOB));
	yes_or_no(cp, R0, t);
}

static void match_static(struct compiler *cp, const struct expr *e, int d, struct targets t)
{
	const struct field *f = e->a->field;
	const struct place p = place_of(f);
	char want[STR_MAX];
	int len = -1;

	if (e->glob ? glob__min_length(e->text) > f->size : e->text_len > f->size) {
		settle(cp, false, t);
		return;
	}
	if (is_inside(cp, f) && e->text_len < sizeof(want))
		len = prefix_of(e, f->size, want);
	if (len >= 0) {
		compare_pieces(cp, d, p.base, p.off, f->size, want, len, t.no);
		settle(cp, true, t);
	} else if (is_inside(cp, f) && f->size <= INLINE_MAX && p.off % 4 == 0) {
		match_copy(cp, e, f, t);
	} else {
		compiler__const(cp, R2, f->offset | (u64)f->size << 16);
		match_at(cp, e, t);
	}
}

/* r<reg> = where a text of the record is, as a __data_loc word has it */
static void load_place(struct compiler *cp, int reg, const struct field *f)
{
	if (f->where == FIELD_STATIC) {
		compiler__const(cp, reg, f->offset | (u64)f->size << 16);
		return;
	}
	EMIT(cp, code__load(cp->c, reg, R_REC, f->offset, 4));
	if (f->where == FIELD_REL_LOC)
		EMIT(cp, code__alu_imm(cp->c, BPF_ADD, reg, f->offset + 4));
}

static void match_dynamic(struct compiler *cp, const struct expr *e, struct targets t)
{
	load_place(cp, R2, e->a->field);
	match_at(cp, e, t);
}

static void match_user(struct compiler *cp, const struct expr *e, struct targets t)
{
	const struct field *f = e->a->field;

	if (f->kept)
		EMIT(cp, code__kept(cp->c, R1, f->kept));
	else
		compiler__load(cp, R1, f->offset, 8, false);
	load_pattern(cp, e, R2);
	EMIT(cp, code__call(cp->c, is_long(e) ? FN_EQ_USER : FN_STR_USER));
	answer(cp, t);
}

static bool in_record(const struct expr *text)
{
	return text->field && !text->may_be_unknown && !text->field->kept;
}

static void match_fields(struct compiler *cp, const struct expr *e, struct targets t)
{
	const struct expr *a = e->a, *b = e->b;

	if (!in_record(a) || !in_record(b)) {
		compiler__refuse(cp, e, EOPNOTSUPP,
				 "the kernel's program compares two texts only if both are in the "
				 "record: use --user-filter");
		return;
	}
	EMIT(cp, code__mov(cp->c, R1, R_REC));
	load_place(cp, R2, a->field);
	load_place(cp, R3, b->field);
	EMIT(cp, code__call(cp->c, FN_SAME));
	yes_or_no(cp, R0, t);
}

static bool is_user(const struct expr *text)
{
	return text->may_be_unknown;
}

void compiler__match(struct compiler *cp, const struct expr *e, int d, struct targets t)
{
	if (e->b)
		match_fields(cp, e, t);
	else if (e->a->operand == OPERAND_COMM)
		match_comm(cp, e, d, t);
	else if (is_user(e->a))
		match_user(cp, e, t);
	else if (e->a->field->where == FIELD_STATIC || e->a->field->kept)
		match_static(cp, e, d, t);
	else
		match_dynamic(cp, e, t);
}

/* --- sets of CPUs --- */

/* r1 = word @i of the field's payload; what is behind its end jumps to @none. */
static void load_word(struct compiler *cp, const struct field *f, u32 i, label_t none)
{
	struct code *c = cp->c;

	EMIT(cp, code__load(c, R2, R_REC, f->offset, 4));
	EMIT(cp, code__mov(c, R3, R2));
	EMIT(cp, code__alu_imm(c, BPF_RSH, R3, 16));
	compiler__jump(cp, BPF_JLT, R3, 8 * (i + 1), none);
	EMIT(cp, code__alu_imm(c, BPF_AND, R2, 0xffff));
	EMIT(cp, code__mov(c, R3, R_REC));
	EMIT(cp, code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R3, R2, 0, 0));
	EMIT(cp, code__alu_imm(c, BPF_ADD, R3,
			       8 * i + (f->where == FIELD_REL_LOC ? f->offset + 4 : 0)));
	EMIT(cp, code__mov(c, R1, R_WORK));
	EMIT(cp, code__alu_imm(c, BPF_ADD, R1, TMP(cp->tmp - 1)));
	EMIT(cp, code__mov_imm(c, R2, 8));
	EMIT(cp, code__helper(c, BPF_FUNC_probe_read_kernel));
	EMIT(cp, code__load(c, R1, R_WORK, TMP(cp->tmp - 1), 8));
}

static u64 wanted_word(const struct expr *e, u32 i)
{
	u64 word = 0;

	if (8 * i < e->text_len)
		memcpy(&word, e->text + 8 * i, sizeof(word));
	return word;
}

static void intersects(struct compiler *cp, const struct expr *e, u32 words, struct targets t)
{
	for (u32 i = 0; i < words; i++) {
		label_t next = compiler__label(cp);
		u64 want = wanted_word(e, i);

		if (want) {
			load_word(cp, e->field, i, next);
			compiler__const(cp, R2, want);
			EMIT(cp, code__insn(cp->c, BPF_ALU64 | BPF_AND | BPF_X, R1, R2, 0, 0));
			compiler__jump(cp, BPF_JNE, R1, 0, t.yes);
		}
		compiler__bind(cp, next);
	}
	settle(cp, false, t);
}

static void equals(struct compiler *cp, const struct expr *e, u32 words, struct targets t)
{
	for (u32 i = 0; i < words; i++) {
		label_t next = compiler__label(cp);
		u64 want = wanted_word(e, i);

		load_word(cp, e->field, i, want ? t.no : next);
		compiler__jump(cp, BPF_JNE, R1, want, t.no);
		compiler__bind(cp, next);
	}
	settle(cp, true, t);
}

void compiler__mask(struct compiler *cp, const struct expr *e, struct targets t)
{
	u32 words = (e->text_len + 7) / 8, machine = (libbpf_num_possible_cpus() + 63) / 64;

	if (e->num == MASK_EQ && words < machine)
		words = machine;
	if (words > MASK_WORDS || e->field->where == FIELD_STATIC) {
		compiler__refuse(cp, e, EOPNOTSUPP,
				 "a set of so many CPUs cannot be compared in the kernel: use "
				 "--user-filter");
		return;
	}
	if (!compiler__push(cp, 1))
		return;
	if (e->num == MASK_EQ)
		equals(cp, e, words, t);
	else
		intersects(cp, e, words, t);
	cp->tmp--;
}
