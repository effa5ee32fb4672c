// SPDX-License-Identifier: GPL-2.0-only
/* test_text.c - records as one line of text and as JSON, whatever their bytes are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include "formats.h"
#include "made.h"
#include "user/format/format.h"

static struct strbuf out;

static const char *body(struct made *m, bool terminal)
{
	struct format_opts opts = {.terminal = terminal};

	strbuf__reset(&out);
	format__body(&out, &m->rec, &opts);
	return out.s ? out.s : "";
}

static const char *json(struct made *m)
{
	strbuf__reset(&out);
	format__json(&out, &m->rec, NULL);
	return out.s;
}

/* A15: symbolic names, by the kernel's own print format. */
static void test_kernel_format(void **state)
{
	struct made m;

	made__init(&m, "sched", "sched_switch", format_sched_switch, NULL);
	made__bytes(&m, "prev_comm", "bash", 5);
	made__bytes(&m, "next_comm", "swapper/0", 10);
	made__set(&m, "prev_pid", 100);
	made__set(&m, "prev_prio", 120);
	made__set(&m, "next_prio", 120);
	made__set(&m, "prev_state", 1);
	assert_string_equal(body(&m, false),
			    "prev_comm=bash prev_pid=100 prev_prio=120 prev_state=S ==> "
			    "next_comm=swapper/0 next_pid=0 next_prio=120");
	made__set(&m, "prev_state", 0x100);
	assert_non_null(strstr(body(&m, false), "prev_state=R+ ==>"));
	made__bytes(&m, "prev_comm", "0123456789abcdef", 16);
	assert_non_null(strstr(body(&m, false), "prev_comm=0123456789abcdef prev_pid=100"));
	made__free(&m);

	made__init(&m, "skb", "kfree_skb", format_kfree_skb, NULL);
	made__set(&m, "reason", 2);
	assert_non_null(strstr(body(&m, false), "reason: "));
	assert_null(strstr(body(&m, false), "reason: 2"));
	made__free(&m);
}

static void test_addresses(void **state)
{
	struct made m;

	made__init(&m, "sock", "inet_sock_set_state", format_inet_sock_set_state, NULL);
	made__bytes(&m, "saddr", "\177\0\0\1", 4);
	made__set(&m, "sport", 8080);
	made__set(&m, "family", 2);
	made__set(&m, "protocol", 6);
	assert_non_null(strstr(body(&m, false), "saddr=127.0.0.1"));
	assert_non_null(strstr(body(&m, false), "family=AF_INET protocol=IPPROTO_TCP sport=8080"));
	assert_non_null(strstr(json(&m), "\"saddr\":\"7f000001\""));
	made__free(&m);
}

static void test_syscalls(void **state)
{
	struct made m;

	made__init(&m, "syscalls", "sys_enter_openat", format_sys_enter_openat, NULL);
	made__set(&m, "dfd", (u32)-100);
	made__set(&m, "flags", 0x80000);
	made__set(&m, "mode", 0);
	made__text(&m, 0, "/etc/passwd");
	assert_string_equal(body(&m, false),
			    "dfd: -100, filename: \"/etc/passwd\", flags: 0x80000, mode: 0x0");
	made__text(&m, 0, "a\"b\\c\nd");
	assert_non_null(strstr(body(&m, false), "filename: \"a\\\"b\\\\c\\nd\", "));
	made__text(&m, 0, NULL);
	assert_non_null(strstr(body(&m, false), "filename: (unreadable), "));
	made__free(&m);

	made__init(&m, "syscalls", "sys_exit_read", format_sys_exit_read, NULL);
	made__set(&m, "ret", -9ll);
	assert_string_equal(body(&m, false), "ret: -9");
	made__set(&m, "ret", 0x7f0012345000ull);
	assert_string_equal(body(&m, false), "ret: 0x7f0012345000");
	made__free(&m);
}

static const char unparsable[] = "name: y\nID: 5\nformat:\n"
				 "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
				 "\tfield:char s[4];\toffset:12;\tsize:4;\tsigned:0;\n"
				 "\tfield:void * p;\toffset:16;\tsize:8;\tsigned:0;\n"
				 "\tfield:u8 b[4];\toffset:24;\tsize:4;\tsigned:0;\n"
				 "\tfield:u16 n[2];\toffset:28;\tsize:4;\tsigned:0;\n\n"
				 "print fmt: \"%d\", no_such_function(REC->a, ({ 1; }))\n";

static void test_name_value(void **state)
{
	struct made m;

	made__init(&m, "x", "y", unparsable, NULL);
	made__set(&m, "a", -1);
	made__bytes(&m, "s", "abcd", 4);
	made__set(&m, "p", 0xffff888000000000ull);
	made__bytes(&m, "b", "\1\2\3\377", 4);
	made__bytes(&m, "n", "\1\0\377\377", 4);
	assert_string_equal(body(&m, false),
			    "a=-1 s=abcd p=0xffff888000000000 b=010203ff n={1,65535}");
	made__free(&m);
}

/* A divisor or a count that the record chooses is not left to libtraceevent. */
static void test_traps(void **state)
{
	static const char format[] =
		"name: y\nID: 5\nformat:\n"
		"\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 b;\toffset:12;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"%d %s\", REC->a / REC->b, __print_hex(&REC->a, REC->b)\n";
	struct made m;

	made__init(&m, "x", "y", format, NULL);
	made__set(&m, "a", 7);
	assert_string_equal(body(&m, false), "a=7 b=0");
	made__set(&m, "b", 0xffffffff);
	assert_string_equal(body(&m, false), "a=7 b=4294967295");
	made__free(&m);
}

static void test_escapes(void **state)
{
	static const struct {
		const char *in, *plain, *terminal;
	} cases[] = {
		{"a b", "a b", "a b"},
		{"a\nb\t\r\33[31m\177", "a\\nb\\t\\r\\x1b[31m\\x7f", "a\\nb\\t\\r\\x1b[31m\\x7f"},
		{"\xd0\x9f\xd1\x80", "\xd0\x9f\xd1\x80", "\xd0\x9f\xd1\x80"},
		{"\xff\xfeX", "\xff\xfeX", "\\xff\\xfeX"},
		{"\xd0", "\xd0", "\\xd0"},
		{"\xc0\x80", "\xc0\x80", "\\xc0\\x80"},
		{"\xed\xa0\x80", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
		{"\xc2\x9b"
		 "1m",
		 "\xc2\x9b"
		 "1m",
		 "\\xc2\\x9b1m"},
		{"\xe2\x80\xae", "\xe2\x80\xae", "\\xe2\\x80\\xae"},
		{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
		{"\xf5\x80\x80\x80", "\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf__reset(&out);
		format__escape(&out, cases[i].in, strlen(cases[i].in), false);
		assert_string_equal(out.s, cases[i].plain);
		strbuf__reset(&out);
		format__escape(&out, cases[i].in, strlen(cases[i].in), true);
		assert_string_equal(out.s, cases[i].terminal);
	}
}

static void test_json_strings(void **state)
{
	static const struct {
		const char *in, *json;
	} cases[] = {
		{"", "\"\""},
		{"a\"\\/\n\1", "\"a\\\"\\\\/\\n\\u0001\""},
		{"\xd0\x9f\xff", "\"\xd0\x9f\\udcff\""},
		{"\xed\xa0\x80", "\"\\udced\\udca0\\udc80\""},
		{"\x7f", "\"\\u007f\""},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf__reset(&out);
		format__json_string(&out, cases[i].in, strlen(cases[i].in));
		assert_string_equal(out.s, cases[i].json);
	}
}

static void test_line(void **state)
{
	struct format_opts opts = {.comm = "a b"};
	struct made m;

	made__init(&m, "syscalls", "sys_exit_read", format_sys_exit_read, NULL);
	m.rec.time = 12345000678999ull;
	made__set(&m, "ret", 3);
	strbuf__reset(&out);
	format__line(&out, &m.rec, &opts);
	assert_string_equal(out.s, "a b                  34 .... [001] 12345.000678: "
				   "syscalls:sys_exit_read: ret: 3");
	made__free(&m);
}

static void test_date(void **state)
{
	struct format_opts opts = {.date = true};
	struct made m;

	setenv("TZ", "UTC", 1);
	made__init(&m, "syscalls", "sys_exit_read", format_sys_exit_read, NULL);
	m.event->clock = calloc(1, sizeof(*m.event->clock));
	m.event->clock->refs = 1;
	m.event->clock->offset = 1764532800000000000ll;
	m.rec.time = 1000001000;
	strbuf__reset(&out);
	format__line(&out, &m.rec, &opts);
	assert_memory_equal(out.s, "2025-11-30 20:00:01.000001 <...> ", 33);
	made__free(&m);
}

static void test_flags(void **state)
{
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE};
	static const struct {
		u8 flags, count;
		const char *shown;
	} cases[] = {
		{0, 0, "...."},	   {1, 1, "d..1"},    {0x24, 0, ".N.."},  {0x04, 0, ".n.."},
		{0x20, 0, ".p.."}, {0x08, 2, "..h2"}, {0x18, 15, "..Hf"}, {0x10, 0, "..s."},
		{0x81, 0, "D..."}, {0x80, 0, "b..."}, {0x40, 0, "..z."},  {0x48, 0, "..Z."},
		{0x02, 0, ".l.."},
	};
	struct made m;
	size_t i;

	made__init(&m, "syscalls", "sys_exit_read", format_sys_exit_read, NULL);
	m.event->transport = TRANSPORT_PERF;
	m.event->sample.sample_type = PERF_SAMPLE_RAW;
	memcpy(m.bytes, &header, 8);
	((u32 *)m.bytes)[2] = 28;
	m.rec.size = 40;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		((u8 *)m.bytes)[14] = cases[i].flags;
		((u8 *)m.bytes)[15] = cases[i].count;
		strbuf__reset(&out);
		format__line(&out, &m.rec, NULL);
		assert_memory_equal(out.s + 24, cases[i].shown, 4);
	}
	made__free(&m);
}

/* A5, A9: exact numbers, lists, any bytes. */
static void test_json(void **state)
{
	static const u64 args[6] = {1, ~0ull, 3, 4, 5, 6};
	struct made m;

	made__init(&m, "raw_syscalls", "sys_enter", format_sys_enter, NULL);
	made__set(&m, "id", -1ll);
	made__bytes(&m, "args", args, sizeof(args));
	m.rec.time = 5;
	assert_string_equal(
		json(&m),
		"{\"_event\":\"raw_syscalls:sys_enter\",\"_pid\":12,\"_tid\":34,\"_time\":5,"
		"\"_cpu\":1,\"id\":-1,\"args\":[1,18446744073709551615,3,4,5,6]}");
	made__free(&m);

	made__init(&m, "task", "task_rename", format_task_rename, NULL);
	made__bytes(&m, "newcomm", "\xff\xfeX", 4);
	m.rec.flags = RECORD_TRUNCATED | RECORD_LATE;
	assert_non_null(strstr(json(&m), "\"newcomm\":\"\\udcff\\udcfeX\""));
	assert_non_null(strstr(json(&m), ",\"_truncated\":true,\"_late\":true}"));
	made__free(&m);
}

static void test_show(void **state)
{
	static const char *const show[] = {"next_pid", "prev_pid", "nothing", NULL};
	struct format_opts opts = {.show = show};
	struct made m;

	made__init(&m, "sched", "sched_switch", format_sched_switch, NULL);
	made__set(&m, "next_pid", 1);
	made__set(&m, "prev_pid", 2);
	strbuf__reset(&out);
	format__body(&out, &m.rec, &opts);
	assert_string_equal(out.s, "next_pid=1 prev_pid=2");
	strbuf__reset(&out);
	format__json(&out, &m.rec, &opts);
	assert_string_equal(out.s,
			    "{\"_event\":\"sched:sched_switch\",\"prev_pid\":2,\"next_pid\":1}");
	made__free(&m);
}

static void test_source(void **state)
{
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE};
	static const u64 words[] = {0x401000, 34ull << 32 | 12, 99, 4096};
	struct made m;

	made__init(&m, "syscalls", "sys_exit_read", format_sys_exit_read, NULL);
	m.event->kind = SPEC_SOURCE;
	m.event->nr_fields = 0;
	m.event->transport = TRANSPORT_PERF;
	m.event->sample.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				      PERF_SAMPLE_PERIOD;
	memcpy(m.bytes, &header, 8);
	memcpy(m.bytes + 1, words, sizeof(words));
	m.rec.size = 8 + sizeof(words);
	assert_string_equal(body(&m, false), "ip=0x401000 period=4096");
	assert_non_null(strstr(json(&m), "\"pid\":12,\"tid\":34,\"ip\":4198400,\"time\":99,"
					 "\"period\":4096}"));
	made__free(&m);
}

/* --- any bytes --- */

static u32 seed = 7;

static u32 any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static void check_line(const char *s)
{
	for (; *s; s++)
		assert_true((u8)*s >= ' ' && *s != 127);
}

static void test_any_bytes(void **state)
{
	static const struct {
		const char *system, *name, *format;
	} events[] = {
		{"sched", "sched_switch", format_sched_switch},
		{"syscalls", "sys_enter_openat", format_sys_enter_openat},
		{"sched", "sched_process_exec", format_sched_process_exec},
		{"x", "rel_loc", format_rel_loc},
		{"raw_syscalls", "sys_enter", format_sys_enter},
		{"ipi", "ipi_send_cpumask", format_ipi_send_cpumask},
		{"sock", "inet_sock_set_state", format_inet_sock_set_state},
		{"skb", "kfree_skb", format_kfree_skb},
		{"tcp", "tcp_probe", format_tcp_probe},
		{"fib6", "fib6_table_lookup", format_fib6_table_lookup},
		{"net", "netif_rx_entry", format_netif_rx_entry},
		{"block", "block_rq_issue", format_block_rq_issue},
	};
	struct made m;
	u32 i, k, round;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		made__init(&m, events[i].system, events[i].name, events[i].format, NULL);
		for (round = 0; round < 1000; round++) {
			u32 size = any() % (MADE_RAW + 300);
			u8 *bytes = malloc(size ? size : 1);

			for (k = 0; k < size; k++)
				bytes[k] = any() % 3 ? any() : 0;
			m.rec.data = bytes;
			m.rec.size = size;
			strbuf__reset(&out);
			format__line(&out, &m.rec, &(struct format_opts){.terminal = true});
			check_line(out.s);
			check_line(json(&m));
			free(bytes);
		}
		made__free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_format), cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_syscalls),      cmocka_unit_test(test_name_value),
		cmocka_unit_test(test_traps),	      cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_json_strings),  cmocka_unit_test(test_line),
		cmocka_unit_test(test_date),	      cmocka_unit_test(test_flags),
		cmocka_unit_test(test_json),	      cmocka_unit_test(test_show),
		cmocka_unit_test(test_source),	      cmocka_unit_test(test_any_bytes),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	strbuf__free(&out);
	return failed;
}
