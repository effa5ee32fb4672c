// SPDX-License-Identifier: GPL-2.0-only
/*
 * rebuild_block.c - what block tracepoints tell of a struct request, after TP_fast_assign() of
 * include/trace/events/block.h and blk_fill_rwbs().
 */
#include "rebuild_maker.h"

#define OP_MASK	 0xff /* REQ_OP_MASK */
#define PREFLUSH "__REQ_PREFLUSH"

/* What the letters of rwbs depend on, by the size of the array: each addition made it longer. */
enum {
	RWBS_PLAIN = 8,
	RWBS_ATOMIC = 9, /* U */
	RWBS_ZONES = 10, /* Z and what follows it; 6.18 has these */
};

struct rwbs_letter {
	const char *name; /* enumerator of req_op or req_flag_bits */
	const char *letters; /* at most four */
	u32 since; /* RWBS_* */
};

/* An operation that is not here is N. */
static const struct rwbs_letter operations[] = {
	{"REQ_OP_READ", "R", RWBS_PLAIN},	   {"REQ_OP_WRITE", "W", RWBS_PLAIN},
	{"REQ_OP_FLUSH", "F", RWBS_PLAIN},	   {"REQ_OP_DISCARD", "D", RWBS_PLAIN},
	{"REQ_OP_SECURE_ERASE", "DE", RWBS_PLAIN}, {"REQ_OP_ZONE_APPEND", "ZA", RWBS_ZONES},
	{"REQ_OP_ZONE_RESET", "ZR", RWBS_ZONES},   {"REQ_OP_ZONE_RESET_ALL", "ZRA", RWBS_ZONES},
	{"REQ_OP_ZONE_FINISH", "ZF", RWBS_ZONES},  {"REQ_OP_ZONE_OPEN", "ZO", RWBS_ZONES},
	{"REQ_OP_ZONE_CLOSE", "ZC", RWBS_ZONES},
};

/* Behind the operation, the last one first. */
static const struct rwbs_letter flags[] = {
	{"__REQ_ATOMIC", "U", RWBS_ATOMIC}, {"__REQ_META", "M", RWBS_PLAIN},
	{"__REQ_SYNC", "S", RWBS_PLAIN},    {"__REQ_RAHEAD", "A", RWBS_PLAIN},
	{"__REQ_FUA", "F", RWBS_PLAIN},
};

static bool member(struct maker *m, const char *type, const char *name, u32 want, u32 *offset)
{
	u32 size;

	return kernel_types__member(m->types, type, name, offset, &size) && size == want;
}

static s64 operation(struct maker *m, const char *name)
{
	return kernel_types__enum(m->types, "req_op", name);
}

static void jump(struct maker *m, u8 op, int reg, s32 value, int over)
{
	code__insn(m->c, BPF_JMP | op | BPF_K, reg, 0, over, value);
}

static bool make_disk(struct maker *m, const struct field *f)
{
	u32 queue, disk, major, minor;

	if (!member(m, "request", "q", 8, &queue) ||
	    !member(m, "request_queue", "disk", 8, &disk) ||
	    !member(m, "gendisk", "major", 4, &major) ||
	    !member(m, "gendisk", "first_minor", 4, &minor))
		return false;
	/* without a disk both read as 0, which is what the kernel has then */
	code__load(m->c, R1, R1, queue, 8);
	code__load(m->c, R1, R1, disk, 8);
	code__load(m->c, R2, R1, major, 4);
	code__load(m->c, R3, R1, minor, 4);
	code__alu_imm(m->c, BPF_LSH, R2, 20);
	code__insn(m->c, BPF_ALU64 | BPF_OR | BPF_X, R2, R3, 0, 0);
	code__store(m->c, R_RECORD, f->offset, R2, 4);
	return true;
}

/* r2 = 0 for what a driver sends by itself: r1 is the request */
static bool clear_if_passed_through(struct maker *m)
{
	s64 in = operation(m, "REQ_OP_DRV_IN"), out = operation(m, "REQ_OP_DRV_OUT");
	u32 at;

	if (in < 0 || out < 0 || !member(m, "request", "cmd_flags", 4, &at))
		return false;
	code__load(m->c, R3, R1, at, 4);
	code__alu_imm(m->c, BPF_AND, R3, OP_MASK);
	jump(m, BPF_JEQ, R3, in, 1);
	jump(m, BPF_JNE, R3, out, 1);
	code__mov_imm(m->c, R2, 0);
	return true;
}

static bool make_sector(struct maker *m, const struct field *f)
{
	u32 at;

	if (!member(m, "request", "__sector", 8, &at))
		return false;
	code__load(m->c, R2, R1, at, 8);
	jump(m, BPF_JNE, R2, -1, 1);
	code__mov_imm(m->c, R2, 0);
	if (!clear_if_passed_through(m))
		return false;
	code__store(m->c, R_RECORD, f->offset, R2, 8);
	return true;
}

static bool make_length(struct maker *m, const struct field *f)
{
	u32 at;

	if (!member(m, "request", "__data_len", 4, &at))
		return false;
	code__load(m->c, R2, R1, at, 4);
	code__alu_imm(m->c, BPF_RSH, R2, 9);
	if (!clear_if_passed_through(m))
		return false;
	code__store(m->c, R_RECORD, f->offset, R2, 4);
	return true;
}

/* The request's own until 6.13, now that of its first bio; without one it reads as 0. */
static bool make_ioprio(struct maker *m, const struct field *f)
{
	u32 at;

	if (!member(m, "request", "ioprio", 2, &at)) {
		if (!member(m, "request", "bio", 8, &at))
			return false;
		code__load(m->c, R1, R1, at, 8);
		if (!member(m, "bio", "bi_ioprio", 2, &at))
			return false;
	}
	code__load(m->c, R2, R1, at, 2);
	code__store(m->c, R_RECORD, f->offset, R2, 2);
	return true;
}

/* --- rwbs: the letters are put together in r0 from the last to the first --- */

static void put_letters(struct maker *m, const char *letters)
{
	s32 value = 0;
	int i;

	for (i = 0; letters[i]; i++)
		value |= letters[i] << 8 * i;
	code__alu_imm(m->c, BPF_LSH, R0, 8 * i);
	code__alu_imm(m->c, BPF_OR, R0, value);
}

static bool put_flags(struct maker *m, u32 room)
{
	s64 bit;
	size_t i;

	code__mov_imm(m->c, R0, 0);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		if (flags[i].since > room)
			continue;
		bit = kernel_types__enum(m->types, "req_flag_bits", flags[i].name);
		if (bit < 0 || bit > 30)
			return false;
		jump(m, BPF_JSET, R2, 1 << bit, 1);
		code__insn(m->c, BPF_JMP | BPF_JA, 0, 0, 2, 0);
		put_letters(m, flags[i].letters);
	}
	return true;
}

static bool put_operation(struct maker *m, u32 room)
{
	int ends[ARRAY_SIZE(operations)], n = 0, i;

	code__mov(m->c, R3, R2);
	code__alu_imm(m->c, BPF_AND, R3, OP_MASK);
	for (i = 0; i < (int)ARRAY_SIZE(operations); i++) {
		if (operations[i].since > room)
			continue;
		if (operation(m, operations[i].name) < 0)
			return false;
		jump(m, BPF_JNE, R3, operation(m, operations[i].name), 3);
		put_letters(m, operations[i].letters);
		ends[n++] = m->c->n;
		code__insn(m->c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	}
	put_letters(m, "N");
	for (i = 0; i < n && !m->c->err; i++)
		m->c->insn[ends[i]].off = m->c->n - ends[i] - 1;
	return true;
}

/* There may be nine: the last of them is then in r1. */
static bool put_preflush(struct maker *m)
{
	s64 bit = kernel_types__enum(m->types, "req_flag_bits", PREFLUSH);

	if (bit < 0 || bit > 30)
		return false;
	code__mov_imm(m->c, R1, 0);
	jump(m, BPF_JSET, R2, 1 << bit, 1);
	code__insn(m->c, BPF_JMP | BPF_JA, 0, 0, 4, 0);
	code__mov(m->c, R1, R0);
	code__alu_imm(m->c, BPF_RSH, R1, 56);
	put_letters(m, "F");
	return true;
}

/* r0, and r1 behind it, to where the stack may not be aligned */
static void store_letters(struct maker *m, const struct field *f)
{
	u32 at, step, to;

	for (at = 0; at < f->room; at += step) {
		to = f->offset + at;
		step = code__piece(to, (at < 8 ? 8 : f->room) - at);
		code__store(m->c, R_RECORD, to, at < 8 ? R0 : R1, step);
		if (step < 8)
			code__alu_imm(m->c, BPF_RSH, at < 8 ? R0 : R1, 8 * step);
	}
}

static bool make_rwbs(struct maker *m, const struct field *f)
{
	u32 at;

	/* kernels with that struct have letters for writes of zeroes too, in the same ten bytes */
	if (f->room < RWBS_PLAIN || f->room > RWBS_ZONES ||
	    kernel_types__size(m->types, "blk_io_trace2") ||
	    !member(m, "request", "cmd_flags", 4, &at))
		return false;
	code__load(m->c, R2, R1, at, 4);
	if (!put_flags(m, f->room) || !put_operation(m, f->room) || !put_preflush(m))
		return false;
	store_letters(m, f);
	return true;
}

/* Arguments of 32 bits come with nothing above them. */
static bool make_bytes(struct maker *m, const struct rebuild_field *rf, const struct field *f)
{
	maker__load_arg(m, R1, rf->arg);
	code__alu_imm(m->c, BPF_RSH, R1, 9);
	code__store(m->c, R_RECORD, f->offset, R1, 4);
	return true;
}

bool rebuild_block__field(struct maker *m, const struct rebuild_field *rf, const struct field *f)
{
	if (rf->how == FROM_BYTES)
		return make_bytes(m, rf, f);
	if (rf->how == FROM_NOWHERE || !maker__follows(m, rf))
		return false;
	maker__load_arg(m, R1, rf->arg);
	switch (rf->how) {
	case FROM_DISK:
		return make_disk(m, f);
	case FROM_SECTOR:
		return make_sector(m, f);
	case FROM_LENGTH:
		return make_length(m, f);
	case FROM_IOPRIO:
		return make_ioprio(m, f);
	case FROM_RWBS:
		return make_rwbs(m, f);
	default:
		return false;
	}
}
