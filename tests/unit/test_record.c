// SPDX-License-Identifier: GPL-2.0-only
/* test_record.c - fields and parts of records of both transports, whatever their bytes are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include "formats.h"
#include "made.h"

static void expect_text(struct value v, const char *s)
{
	assert_int_equal(v.kind, VALUE_TEXT);
	assert_int_equal(v.len, strlen(s));
	assert_memory_equal(v.ptr, s, v.len);
}

static void expect_int(struct value v, s64 n)
{
	assert_int_equal(v.kind, VALUE_INT);
	assert_int_equal((s64)v.num, n);
}

static void expect_uint(struct value v, u64 n)
{
	assert_int_equal(v.kind, VALUE_UINT);
	assert_int_equal(v.num, n);
}

/* A3: the upper half of a syscall's slot is not the value's. */
static void test_syscall_values(void **state)
{
	struct made m;

	made__init(&m, "syscalls", "sys_enter_openat", format_sys_enter_openat, NULL);
	made__set(&m, "dfd", 0xffffffff00000000ull | (u32)-100);
	made__set(&m, "filename", 0x7ffc12345678ull);
	made__set(&m, "flags", 0xdead00080000ull);
	made__set(&m, "mode", 0xffffffffffff01a4ull);
	made__text(&m, 0, "/etc/passwd");
	expect_int(made__read(&m, "dfd"), -100);
	expect_text(made__read(&m, "filename"), "/etc/passwd");
	expect_uint(made__read(&m, "filename_ptr"), 0x7ffc12345678ull);
	expect_int(made__read(&m, "flags"), 0x80000);
	expect_uint(made__read(&m, "mode"), 0644);
	made__text(&m, 0, NULL);
	assert_int_equal(made__read(&m, "filename").kind, VALUE_NONE);
	made__free(&m);
}

static void test_nostr(void **state)
{
	struct made m;

	made__init(&m, "syscalls", "sys_enter_openat", format_sys_enter_openat,
		   "syscalls:sys_enter_openat//nostr/");
	made__set(&m, "filename", 4711);
	expect_uint(made__read(&m, "filename"), 4711);
	assert_null(event__field(m.event, "filename_ptr"));
	made__free(&m);
	made__init(&m, "syscalls", "sys_enter_write", format_sys_enter_write, NULL);
	assert_null(event__field(m.event, "buf_ptr"));
	made__free(&m);
	made__init(&m, "syscalls", "sys_enter_write", format_sys_enter_write,
		   "syscalls:sys_enter_write//ustring=buf/");
	assert_int_equal(event__field(m.event, "buf")->kind, FIELD_TEXT);
	assert_int_equal(event__field(m.event, "buf_ptr")->kind, FIELD_INT);
	made__free(&m);
}

/* Text that fills its array has no NUL and ends there. */
static void test_full_array(void **state)
{
	struct made m;

	made__init(&m, "sched", "sched_switch", format_sched_switch, NULL);
	made__bytes(&m, "prev_comm", "abcdefghijklmnop", 16);
	made__bytes(&m, "next_comm", "x\0garbage", 9);
	made__set(&m, "prev_state", -2ll);
	expect_text(made__read(&m, "prev_comm"), "abcdefghijklmnop");
	expect_text(made__read(&m, "next_comm"), "x");
	expect_int(made__read(&m, "prev_state"), -2);
	made__free(&m);
}

/* A1: values behind a dynamic field, and payloads of any length. */
static void test_data_loc(void **state)
{
	char path[201];
	struct made m;

	memset(path, 'p', sizeof(path));
	path[200] = 0;
	made__init(&m, "sched", "sched_process_exec", format_sched_process_exec, NULL);
	made__set(&m, "pid", 5);
	made__set(&m, "old_pid", 6);
	made__dynamic(&m, "filename", path, sizeof(path));
	expect_text(made__read(&m, "filename"), path);
	expect_int(made__read(&m, "pid"), 5);
	expect_int(made__read(&m, "old_pid"), 6);
	made__free(&m);
}

static void test_rel_loc(void **state)
{
	static const u64 numbers[] = {1, ~0ull, 3};
	struct made m;
	struct value v;

	made__init(&m, "x", "rel_loc", format_rel_loc, NULL);
	made__dynamic(&m, "first", "one", 4);
	made__dynamic(&m, "second", "\1\2\0\3", 4);
	made__dynamic(&m, "third", numbers, sizeof(numbers));
	expect_text(made__read(&m, "first"), "one");
	v = made__read(&m, "second");
	assert_int_equal(v.kind, VALUE_BYTES);
	assert_int_equal(v.len, 4);
	assert_memory_equal(v.ptr, "\1\2\0\3", 4);
	v = made__read(&m, "third");
	assert_int_equal(v.kind, VALUE_ARRAY);
	assert_int_equal(v.len, sizeof(numbers));
	assert_memory_equal(v.ptr, numbers, sizeof(numbers));
	made__free(&m);
}

static void test_arrays(void **state)
{
	static const u64 args[6] = {1, ~0ull, 3, 4, 5, 6};
	struct made m;
	struct value v;

	made__init(&m, "raw_syscalls", "sys_enter", format_sys_enter, NULL);
	made__bytes(&m, "args", args, sizeof(args));
	v = made__read(&m, "args");
	assert_int_equal(v.kind, VALUE_ARRAY);
	assert_int_equal(v.len, 48);
	assert_memory_equal(v.ptr, args, 48);
	made__free(&m);
}

static void test_common(void **state)
{
	struct made m;

	made__init(&m, "sched", "sched_switch", format_sched_switch, NULL);
	made__set(&m, "common_type", 0xffff);
	made__set(&m, "common_pid", -1);
	expect_uint(made__read(&m, "common_type"), 0xffff);
	expect_int(made__read(&m, "common_pid"), -1);
	made__free(&m);
}

/* --- what is not there --- */

static void test_short_record(void **state)
{
	struct made m;

	made__init(&m, "sched", "sched_switch", format_sched_switch, NULL);
	for (m.rec.size = 0; m.rec.size < MADE_RAW + 60; m.rec.size++) {
		assert_int_equal(made__read(&m, "next_prio").kind, VALUE_NONE);
		made__read(&m, "prev_comm");
	}
	m.rec.size = MADE_RAW + 64;
	assert_int_equal(made__read(&m, "next_prio").kind, VALUE_INT);
	made__free(&m);
}

static void test_dynamic_outside(void **state)
{
	struct made m;
	struct value v;

	made__init(&m, "sched", "sched_process_exec", format_sched_process_exec, NULL);
	made__set(&m, "filename", 0xffff | 0xffffu << 16);
	assert_int_equal(made__read(&m, "filename").kind, VALUE_NONE);
	made__set(&m, "filename", 8 | 0xffffu << 16);
	v = made__read(&m, "filename");
	assert_true((const u8 *)v.ptr + v.len <= (const u8 *)m.bytes + m.rec.size);
	made__free(&m);
}

static void test_extras(void **state)
{
	struct record_head head = {.tgid = 1000, .tid = 1001};
	struct made m;
	u32 tgid, tid;
	u64 id = 77;

	made__init(&m, "sched", "sched_switch", format_sched_switch, NULL);
	memcpy(m.bytes, &head, sizeof(head));
	m.event->layout.extra[EXTRA_COMM] = 40;
	m.event->layout.extra[EXTRA_CGROUP] = 56;
	memcpy((u8 *)m.bytes + 40, "name", 5);
	memcpy((u8 *)m.bytes + 56, &id, 8);
	assert_string_equal(record__extra(&m.rec, EXTRA_COMM), "name");
	assert_memory_equal(record__extra(&m.rec, EXTRA_CGROUP), &id, 8);
	assert_null(record__extra(&m.rec, EXTRA_UID));
	record__host_ids(&m.rec, &tgid, &tid);
	assert_int_equal(tgid, 1000);
	assert_int_equal(tid, 1001);
	m.rec.size = 60;
	assert_null(record__extra(&m.rec, EXTRA_CGROUP));
	made__free(&m);
}

static void test_callchain(void **state)
{
	struct record_head head = {.chain = (MADE_RAW + 64) / 8};
	static const u64 chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000000ull, 42};
	struct made m;
	const u64 *ips;
	u32 size;

	made__init(&m, "sched", "sched_switch", format_sched_switch, NULL);
	memcpy(m.bytes, &head, sizeof(head));
	memcpy((u8 *)m.bytes + MADE_RAW + 64, chain, sizeof(chain));
	m.rec.size = MADE_RAW + 64 + sizeof(chain);
	assert_int_equal(record__callchain(&m.rec, &ips), 3);
	assert_memory_equal(ips, chain, sizeof(chain));
	assert_non_null(record__raw(&m.rec, &size));
	assert_int_equal(size, 64);
	head.chain = 0xffff;
	memcpy(m.bytes, &head, sizeof(head));
	assert_int_equal(record__callchain(&m.rec, &ips), 0);
	made__free(&m);
}

/* --- perf --- */

#define SAMPLE_BYTES 256

/* header, ip, pid and tid, time, cpu, period, chain, raw */
static u32 perf_sample(struct made *m, const void *raw, u32 raw_size)
{
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE};
	u64 words[] = {0x401000, 34ull << 32 | 12, 99, 1, 1, 2, 0xa, 0xb};
	u8 *p = (u8 *)m->bytes;

	m->event->transport = TRANSPORT_PERF;
	m->event->sample.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
	memcpy(p, &header, 8);
	memcpy(p + 8, words, sizeof(words));
	memcpy(p + 8 + sizeof(words), &raw_size, 4);
	memcpy(p + 12 + sizeof(words), raw, raw_size);
	m->rec.size = (12 + sizeof(words) + raw_size + 7) & ~7u;
	return m->rec.size;
}

static void test_perf(void **state)
{
	struct made m;
	const u64 *ips;
	u8 raw[68] = {0};
	u32 size, tgid, tid;

	made__init(&m, "sched", "sched_switch", format_sched_switch, NULL);
	memcpy(raw + 4, &(u32){1001}, 4);
	memcpy(raw + 8, "prev", 5);
	memcpy(raw + 56, &(s32){-7}, 4);
	perf_sample(&m, raw, sizeof(raw));
	assert_non_null(record__raw(&m.rec, &size));
	assert_int_equal(size, 68);
	expect_text(made__read(&m, "prev_comm"), "prev");
	expect_int(made__read(&m, "next_pid"), -7);
	assert_int_equal(record__callchain(&m.rec, &ips), 2);
	assert_int_equal(ips[1], 0xb);
	record__host_ids(&m.rec, &tgid, &tid);
	assert_int_equal(tgid, 12);
	assert_int_equal(tid, 1001);
	made__free(&m);
}

/* --- any bytes --- */

static u32 seed = 1;

static u32 any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static void check_inside(const u8 *bytes, u32 size, struct value v)
{
	if (v.kind == VALUE_TEXT || v.kind == VALUE_BYTES || v.kind == VALUE_ARRAY) {
		assert_true((const u8 *)v.ptr >= bytes);
		assert_true((const u8 *)v.ptr + v.len <= bytes + size);
	}
}

/* In memory of exactly its size, so that a sanitizer sees one byte too far. */
static void read_everything(const struct made *m, u32 size)
{
	u8 *bytes = malloc(size ? size : 1);
	struct record rec = m->rec;
	const u64 *ips;
	u32 i, len, a, b;

	for (i = 0; i < size; i++)
		bytes[i] = any() % 4 ? any() : 0;
	rec.data = bytes;
	rec.size = size;
	for (i = 0; i < m->event->nr_fields; i++)
		check_inside(bytes, size, field__read(&m->event->fields[i], &rec));
	if (record__raw(&rec, &len))
		assert_true(len <= size);
	assert_true(record__callchain(&rec, &ips) * 8 <= size);
	record__host_ids(&rec, &a, &b);
	for (i = 0; i < EXTRA_MAX; i++)
		record__extra(&rec, i);
	free(bytes);
}

static void test_any_bytes(void **state)
{
	static const struct {
		const char *system, *name, *format, *spec;
	} events[] = {
		{"syscalls", "sys_enter_openat", format_sys_enter_openat, NULL},
		{"sched", "sched_process_exec", format_sched_process_exec, NULL},
		{"x", "rel_loc", format_rel_loc, NULL},
		{"raw_syscalls", "sys_enter", format_sys_enter, NULL},
		{"ipi", "ipi_send_cpumask", format_ipi_send_cpumask, NULL},
	};
	struct made m;
	u32 i, round;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		made__init(&m, events[i].system, events[i].name, events[i].format, events[i].spec);
		for (round = 0; round < 4000; round++) {
			m.event->transport = round % 2 ? TRANSPORT_PERF : TRANSPORT_BPF;
			m.event->layout.raw = any() % 2 ? MADE_RAW : any();
			m.event->layout.extra[EXTRA_COMM] = any();
			m.event->layout.extra[EXTRA_CGROUP] = any() % 300;
			m.event->layout.text[0] = any() % 300;
			m.event->sample.sample_type = any();
			m.event->sample.read_format = any();
			read_everything(&m, any() % 300);
		}
		made__free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_syscall_values),	cmocka_unit_test(test_nostr),
		cmocka_unit_test(test_full_array),	cmocka_unit_test(test_data_loc),
		cmocka_unit_test(test_rel_loc),		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_common),		cmocka_unit_test(test_short_record),
		cmocka_unit_test(test_dynamic_outside), cmocka_unit_test(test_extras),
		cmocka_unit_test(test_callchain),	cmocka_unit_test(test_perf),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
