// SPDX-License-Identifier: GPL-2.0-only
/*
 * aggregate_code.c - the maps of a table and the code that updates its rows.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../filter/holes.h"
#include "table_impl.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define PREALLOC_MAX (32u << 20) /* bytes of a map that are taken before they are used */

/* --- maps --- */

static int make_map(const char *name, enum bpf_map_type type, u32 key, u32 value, u32 entries,
		    u32 flags, struct err *err)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = flags);
	int fd = bpf_map_create(type, name, key, value, entries, &o);

	if (fd < 0)
		err__set(err, errno,
			 "a table of %u rows of %u bytes cannot be made: %s; entries= makes it "
			 "smaller",
			 entries, value, strerror(errno));
	return fd;
}

static int make_side(const struct table *t, struct err *err)
{
	u64 bytes = (u64)t->entries * (t->key.size + 8ull * t->words * t->nr_cpus);
	u32 flags = !t->key.index && bytes > PREALLOC_MAX ? BPF_F_NO_PREALLOC : 0;

	return make_map("tamis_table",
			t->key.index ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_PERCPU_HASH,
			t->key.size, 8 * t->words, t->entries, flags, err);
}

static int make_outer(struct table *t, struct err *err)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .inner_map_fd = t->side[0]);

	t->side[1] = make_side(t, err);
	if (t->side[1] < 0)
		return -err->code;
	t->outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "tamis_sides", 4, 4, 2, &o);
	for (u32 i = 0; i < 2 && t->outer >= 0; i++)
		if (bpf_map_update_elem(t->outer, &i, &t->side[i], 0))
			return err__set(err, errno, "a table cannot be made: %s", strerror(errno));
	return t->outer < 0 ? err__set(err, errno, "a table cannot be made: %s", strerror(errno))
			    : 0;
}

int table__make_maps(struct table *t, struct err *err)
{
	t->side[0] = make_side(t, err);
	if (t->side[0] < 0)
		return -err->code;
	if (key__has_stacks(&t->key)) {
		t->stacks = make_map("tamis_stacks", BPF_MAP_TYPE_HASH, 8,
				     sizeof(struct stack_value), t->entries,
				     t->entries * sizeof(struct stack_value) > PREALLOC_MAX
					     ? BPF_F_NO_PREALLOC
					     : 0,
				     err);
		if (t->stacks < 0)
			return -err->code;
	}
	return t->swap ? make_outer(t, err) : 0;
}

/* --- code: the value is in r1, the row's address in w->dst --- */

static void load_row(struct code *c, int reg)
{
	code__load(c, reg, R_WORK, offsetof(struct work, dst), 8);
}

static void add_to(struct code *c, u32 word)
{
	load_row(c, R2);
	code__load(c, R3, R2, 8 * (int)word, 8);
	code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R3, R1, 0, 0);
	code__store(c, R2, 8 * (int)word, R3, 8);
}

/* The first update of a row sets it, whatever is in it. */
static void keep_extreme(struct code *c, u32 word, int jump_if_kept)
{
	load_row(c, R2);
	code__load(c, R3, R2, 0, 8);
	code__insn(c, BPF_JMP | BPF_JEQ | BPF_K, R3, 0, 2, 0);
	code__load(c, R3, R2, 8 * (int)word, 8);
	code__insn(c, BPF_JMP | jump_if_kept | BPF_X, R3, R1, 1, 0);
	code__store(c, R2, 8 * (int)word, R1, 8);
}

static void log2_update(struct code *c, u32 word, bool is_signed)
{
	code__mov(c, R2, R1);
	load_row(c, R1);
	code__alu_imm(c, BPF_ADD, R1, 8 * (s32)word);
	code__mov_imm(c, R3, is_signed);
	code__call(c, FN_AGG_LOG2);
}

/*
 * r4 = 0 below LOW, the last bucket from HIGH on, between them 1 + (v - LOW) / STEP. Values without
 * a sign are not below a negative LOW. The last jump bounds r4 for the verifier, which does not
 * follow divisions.
 */
static void linear_update(struct code *c, const struct table_op *op, const s64 *lhist,
			  bool is_signed)
{
	int below = is_signed ? BPF_JSGE : BPF_JGE, above = is_signed ? BPF_JSLT : BPF_JLT;
	bool has_low = is_signed || lhist[0] > 0;

	if (has_low) {
		code__mov_imm(c, R4, 0);
		code__imm64(c, R3, (u64)lhist[0]);
		code__insn(c, BPF_JMP | below | BPF_X, R1, R3, 1, 0);
		code__insn(c, BPF_JMP | BPF_JA, 0, 0, 12, 0);
	} else {
		code__imm64(c, R3, (u64)lhist[0]);
	}
	code__mov_imm(c, R4, (s32)op->words - 1);
	code__imm64(c, R2, is_signed || lhist[1] > 0 ? (u64)lhist[1] : 0);
	code__insn(c, BPF_JMP | above | BPF_X, R1, R2, 1, 0);
	code__insn(c, BPF_JMP | BPF_JA, 0, 0, 7, 0);
	code__insn(c, BPF_ALU64 | BPF_SUB | BPF_X, R1, R3, 0, 0);
	code__imm64(c, R2, (u64)lhist[2]);
	code__insn(c, BPF_ALU64 | BPF_DIV | BPF_X, R1, R2, 0, 0);
	code__alu_imm(c, BPF_ADD, R1, 1);
	code__insn(c, BPF_JMP | BPF_JGT | BPF_X, R1, R4, 1, 0);
	code__mov(c, R4, R1);
	/* both jumps over the division end here */
	load_row(c, R2);
	code__alu_imm(c, BPF_LSH, R4, 3);
	code__insn(c, BPF_ALU64 | BPF_ADD | BPF_X, R2, R4, 0, 0);
	code__load(c, R3, R2, 8 * (int)op->at, 8);
	code__alu_imm(c, BPF_ADD, R3, 1);
	code__store(c, R2, 8 * (int)op->at, R3, 8);
}

static void op_update(const struct table *t, enum agg_op which, struct code *c)
{
	const struct table_op *op = &t->ops[which];
	bool is_signed = op->e->is_signed;

	switch (which) {
	case AGG_MIN:
		keep_extreme(c, op->at, is_signed ? BPF_JSLE : BPF_JLE);
		return;
	case AGG_MAX:
		keep_extreme(c, op->at, is_signed ? BPF_JSGE : BPF_JGE);
		return;
	case AGG_HIST:
		log2_update(c, op->at, is_signed);
		return;
	case AGG_LHIST:
		linear_update(c, op, t->event->spec->lhist, is_signed);
		return;
	default:
		add_to(c, op->at);
	}
}

static int update_code(const struct table *t, struct code *c, struct compile_env *env,
		       struct err *err)
{
	for (int op = 0; op < AGG_MAX_OP; op++) {
		if (!t->has[op] || op == AGG_COUNT)
			continue;
		if (compile__int(c, t->ops[op].e, t->event, env, err))
			return -err->code;
		op_update(t, op, c);
	}
	code__mov_imm(c, R1, 1);
	add_to(c, 0);
	if (c->n > UPDATE_ROOM)
		return err__set(err, E2BIG,
				"%s: its operators take %zu instructions in the kernel, there is "
				"room for %u: say them simpler",
				t->event->label, c->n, UPDATE_ROOM);
	return 0;
}

int table__fill(struct table *t, struct holes *h, struct compile_env *env, struct err *err)
{
	int ret = table__make_maps(t, err);

	if (!ret)
		ret = key__code(&t->key, &h->key, t->event, env, err);
	if (!ret)
		ret = update_code(t, &h->update, env, err);
	if (ret)
		return ret;
	h->flags |= F_AGG;
	if (t->key.big)
		h->flags |= F_BIGKEY;
	if (t->swap) {
		h->flags |= F_SWAP | F_SELECT;
		h->swap = t->outer;
	} else {
		h->agg = t->side[0];
	}
	h->stacks = t->stacks;
	if (!spec__emits(t->event->spec))
		h->flags &= ~(u32)F_EMIT;
	return 0;
}
