// SPDX-License-Identifier: GPL-2.0-only
/* test_format.c - fields are what their C declarations say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include "formats.h"
#include "user/base/err.h"
#include "user/event/format.h"

static struct event_format *parse(const char *system, const char *name, const char *text)
{
	struct event_format *f = NULL;
	struct err err = {0};

	assert_int_equal(event_format__parse(&f, system, name, text, strlen(text), &err), 0);
	return f;
}

struct expect {
	const char *name, *type;
	enum field_kind kind;
	u32 offset, room, size, elem;
	bool is_signed;
	enum field_where where;
};

static void check(const struct event_format *f, const struct expect *e, size_t n)
{
	size_t i;

	assert_int_equal(f->nr_fields, n);
	for (i = 0; i < n; i++) {
		const struct field *got = &f->fields[i];

		assert_string_equal(got->name, e[i].name);
		assert_string_equal(got->type, e[i].type);
		assert_int_equal(got->kind, e[i].kind);
		assert_int_equal(got->offset, e[i].offset);
		assert_int_equal(got->room, e[i].room);
		assert_int_equal(got->size, e[i].size);
		assert_int_equal(got->elem_size, e[i].elem);
		assert_int_equal(got->is_signed, e[i].is_signed);
		assert_int_equal(got->where, e[i].where);
	}
}

static void test_syscall_enter(void **state)
{
	static const struct expect want[] = {
		{"__syscall_nr", "int", FIELD_INT, 8, 4, 4, 4, true},
		{"dfd", "int", FIELD_INT, 16, 8, 4, 4, true},
		{"filename", "const char *", FIELD_INT, 24, 8, 8, 8, false},
		{"flags", "int", FIELD_INT, 32, 8, 4, 4, true},
		{"mode", "umode_t", FIELD_INT, 40, 8, 2, 2, false},
	};
	struct event_format *f = parse("syscalls", "sys_enter_openat", format_sys_enter_openat);

	check(f, want, ARRAY_SIZE(want));
	assert_true(f->is_syscall_enter);
	assert_false(f->is_syscall_exit);
	assert_int_equal(f->size, 48);
	assert_int_not_equal(f->id, 0);
	event_format__put(f);
}

static void test_char_arrays(void **state)
{
	static const struct expect want[] = {
		{"prev_comm", "char[16]", FIELD_TEXT, 8, 16, 16, 1, false},
		{"prev_pid", "pid_t", FIELD_INT, 24, 4, 4, 4, true},
		{"prev_prio", "int", FIELD_INT, 28, 4, 4, 4, true},
		{"prev_state", "long", FIELD_INT, 32, 8, 8, 8, true},
		{"next_comm", "char[16]", FIELD_TEXT, 40, 16, 16, 1, false},
		{"next_pid", "pid_t", FIELD_INT, 56, 4, 4, 4, true},
		{"next_prio", "int", FIELD_INT, 60, 4, 4, 4, true},
	};
	struct event_format *f = parse("sched", "sched_switch", format_sched_switch);

	check(f, want, ARRAY_SIZE(want));
	assert_int_equal(f->size, 64);
	event_format__put(f);
}

/* A7: the same whatever the sign column says about char. */
static void test_signed_chars(void **state)
{
	struct event_format *f =
		parse("x", "y",
		      "name: y\nID: 5\nformat:\n"
		      "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		      "\tfield:char old[TASK_COMM_LEN];\toffset:24;\tsize:16;\tsigned:0;\n"
		      "\tfield:signed char s[4];\toffset:40;\tsize:4;\tsigned:1;\n"
		      "\tfield:unsigned char u;\toffset:44;\tsize:1;\tsigned:0;\n"
		      "\tfield:char c;\toffset:45;\tsize:1;\tsigned:1;\n\n");
	static const struct expect want[] = {
		{"comm", "char[16]", FIELD_TEXT, 8, 16, 16, 1, false},
		{"old", "char[TASK_COMM_LEN]", FIELD_TEXT, 24, 16, 16, 1, false},
		{"s", "signed char[4]", FIELD_BYTES, 40, 4, 4, 1, false},
		{"u", "unsigned char", FIELD_INT, 44, 1, 1, 1, false},
		{"c", "char", FIELD_INT, 45, 1, 1, 1, true},
	};

	check(f, want, ARRAY_SIZE(want));
	event_format__put(f);
}

static void test_long_array(void **state)
{
	static const struct expect want[] = {
		{"id", "long", FIELD_INT, 8, 8, 8, 8, true},
		{"args", "unsigned long[6]", FIELD_ARRAY, 16, 48, 48, 8, false},
	};
	struct event_format *f = parse("raw_syscalls", "sys_enter", format_sys_enter);

	check(f, want, ARRAY_SIZE(want));
	event_format__put(f);
}

static void test_data_loc(void **state)
{
	static const struct expect want[] = {
		{"filename", "__data_loc char[]", FIELD_TEXT, 8, 4, 0, 1, false, FIELD_DATA_LOC},
		{"pid", "pid_t", FIELD_INT, 12, 4, 4, 4, true},
		{"old_pid", "pid_t", FIELD_INT, 16, 4, 4, 4, true},
	};
	struct event_format *f = parse("sched", "sched_process_exec", format_sched_process_exec);

	check(f, want, ARRAY_SIZE(want));
	event_format__put(f);
}

static void test_rel_loc(void **state)
{
	static const struct expect want[] = {
		{"first", "__rel_loc char[]", FIELD_TEXT, 8, 4, 0, 1, false, FIELD_REL_LOC},
		{"between", "u32", FIELD_INT, 12, 4, 4, 4, false},
		{"second", "__rel_loc u8[]", FIELD_BYTES, 16, 4, 0, 1, false, FIELD_REL_LOC},
		{"third", "__rel_loc u64[]", FIELD_ARRAY, 20, 4, 0, 8, false, FIELD_REL_LOC},
	};
	struct event_format *f = parse("x", "rel_loc", format_rel_loc);

	check(f, want, ARRAY_SIZE(want));
	event_format__put(f);
}

static void test_addresses_and_enums(void **state)
{
	struct event_format *f = parse("sock", "inet_sock_set_state", format_inet_sock_set_state);
	const struct field *saddr = event_format__field(f, "saddr");
	const struct field *v6 = event_format__field(f, "saddr_v6");
	const struct field *sport = event_format__field(f, "sport");

	assert_int_equal(saddr->kind, FIELD_BYTES);
	assert_int_equal(saddr->size, 4);
	assert_int_equal(v6->kind, FIELD_BYTES);
	assert_int_equal(v6->size, 16);
	assert_int_equal(sport->kind, FIELD_INT);
	assert_int_equal(sport->size, 2);
	assert_false(sport->is_signed);
	event_format__put(f);

	f = parse("skb", "kfree_skb", format_kfree_skb);
	assert_int_equal(event_format__field(f, "reason")->size, 4);
	assert_int_equal(event_format__field(f, "reason")->kind, FIELD_INT);
	assert_string_equal(event_format__field(f, "skbaddr")->type, "void *");
	event_format__put(f);
}

static void test_cpumask(void **state)
{
	struct event_format *f = parse("ipi", "ipi_send_cpumask", format_ipi_send_cpumask);
	const struct field *mask = event_format__field(f, "cpumask");

	assert_int_equal(mask->where, FIELD_DATA_LOC);
	assert_int_equal(mask->kind, FIELD_ARRAY);
	assert_int_equal(mask->elem_size, 8);
	event_format__put(f);
}

static void test_printed_address_in_chars(void **state)
{
	struct event_format *f =
		parse("x", "y",
		      "name: y\nID: 5\nformat:\n"
		      "\tfield:char a[16];\toffset:8;\tsize:16;\tsigned:1;\n"
		      "\tfield:char b[16];\toffset:24;\tsize:16;\tsigned:1;\n"
		      "\tfield:__data_loc char[] c;\toffset:40;\tsize:4;\tsigned:1;\n"
		      "\tfield:unsigned short d[8];\toffset:44;\tsize:16;\tsigned:0;\n\n"
		      "print fmt: \"100%% \\\"%*d a=%s, b=%pU c=%.*pM d=%pI6c\", 1, 2, REC->a, "
		      "(REC->b), 3, __get_str(c), (x, REC->d)\n");

	assert_int_equal(event_format__field(f, "a")->kind, FIELD_TEXT);
	assert_int_equal(event_format__field(f, "b")->kind, FIELD_BYTES);
	assert_int_equal(event_format__field(f, "c")->kind, FIELD_BYTES);
	assert_int_equal(event_format__field(f, "d")->kind, FIELD_BYTES);
	event_format__put(f);
}

static void test_common_fields(void **state)
{
	struct event_format *f = parse("sched", "sched_switch", format_sched_switch);

	assert_ptr_equal(event_format__field(f, "common_pid"), &common_fields[3]);
	assert_null(event_format__field(f, "common_nothing"));
	assert_null(event_format__field(f, "next"));
	event_format__put(f);
}

/* A format that libtraceevent cannot parse costs the print format only. */
static void test_unparsable_print_format(void **state)
{
	struct event_format *f =
		parse("x", "y",
		      "name: y\nID: 5\nformat:\n"
		      "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\n"
		      "print fmt: \"%d %s\", REC->a, no_such_function(REC->a, ({ 1; }))\n");

	assert_non_null(event_format__field(f, "a"));
	assert_null(event_format__tep(f));
	event_format__put(f);

	f = parse("sched", "sched_switch", format_sched_switch);
	assert_non_null(event_format__tep(f));
	assert_ptr_equal(event_format__tep(f), event_format__tep(f));
	event_format__put(f);
}

static void test_odd_lines(void **state)
{
	struct event_format *f =
		parse("x", "y",
		      "ID: 77\nformat:\n"
		      "\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n"
		      "\tfield:int;\toffset:8;\tsize:4;\tsigned:1;\n"
		      "\tfield:int far;\toffset:4000000000;\tsize:4;\tsigned:1;\n"
		      "\tfield:int huge;\toffset:8;\tsize:99999;\tsigned:1;\n"
		      "\tfield:int open[;\toffset:8;\tsize:4;\tsigned:1;\n"
		      "\tfield:]];\toffset:8;\tsize:4;\tsigned:1;\n"
		      "\tfield:const char * const  * argv;\toffset:16;\tsize:8;\tsigned:0;\n"
		      "\tfield:struct thing t;\toffset:24;\tsize:8;\tsigned:0;\n"
		      "\tfield:bool b;\toffset:32;\tsize:1;\tsigned:0;\n"
		      "\tfield:my_t m;\toffset:36;\tsize:4;\tsigned:1;\n"
		      "\tfield:void * p[2];\toffset:40;\tsize:16;\tsigned:0;\n"
		      "\tfield:int last;\toffset:56;\tsize:4;");
	static const struct expect want[] = {
		{"argv", "const char * const  *", FIELD_INT, 16, 8, 8, 8, false},
		{"t", "struct thing", FIELD_BYTES, 24, 8, 8, 1, false},
		{"b", "bool", FIELD_INT, 32, 1, 1, 1, false},
		{"m", "my_t", FIELD_INT, 36, 4, 4, 4, true},
		{"p", "void *[2]", FIELD_ARRAY, 40, 16, 16, 8, false},
		{"last", "int", FIELD_INT, 56, 4, 4, 4, true},
	};

	check(f, want, ARRAY_SIZE(want));
	assert_int_equal(f->id, 77);
	event_format__put(f);
}

static void test_no_fields(void **state)
{
	struct event_format *f = NULL;
	struct err err = {0};

	assert_int_equal(event_format__parse(&f, "x", "y", "nonsense", 8, &err), -EINVAL);
	assert_non_null(strstr(err.text, "x:y"));
}

/* Any bytes as a format: nothing but fields inside of 64 KiB. */
static void test_random_text(void **state)
{
	static const char *const bits[] = {
		"\tfield:", ";\toffset:", ";\tsize:",	";\tsigned:", "[",     "]", "\n",
		"char",	    " ",	  "__data_loc", "x",	      "8",     "*", "print fmt: \"",
		"%pI4",	    "\"",	  ",",		"(",	      "REC->x"};
	unsigned int seed = 1, i, round;
	char text[512];

	for (round = 0; round < 20000; round++) {
		struct event_format *f = NULL;
		struct err err = {0};

		text[0] = 0;
		for (i = 0; i < 24; i++) {
			seed = seed * 1103515245 + 12345;
			strcat(text, bits[(seed >> 16) % ARRAY_SIZE(bits)]);
		}
		if (event_format__parse(&f, "x", "y", text, strlen(text), &err))
			continue;
		for (i = 0; i < f->nr_fields; i++)
			assert_true(f->fields[i].offset + f->fields[i].room <= f->size);
		event_format__put(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_syscall_enter),
		cmocka_unit_test(test_char_arrays),
		cmocka_unit_test(test_signed_chars),
		cmocka_unit_test(test_long_array),
		cmocka_unit_test(test_data_loc),
		cmocka_unit_test(test_rel_loc),
		cmocka_unit_test(test_addresses_and_enums),
		cmocka_unit_test(test_cpumask),
		cmocka_unit_test(test_printed_address_in_chars),
		cmocka_unit_test(test_common_fields),
		cmocka_unit_test(test_unparsable_print_format),
		cmocka_unit_test(test_odd_lines),
		cmocka_unit_test(test_no_fields),
		cmocka_unit_test(test_random_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
