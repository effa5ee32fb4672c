// SPDX-License-Identifier: GPL-2.0-only
/* test_probe.c - USDT arguments in the words of both assemblers; binaries and their functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "user/event/probe_parts.h"

struct expect {
	u16 machine;
	const char *text;
	bool ok;
	u32 size;
	bool is_signed;
	struct probe_value value;
};

#define RBP (4 * 8)
#define RBX (5 * 8)
#define RAX (10 * 8)
#define RDX (12 * 8)
#define RDI (14 * 8)
#define RSP (19 * 8)

static const struct expect args[] = {
	{EM_X86_64, "8@%rdi", true, 8, false, {PROBE_REGISTER, RDI}},
	{EM_X86_64, "-4@%edi", true, 4, true, {PROBE_REGISTER, RDI}},
	{EM_X86_64, "2@%dx", true, 2, false, {PROBE_REGISTER, RDX}},
	{EM_X86_64, "-1@%dl", true, 1, true, {PROBE_REGISTER, RDX}},
	{EM_X86_64, "4@%r10d", true, 4, false, {PROBE_REGISTER, 7 * 8}},
	{EM_X86_64, "%rax", true, 8, false, {PROBE_REGISTER, RAX}},
	{EM_X86_64, "4@$5", true, 4, false, {PROBE_CONSTANT, .offset = 5}},
	{EM_X86_64, "-4@$-1", true, 4, true, {PROBE_CONSTANT, .offset = -1}},
	{EM_X86_64, "-4@-20(%rbp)", true, 4, true, {PROBE_USER, RBP, .offset = -20}},
	{EM_X86_64, "8@(%rsp)", true, 8, false, {PROBE_USER, RSP}},
	{EM_X86_64, "8@0x10(%rax,%rbx,8)", true, 8, false,
	 {PROBE_USER, RAX, RBX, 8, 16}},
	{EM_X86_64, "8@(%rax,%rbx)", true, 8, false, {PROBE_USER, RAX, RBX, 1, 0}},
	{EM_X86_64, "8@name(%rip)", false},
	{EM_X86_64, "8f@%xmm0", false},
	{EM_X86_64, "8@%xmm0", false},
	{EM_X86_64, "16@%rax", false},
	{EM_X86_64, "3@%rax", false},
	{EM_X86_64, "8@(%eax)", false},
	{EM_X86_64, "8@%rdi junk", false},
	{EM_X86_64, "8@", false},
	{EM_X86_64, "@", false},
	{EM_X86_64, "", false},
	{EM_X86_64, "8@(%rax,%rbx,16)", false},
	{EM_AARCH64, "8@x0", true, 8, false, {PROBE_REGISTER, 0}},
	{EM_AARCH64, "-4@w1", true, 4, true, {PROBE_REGISTER, 8}},
	{EM_AARCH64, "8@x30", true, 8, false, {PROBE_REGISTER, 240}},
	{EM_AARCH64, "8@x31", false},
	{EM_AARCH64, "8@[sp]", true, 8, false, {PROBE_USER, 248}},
	{EM_AARCH64, "-8@[sp, 16]", true, 8, true, {PROBE_USER, 248, .offset = 16}},
	{EM_AARCH64, "4@[x1, -4]", true, 4, false, {PROBE_USER, 8, .offset = -4}},
	{EM_AARCH64, "8@[x1, x2]", true, 8, false, {PROBE_USER, 8, 16, 1, 0}},
	{EM_AARCH64, "4@5", true, 4, false, {PROBE_CONSTANT, .offset = 5}},
	{EM_AARCH64, "8@[x1", false},
	{EM_AARCH64, "8@[x1, ]", false},
	{EM_AARCH64, "8@d0", false},
};

static void test_arguments(void **state)
{
	struct probe_arg got;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(args); i++) {
		const struct expect *e = &args[i];
		char *exact = malloc(strlen(e->text) + 1); /* for sanitizers */
		bool ok;

		strcpy(exact, e->text);
		memset(&got, 0, sizeof(got));
		ok = usdt_arg__parse(exact, strlen(exact), e->machine, &got);
		if (ok != e->ok)
			fail_msg("%s: %d", e->text, ok);
		if (ok && (got.size != e->size || got.is_signed != e->is_signed ||
			   got.value.from != e->value.from || got.value.reg != e->value.reg ||
			   got.value.index != e->value.index || got.value.scale != e->value.scale ||
			   got.value.offset != e->value.offset))
			fail_msg("%s", e->text);
		free(exact);
	}
}

static void test_registers(void **state)
{
	u16 offset;

	assert_true(probe_reg__argument(EM_X86_64, 0, &offset));
	assert_int_equal(offset, RDI);
	assert_true(probe_reg__argument(EM_X86_64, 5, &offset));
	assert_false(probe_reg__argument(EM_X86_64, 6, &offset));
	assert_true(probe_reg__argument(EM_AARCH64, 7, &offset));
	assert_int_equal(offset, 56);
	assert_int_equal(probe_reg__return(EM_X86_64), RAX);
	assert_int_equal(probe_reg__return(EM_AARCH64), 0);
}

/* This very program, which has symbols and debug information. */
__attribute__((noinline)) int a_function_of_the_test(int number, const char *text, double real,
						     u64 wide)
{
	asm volatile("" : : "r"(number), "r"(text), "m"(real), "r"(wide));
	return number;
}

static struct event_spec *spec_of(struct event_specs *specs, const char *text)
{
	struct err err = {0};

	assert_int_equal(spec__parse(specs, text, NULL, NULL, &err), 0);
	return specs->v[0];
}

static void test_own_function(void **state)
{
	struct event_specs specs = {0};
	struct event_spec *spec = spec_of(&specs, "uprobe:a_function_of_the_test@\"/proc/self/exe\"");
	struct probe_args found = {0};
	struct err err = {0};
	struct elf_file f;
	u64 addr, offset;

	a_function_of_the_test(1, "x", 2, 3);
	assert_int_equal(elf_file__open(&f, spec, "", &err), 0);
	assert_int_equal(elf_file__function(&f, spec, &addr, &err), 0);
	assert_true(elf_file__offset(&f, addr, &offset));
	assert_false(elf_file__offset(&f, UINT64_MAX - 1, &offset));
	assert_int_equal(dwarf_args__find(&f, addr, false, &found), 0);
	assert_int_equal(found.n, 3);
	assert_string_equal(found.v[0].name, "number");
	assert_string_equal(found.v[0].type, "int");
	assert_true(found.v[0].is_signed);
	assert_string_equal(found.v[1].name, "text");
	assert_string_equal(found.v[1].type, "char *");
	assert_string_equal(found.v[2].name, "wide");
	assert_int_equal(found.v[2].size, 8);
	assert_false(found.v[2].is_signed);
	elf_file__close(&f);
	spec__free(&specs);
}

static void expect_error(const char *text, const char *want)
{
	struct event_specs specs = {0};
	struct event_spec *spec = spec_of(&specs, text);
	struct err err = {0};
	struct elf_file f;
	u64 addr;

	if (!elf_file__open(&f, spec, "", &err))
		elf_file__function(&f, spec, &addr, &err);
	assert_true(err.usage);
	if (!strstr(err.text, want))
		fail_msg("%s", err.text);
	elf_file__close(&f);
	spec__free(&specs);
}

static void test_errors(void **state)
{
	expect_error("uprobe:a_function_of_the_tost@\"/proc/self/exe\"",
		     "near: a_function_of_the_test");
	expect_error("uprobe:f@\"/nonexistent/x\"", "No such file");
	expect_error("uprobe:f@\"no-such-library\"", "no library or program");
	expect_error("uprobe:f@\"/etc/passwd\"", "no ELF binary");
	expect_error("uprobe:f@\"/etc\"", "directory");
	expect_error("uprobe:0xffffffffff@\"/proc/self/exe\"", "not in the file");
	expect_error("uprobe:a_function_of_the_test+9999@\"/proc/self/exe\"", "shorter");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_own_function),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
