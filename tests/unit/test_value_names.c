// SPDX-License-Identifier: GPL-2.0-only
/* test_value_names.c - names of values in print formats, as kernels write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "formats.h"
#include "user/base/err.h"
#include "user/event/value_names.h"

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                      \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                      \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"              \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* x86, 6.18, with shorter tables. */
static const char kvm_exit_x86[] =
	"name: kvm_exit\nID: 103\nformat:\n" COMMON
	"\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long guest_rip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 isa;\toffset:24;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"reason %s%s%s rip 0x%lx\", (REC->isa == 1) ? __print_symbolic(REC->exit_reason & "
	"0xffff, { 0, \"EXCEPTION_NMI\" }, { 12, \"HLT\" }, { 33, \"INVALID_STATE\" }) : "
	"__print_symbolic(REC->exit_reason, { 0x000, \"read_cr0\" }, { 0x040 + 14, \"PF excp\" }, { "
	"0x072, \"cpuid\" }, { 0x07b, \"io\" }, { 0x80000001, \"vmgexit_mmio_read\" }, { -1, "
	"\"invalid_guest_state\" }), (REC->isa == 1 && REC->exit_reason & ~0xffff) ? \" \" : \"\", "
	"(REC->isa == 1) ? __print_flags(REC->exit_reason & ~0xffff, \" \", { 0x80000000, "
	"\"FAILED_VMENTRY\" }) : \"\", REC->guest_rip\n";

/* arm64: the class of the exception, beside what it is in general. */
static const char kvm_exit_arm64[] =
	"name: kvm_exit\nID: 104\nformat:\n" COMMON
	"\tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int esr_ec;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long vcpu_pc;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"%s: HSR_EC: 0x%04x (%s), PC: 0x%016lx\", __print_symbolic(((REC->ret) & ~(1U << "
	"31)), { 0, \"IRQ\" }, { 2, \"TRAP\" }), REC->esr_ec, __print_symbolic(REC->esr_ec, { 0x01, "
	"\"WFx\" }, { 0x24, \"DABT_LOW\" }), REC->vcpu_pc\n";

static const char kvm_userspace_exit[] =
	"name: kvm_userspace_exit\nID: 42\nformat:\n" COMMON
	"\tfield:__u32 reason;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:int errno;\toffset:12;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"reason %s (%d)\", REC->errno < 0 ? (REC->errno == -4 ? \"restart\" : \"error\") : "
	"__print_symbolic(REC->reason, { 0, \"KVM_EXIT_\" \"UNKNOWN\" }, { 2, \"KVM_EXIT_\" \"IO\" }), "
	"REC->errno < 0 ? -REC->errno : REC->reason\n";

static const char plain[] =
	"name: plain\nID: 5\nformat:\n" COMMON
	"\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"number=%d\", REC->number\n";

static struct event_format *parse(const char *system, const char *name, const char *text)
{
	struct event_format *f = NULL;
	struct err err = {0};

	assert_int_equal(event_format__parse(&f, system, name, text, strlen(text), &err), 0);
	return f;
}

static void expect(struct event_format *f, const char *field, u64 value, u64 chosen, const char *name)
{
	struct strbuf b = {0};

	value_names__put(&b, f, field, value, chosen);
	assert_string_equal(b.s, name);
	strbuf__free(&b);
}

static void two_tables(void **state)
{
	struct event_format *f = parse("kvm", "kvm_exit", kvm_exit_x86);

	assert_true(value_names__has(f, "exit_reason"));
	assert_string_equal(value_names__chooser(f, "exit_reason"), "isa");
	expect(f, "exit_reason", 12, 1, "HLT");
	expect(f, "exit_reason", 0, 1, "EXCEPTION_NMI");
	expect(f, "exit_reason", 99, 1, "0x63");
	expect(f, "exit_reason", 0x80000021, 1, "INVALID_STATE FAILED_VMENTRY");
	expect(f, "exit_reason", 0x7b, 2, "io");
	expect(f, "exit_reason", 0x4e, 2, "PF excp");
	expect(f, "exit_reason", 0x80000001, 2, "vmgexit_mmio_read");
	expect(f, "exit_reason", 0xffffffff, 2, "invalid_guest_state");
	expect(f, "exit_reason", 0xfffffffe, 2, "0xfffffffe");
	event_format__put(f);
}

static void a_table_each(void **state)
{
	struct event_format *f = parse("kvm", "kvm_exit", kvm_exit_arm64);

	assert_null(value_names__chooser(f, "esr_ec"));
	expect(f, "esr_ec", 0x24, 0, "DABT_LOW");
	expect(f, "ret", 0x80000002, 0, "TRAP");
	assert_false(value_names__has(f, "vcpu_pc"));
	event_format__put(f);
}

static void literals_in_pieces(void **state)
{
	struct event_format *f = parse("kvm", "kvm_userspace_exit", kvm_userspace_exit);

	expect(f, "reason", 2, 0, "KVM_EXIT_IO");
	expect(f, "reason", 77, 0, "0x4d");
	event_format__put(f);
}

static void flags(void **state)
{
	struct event_format *f = parse("sched", "sched_switch", format_sched_switch);

	expect(f, "prev_state", 0, 0, "R");
	expect(f, "prev_state", 1, 0, "S");
	expect(f, "prev_state", 3, 0, "S|D");
	expect(f, "prev_state", 0x100, 0, "R+");
	event_format__put(f);
}

static void numbers(void **state)
{
	struct event_format *f = parse("x", "plain", plain);

	assert_false(value_names__has(f, "number"));
	expect(f, "number", 42, 0, "42");
	event_format__put(f);
}

struct names {
	char text[256];
	u64 sum;
};

static int collect(void *ctx, const char *name, u64 value)
{
	struct names *n = ctx;

	strcat(n->text, name);
	strcat(n->text, ",");
	n->sum += value;
	return 0;
}

static void each(void **state)
{
	struct event_format *f = parse("kvm", "kvm_exit", kvm_exit_x86);
	struct names vmx = {0}, svm = {0};

	assert_int_equal(value_names__each(f, "exit_reason", 1, collect, &vmx), 0);
	assert_string_equal(vmx.text, "EXCEPTION_NMI,HLT,INVALID_STATE,");
	assert_int_equal(vmx.sum, 0 + 12 + 33);
	assert_int_equal(value_names__each(f, "exit_reason", 2, collect, &svm), 0);
	assert_string_equal(svm.text, "read_cr0,PF excp,cpuid,io,vmgexit_mmio_read,invalid_guest_state,");
	event_format__put(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_tables), cmocka_unit_test(a_table_each),
		cmocka_unit_test(literals_in_pieces), cmocka_unit_test(flags),
		cmocka_unit_test(numbers), cmocka_unit_test(each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
