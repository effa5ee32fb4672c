// SPDX-License-Identifier: GPL-2.0-only
/* Instructions that do nothing are taken out, and jumps and calls still reach what they meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "user/collect/compact.h"
#include "user/collect/syscall_table.h"
#include <asm/unistd.h>

#define MOV(value)                                                \
	{                                                         \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = value \
	}
#define NOP                              \
	{                                \
		.code = BPF_JMP | BPF_JA \
	}
#define EXIT                               \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}
#define JUMP(distance)                                             \
	{                                                          \
		.code = BPF_JMP | BPF_JEQ | BPF_K, .off = distance \
	}
#define CALL(distance)                                                                  \
	{                                                                               \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = distance \
	}
#define WIDE(value)                                        \
	{.code = BPF_LD | BPF_IMM | BPF_DW, .imm = value}, \
	{                                                  \
		0                                          \
	}

static void nothing_to_do(void **state)
{
	struct bpf_insn insn[] = {MOV(1), JUMP(1), MOV(2), EXIT}, as_it_was[4];

	memcpy(as_it_was, insn, sizeof(insn));
	assert_int_equal(compact__nops(insn, 4), 4);
	assert_memory_equal(insn, as_it_was, sizeof(insn));
}

static void jump_over_nops(void **state)
{
	struct bpf_insn insn[] = {JUMP(4), NOP, MOV(1), NOP, NOP, MOV(2), EXIT};

	assert_int_equal(compact__nops(insn, ARRAY_SIZE(insn)), 4);
	assert_int_equal(insn[0].off, 1);
	assert_int_equal(insn[1].imm, 1);
	assert_int_equal(insn[2].imm, 2);
	assert_int_equal(insn[3].code, BPF_JMP | BPF_EXIT);
}

static void jump_to_a_nop(void **state)
{
	struct bpf_insn insn[] = {JUMP(2), MOV(1), NOP, NOP, NOP, MOV(2), EXIT};

	assert_int_equal(compact__nops(insn, ARRAY_SIZE(insn)), 4);
	assert_int_equal(insn[0].off, 1); /* to MOV(2) */
}

static void jump_back(void **state)
{
	struct bpf_insn insn[] = {NOP, MOV(1), NOP, MOV(2), NOP, JUMP(-5), EXIT};

	assert_int_equal(compact__nops(insn, ARRAY_SIZE(insn)), 4);
	assert_int_equal(insn[2].off, -3);
}

static void call_behind_nops(void **state)
{
	struct bpf_insn insn[] = {CALL(3), NOP, NOP, EXIT, NOP, MOV(7), EXIT};

	assert_int_equal(compact__nops(insn, ARRAY_SIZE(insn)), 4);
	assert_int_equal(insn[0].imm, 1);
	assert_int_equal(insn[2].imm, 7);
}

/* The second half of a wide load may hold the bytes of a nop. */
static void wide_loads(void **state)
{
	struct bpf_insn insn[] = {NOP, WIDE(3), NOP, JUMP(-4), EXIT};

	insn[2].code = BPF_JMP | BPF_JA;
	assert_int_equal(compact__nops(insn, ARRAY_SIZE(insn)), 4);
	assert_int_equal(insn[0].imm, 3);
	assert_int_equal(insn[1].code, BPF_JMP | BPF_JA);
	assert_int_equal(insn[2].off, -3);
}

static void system_calls(void **state)
{
	assert_int_equal(syscall_table__number("sys_enter_openat"), __NR_openat);
	assert_int_equal(syscall_table__number("sys_exit_openat"), __NR_openat);
	assert_int_equal(syscall_table__number("sys_enter_newuname"), __NR_uname);
	assert_int_equal(syscall_table__number("sys_exit_newfstat"), __NR_fstat);
	assert_int_equal(syscall_table__number("sys_enter_umount"), __NR_umount2);
	assert_int_equal(syscall_table__number("sys_enter_mseal"), 462);
	assert_int_equal(syscall_table__number("sys_enter_accept"), __NR_accept);
	assert_int_equal(syscall_table__number("sys_enter_accept4"), __NR_accept4);
	assert_int_equal(syscall_table__number("sys_enter_nosuch"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_do),    cmocka_unit_test(jump_over_nops),
		cmocka_unit_test(jump_to_a_nop),    cmocka_unit_test(jump_back),
		cmocka_unit_test(call_behind_nops), cmocka_unit_test(wide_loads),
		cmocka_unit_test(system_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
