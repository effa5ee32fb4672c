// SPDX-License-Identifier: GPL-2.0-only
/*
 * rwbs of rebuilt block events, for all operations and flags: most machines have no device for some
 * of them. The code is interpreted here; the numbers are those of the running kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "user/collect/rebuild_maker.h"

static size_t width(u8 code)
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

static u64 load(u64 at, u8 code)
{
	u64 v = 0;

	memcpy(&v, (void *)at, width(code));
	return v;
}

static u64 compute(u8 op, u64 a, u64 b)
{
	switch (BPF_OP(op)) {
	case BPF_MOV:
		return b;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_LSH:
		return a << b;
	case BPF_RSH:
		return a >> b;
	}
	fail_msg("operation %#x", op);
	return 0;
}

static bool jumps(u8 op, u64 a, u64 b)
{
	switch (BPF_OP(op)) {
	case BPF_JA:
		return true;
	case BPF_JSET:
		return a & b;
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	}
	fail_msg("jump %#x", op);
	return false;
}

/* What the program would do. */
static void interpret(const struct code *c, u64 *args, u8 *record)
{
	u64 r[8] = {[R_ARGS] = (u64)args, [R_RECORD] = (u64)record}, b;
	const struct bpf_insn *in;
	size_t i;

	for (i = 0; i < c->n; i++) {
		in = &c->insn[i];
		b = BPF_SRC(in->code) == BPF_X ? r[in->src_reg] : (u64)(s64)in->imm;
		switch (BPF_CLASS(in->code)) {
		case BPF_LDX:
			r[in->dst_reg] = load(r[in->src_reg] + in->off, in->code);
			break;
		case BPF_STX:
			memcpy((void *)(r[in->dst_reg] + in->off), &r[in->src_reg],
			       width(in->code));
			break;
		case BPF_ALU64:
			r[in->dst_reg] = compute(in->code, r[in->dst_reg], b);
			break;
		default:
			i += jumps(in->code, r[in->dst_reg], b) ? in->off : 0;
		}
	}
}

static bool is_op(struct kernel_types *k, u32 flags, const char *name)
{
	return kernel_types__enum(k, "req_op", name) == (flags & 0xff);
}

static bool has_flag(struct kernel_types *k, u32 flags, const char *name)
{
	s64 bit = kernel_types__enum(k, "req_flag_bits", name);

	return bit >= 0 && flags >> bit & 1;
}

static const char *operation_letters(struct kernel_types *k, u32 flags, u32 room)
{
	static const char *const all[][2] = {
		{"REQ_OP_READ", "R"},	       {"REQ_OP_WRITE", "W"},
		{"REQ_OP_FLUSH", "F"},	       {"REQ_OP_DISCARD", "D"},
		{"REQ_OP_SECURE_ERASE", "DE"}, {"REQ_OP_ZONE_APPEND", "ZA"},
		{"REQ_OP_ZONE_RESET", "ZR"},   {"REQ_OP_ZONE_RESET_ALL", "ZRA"},
		{"REQ_OP_ZONE_FINISH", "ZF"},  {"REQ_OP_ZONE_OPEN", "ZO"},
		{"REQ_OP_ZONE_CLOSE", "ZC"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (is_op(k, flags, all[i][0]) && (*all[i][1] != 'Z' || room == 10))
			return all[i][1];
	return "N";
}

/* blk_fill_rwbs() of the kernel */
static void expected_letters(struct kernel_types *k, u32 flags, u32 room, char *to)
{
	snprintf(to, 16, "%s%s%s%s%s%s%s", has_flag(k, flags, "__REQ_PREFLUSH") ? "F" : "",
		 operation_letters(k, flags, room), has_flag(k, flags, "__REQ_FUA") ? "F" : "",
		 has_flag(k, flags, "__REQ_RAHEAD") ? "A" : "",
		 has_flag(k, flags, "__REQ_SYNC") ? "S" : "",
		 has_flag(k, flags, "__REQ_META") ? "M" : "",
		 room > 8 && has_flag(k, flags, "__REQ_ATOMIC") ? "U" : "");
}

/* All operations with all that flags of a kernel make of them, at an offset like the kernel's. */
static void compare_letters(struct kernel_types *k, const struct code *c, const struct field *f)
{
	static const u32 step = 1 << 11; /* nothing below counts, but for the operation */
	u32 at, size, op, flags;
	u64 request[128] = {0}, args[1] = {(u64)request};
	char got[64], want[16];

	assert_true(kernel_types__member(k, "request", "cmd_flags", &at, &size));
	assert_true(at + 4 <= sizeof(request));
	for (op = 0; op < 40; op++)
		for (flags = op; flags < 1u << 30; flags += 37 * step) {
			memcpy((u8 *)request + at, &flags, 4);
			memset(got, '?', sizeof(got));
			interpret(c, args, (u8 *)got);
			expected_letters(k, flags, f->room, want);
			if (strcmp(got + f->offset, want) || got[f->offset + f->room] != '?')
				fail_msg("%#x: %s, not %s", flags, got + f->offset, want);
		}
}

static void letters(void **state)
{
	static const struct rebuild event = {"block", "block_rq_issue", NULL, NULL};
	static const struct rebuild_field rwbs = {"rwbs", FROM_RWBS, 0, "request", NULL};
	struct field f = {.name = "rwbs", .kind = FIELD_TEXT, .offset = 34};
	struct kernel_types k = {0};

	for (f.room = 8; f.room <= 10; f.room++) {
		struct code c = {0};
		struct maker m = {.event = &event, .types = &k, .c = &c};

		if (rebuild_block__field(&m, &rwbs, &f))
			compare_letters(&k, &c, &f);
		else
			assert_true(f.room > 8 || kernel_types__size(&k, "blk_io_trace2"));
		code__free(&c);
	}
	kernel_types__free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
