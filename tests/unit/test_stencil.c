// SPDX-License-Identifier: GPL-2.0-only
/* Marks are found in instructions, holes filled, immediates and maps patched. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "user/collect/program.h"
#include "bpf/record.h"
#include "bpf/template.h"

#define MOV(reg, value)                                                                  \
	{                                                                                \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = reg, .imm = (s32)(value) \
	}
#define NOP                              \
	{                                \
		.code = BPF_JMP | BPF_JA \
	}
#define EXIT                               \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}
#define LOAD_MAP(fd)                        \
	{.code = BPF_LD | BPF_IMM | BPF_DW, \
	 .dst_reg = 1,                      \
	 .src_reg = BPF_PSEUDO_MAP_FD,      \
	 .imm = fd},                        \
	{                                   \
		0                           \
	}
#define CALL(distance)                                                                  \
	{                                                                               \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = distance \
	}

static const struct bpf_insn sample[] = {
	/* 0 */ MOV(3, IMM_EVENT),
	MOV(3, 0),
	/* 2 */ LOAD_MAP(7),
	/* 4 */ MOV(0, MARK_FILTER),
	MOV(0, 1),
	NOP,
	NOP,
	NOP,
	NOP,
	/* 10 */ MOV(2, IMM_EVENT),
	MOV(2, 0),
	/* 12 */ LOAD_MAP(MARK_FILTER), /* looks like a mark, is the second half of none */
	/* 14 */ CALL(2),
	NOP,
	EXIT,
	/* 17 */ MOV(5, 1),
	MOV(0, FN_GLOB),
	EXIT,
};

static void marks_are_found(void **state)
{
	struct err err = {0};
	struct stencil s;

	assert_int_equal(stencil__init(&s, sample, ARRAY_SIZE(sample), &err), 0);
	assert_int_equal(s.nr_holes, 1);
	assert_int_equal(stencil__hole(&s, MARK_FILTER)->first, 6);
	assert_int_equal(stencil__hole(&s, MARK_FILTER)->room, 4);
	assert_null(stencil__hole(&s, MARK_SCOPE));
	assert_int_equal(s.nr_imms, 2);
	assert_int_equal(s.nr_maps, 2);
	assert_int_equal(stencil__function(&s, FN_GLOB), 17);
	assert_int_equal(stencil__function(&s, FN_CONTAINS), -1);
	stencil__free(&s);
}

static void hole_twice(void **state)
{
	static const struct bpf_insn twice[] = {
		MOV(0, MARK_KEY), MOV(0, 1), NOP, MOV(0, MARK_KEY), MOV(0, 1), NOP, EXIT,
	};
	struct err err = {0};
	struct stencil s;

	assert_int_equal(stencil__init(&s, twice, ARRAY_SIZE(twice), &err), -EINVAL);
	assert_non_null(strstr(err.text, "twice"));
}

struct clone {
	struct stencil s;
	struct program p;
	struct err err;
};

static int open_clone(void **state)
{
	struct clone *c = calloc(1, sizeof(*c));

	if (!c || stencil__init(&c->s, sample, ARRAY_SIZE(sample), &c->err) ||
	    program__init(&c->p, &c->s, BPF_PROG_TYPE_TRACEPOINT, "a:b", &c->err))
		return -1;
	*state = c;
	return 0;
}

static int close_clone(void **state)
{
	struct clone *c = *state;

	program__free(&c->p);
	stencil__free(&c->s);
	free(c);
	return 0;
}

static void immediates_everywhere(void **state)
{
	struct clone *c = *state;

	assert_int_equal(program__patch(&c->p, IMM_EVENT, 42, &c->err), 0);
	assert_int_equal(c->p.insn[1].imm, 42);
	assert_int_equal(c->p.insn[11].imm, 42);
	assert_int_equal(c->s.insn[1].imm, 0);
	assert_int_equal(program__patch(&c->p, IMM_RATE, 42, &c->err), -EINVAL);
}

static void maps_of_that_fd(void **state)
{
	struct clone *c = *state;

	program__map(&c->p, 7, 99);
	assert_int_equal(c->p.insn[2].imm, 99);
	assert_int_equal(c->p.insn[12].imm, (s32)MARK_FILTER);
}

static void reject_leaves_to_the_end(void **state)
{
	struct clone *c = *state;
	struct code code = {0};

	code__reject(&code, BPF_JEQ, R3, 5);
	code__accept(&code);
	assert_int_equal(program__fill(&c->p, MARK_FILTER, &code, "its filter", &c->err), 0);
	assert_int_equal(c->p.insn[6].off, 3); /* from 7 to 10, behind the hole */
	assert_int_equal(c->p.insn[7].imm, 1);
	assert_int_equal(c->p.insn[8].code, BPF_JMP | BPF_JA);
	code__free(&code);
}

static void call_reaches_function(void **state)
{
	struct clone *c = *state;
	struct code code = {0};

	code__accept(&code);
	code__call(&code, FN_GLOB);
	assert_int_equal(program__fill(&c->p, MARK_FILTER, &code, "its filter", &c->err), 0);
	assert_int_equal(7 + 1 + c->p.insn[7].imm, 17);
	code__free(&code);
}

static void unknown_function(void **state)
{
	struct clone *c = *state;
	struct code code = {0};

	code__call(&code, FN_CONTAINS);
	assert_int_equal(program__fill(&c->p, MARK_FILTER, &code, "its filter", &c->err), -EINVAL);
	code__free(&code);
}

static void too_long(void **state)
{
	struct clone *c = *state;
	struct code code = {0};
	int i;

	for (i = 0; i < 5; i++)
		code__accept(&code);
	assert_int_equal(program__fill(&c->p, MARK_FILTER, &code, "the filter `x == 1`", &c->err),
			 -EINVAL);
	assert_true(c->err.usage);
	assert_non_null(strstr(c->err.text, "a:b: the filter `x == 1` is too long"));
	code__free(&code);
}

static void broken_code(void **state)
{
	struct clone *c = *state;
	struct code code = {.err = -ENOMEM};

	assert_int_equal(program__fill(&c->p, MARK_FILTER, &code, "its filter", &c->err), -ENOMEM);
}

#define with_clone(f) cmocka_unit_test_setup_teardown(f, open_clone, close_clone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_found),
		cmocka_unit_test(hole_twice),
		with_clone(immediates_everywhere),
		with_clone(maps_of_that_fd),
		with_clone(reject_leaves_to_the_end),
		with_clone(call_reaches_function),
		with_clone(unknown_function),
		with_clone(too_long),
		with_clone(broken_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
