// SPDX-License-Identifier: GPL-2.0-only
/* Layouts of records, and what the code that fills them touches. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "user/base/guard.h"
#include "user/collect/bpf_rings.h"
#include "user/collect/emit.h"
#include "user/collect/rebuild.h"
#include "user/event/event.h"
#include "user/scope/scope.h"
#include "bpf/record.h"
#include "bpf/template.h"
#include "formats.h"

#define ALL_EXTRAS ((1u << EXTRA_MAX) - 1)

static const struct {
	const char *system, *name, *text;
} formats[] = {
	{"sched", "sched_switch", format_sched_switch},
	{"sched", "sched_process_exec", format_sched_process_exec},
	{"syscalls", "sys_enter_openat", format_sys_enter_openat},
	{"raw_syscalls", "sys_enter", format_sys_enter},
	{"sched", "sched_wakeup", format_sched_wakeup},
	{"syscalls", "sys_enter_write", format_sys_enter_write},
	{"syscalls", "sys_exit_read", format_sys_exit_read},
	{"raw_syscalls", "sys_exit", format_sys_exit},
	{"sock", "inet_sock_set_state", format_inet_sock_set_state},
	{"skb", "kfree_skb", format_kfree_skb},
	{"task", "task_rename", format_task_rename},
	{"ipi", "ipi_send_cpumask", format_ipi_send_cpumask},
	{"timer", "hrtimer_expire_entry", format_hrtimer_expire_entry},
	{"irq", "softirq_entry", format_softirq_entry},
	{"block", "block_rq_issue", format_block_rq_issue},
	{"net", "netif_rx_entry", format_netif_rx_entry},
	{"fib6", "fib6_table_lookup", format_fib6_table_lookup},
	{"tcp", "tcp_probe", format_tcp_probe},
	{"signal", "signal_generate", format_signal_generate},
	{"test", "rel_loc", format_rel_loc},
};

struct subject {
	struct event_spec spec;
	struct event event;
	struct emit emit;
	struct code code;
	struct err err;
};

static void make(struct subject *s, size_t which, u32 with, u32 stack)
{
	struct event *e = &s->event;

	memset(s, 0, sizeof(*s));
	assert_int_equal(event_format__parse(&e->format, formats[which].system, formats[which].name,
					     formats[which].text, strlen(formats[which].text),
					     &s->err),
			 0);
	e->spec = &s->spec;
	e->label = (char *)formats[which].name;
	e->fields = e->format->fields;
	e->nr_fields = e->format->nr_fields;
	e->with = with;
	s->spec.stack = stack;
}

static void lay_out(struct subject *s, bool ns_ids)
{
	static const struct scope scope = {.own_ns_ino = 1};

	assert_int_equal(emit__layout(&s->emit, &s->event, ns_ids, true, 127, &s->err), 0);
	emit__code(&s->emit, &s->event, &scope, &s->code);
	assert_int_equal(s->code.err, 0);
	assert_true(s->code.n <= COPY_ROOM);
}

static void done(struct subject *s)
{
	code__free(&s->code);
	event_format__put(s->event.format);
}

static u32 width(u8 code)
{
	static const u32 bytes[] = {
		[BPF_B >> 3] = 1, [BPF_H >> 3] = 2, [BPF_W >> 3] = 4, [BPF_DW >> 3] = 8};

	return bytes[BPF_SIZE(code) >> 3];
}

/* Loads of a tracepoint's context are aligned, and none reaches past its static size. */
static void check_code(const struct subject *s)
{
	const struct bpf_insn *in;
	u32 bytes, end = s->event.format->size;
	size_t i;

	for (i = 0; i < s->code.n; i++) {
		in = &s->code.insn[i];
		bytes = width(in->code);
		if (in->code == (BPF_LD | BPF_IMM | BPF_DW)) {
			i++;
		} else if (BPF_CLASS(in->code) == BPF_LDX && in->src_reg == R_REC) {
			assert_int_equal(in->off % bytes, 0);
			assert_true(in->off >= 8 && (u32)in->off + bytes <= end);
		} else if (BPF_CLASS(in->code) == BPF_STX && in->dst_reg == R2) {
			assert_int_equal(in->off % bytes, 0);
			assert_true(in->off >= (int)sizeof(struct record_head));
			assert_true((u32)in->off + bytes <= s->emit.size);
		}
	}
}

static void every_format(void **state)
{
	struct subject s;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		for (k = 0; k < 4; k++) {
			make(&s, i, k & 1 ? ALL_EXTRAS : 0, k & 2 ? STACK_KERNEL : 0);
			lay_out(&s, k & 1);
			check_code(&s);
			assert_int_equal(s.event.layout.raw % 8, 0);
			assert_int_equal(s.event.layout.dynamic, !!(s.emit.flags & F_DYNAMIC));
			done(&s);
		}
}

/* Fixed events are as long as they need to be. */
static void exact_size(void **state)
{
	struct subject s;

	make(&s, 0, 0, 0);
	lay_out(&s, false);
	assert_int_equal(s.event.layout.raw, sizeof(struct record_head));
	assert_int_equal(s.emit.size, sizeof(struct record_head) + s.event.format->size);
	assert_false(s.event.layout.dynamic);
	done(&s);
}

struct part {
	u32 at, size;
};

static void no_overlap(void **state)
{
	struct part parts[EXTRA_MAX + 2];
	struct subject s;
	size_t i, k, n = 0;

	make(&s, 0, ALL_EXTRAS & ~(1u << EXTRA_CONTAINER), 0);
	lay_out(&s, true);
	for (i = 0; i < EXTRA_CONTAINER; i++)
		parts[n++] = (struct part){s.event.layout.extra[i], i == EXTRA_COMM	? 16
								    : i == EXTRA_CGROUP ? 8
											: 4};
	parts[n++] = (struct part){s.event.layout.ns_ids, 8};
	parts[n++] = (struct part){s.event.layout.raw, s.event.format->size};
	for (i = 0; i < n; i++) {
		assert_true(parts[i].at >= sizeof(struct record_head));
		assert_true(parts[i].at + parts[i].size <= s.emit.size);
		for (k = 0; k < i; k++)
			assert_true(parts[i].at + parts[i].size <= parts[k].at ||
				    parts[k].at + parts[k].size <= parts[i].at);
	}
	done(&s);
}

static void too_large(void **state)
{
	struct subject s;

	make(&s, 0, 0, 0);
	s.event.format->size = RECORD_MAX;
	assert_int_equal(emit__layout(&s.emit, &s.event, false, false, 127, &s.err), -E2BIG);
	assert_non_null(strstr(s.err.text, "sched_switch"));
	done(&s);
}

/* --- which words of a record the expressions read --- */

static void words(void **state)
{
	struct holes h = {0};
	struct subject s;

	make(&s, 0, 0, 0);
	assert_int_equal(rebuild__words(s.event.format, &h), 0);
	code__load(&h.filter, R3, R_REC, 8, 8);
	assert_int_equal(rebuild__words(s.event.format, &h), 1 << 1);
	code__load(&h.key, R3, R_REC, 20, 4);
	assert_int_equal(rebuild__words(s.event.format, &h), 1 << 1 | 1 << 2);
	code__imm64(&h.key, R1, 0); /* its second half looks like nothing */
	code__load(&h.key, R3, R_WORK, 64, 8);
	assert_int_equal(rebuild__words(s.event.format, &h), 1 << 1 | 1 << 2);
	code__mov(&h.value, R1, R_REC); /* a function reads its text, next_comm */
	code__alu_imm(&h.value, BPF_ADD, R1, 40);
	assert_int_equal(rebuild__words(s.event.format, &h), 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6);
	h.value.n = 0;
	code__mov(&h.value, R1, R_REC); /* a function reads what it likes */
	code__mov_imm(&h.value, R2, 40);
	assert_int_equal(rebuild__words(s.event.format, &h), 0xffff);
	h.value.n = 0;
	h.flags = F_EMIT;
	assert_int_equal(rebuild__words(s.event.format, &h), 0xffff);
	code__free(&h.filter);
	code__free(&h.key);
	code__free(&h.value);
	done(&s);
}

/* The number of a system call needs no kernel types; its arguments do. */
static void rebuilt_without_types(void **state)
{
	struct kernel_types none = {.tried = true};
	struct rebuild_plan plan;
	const struct rebuild *r;
	struct code c = {0};
	struct subject s;

	make(&s, 3, 0, 0);
	r = rebuild__find(s.event.format);
	assert_non_null(r);
	assert_true(rebuild__code(r, s.event.format, 1 << 1, &none, &c, &plan));
	assert_int_equal(plan.btf_id, 0);
	assert_string_equal(plan.tracepoint, "sys_enter");
	code__free(&c);
	assert_false(rebuild__code(r, s.event.format, 0xffff, &none, &c, &plan));
	code__free(&c);
	done(&s);
}

/* A field that the table does not know leaves the event to a classic program. */
static void unknown_field(void **state)
{
	struct subject s;

	make(&s, 0, 0, 0);
	assert_non_null(rebuild__find(s.event.format));
	s.event.format->fields[2].name = "prev_mood";
	assert_null(rebuild__find(s.event.format));
	done(&s);
}

/* The stack has anything on it where no field is. */
static void gaps(void **state)
{
	struct code c = {0};
	struct subject s;

	make(&s, 0, 0, 0);
	rebuild__clear_gaps(s.event.format, 0xffff, &c);
	assert_int_equal(c.n, 0);
	done(&s);
	make(&s, 14, 0, 0); /* block_rq_issue */
	rebuild__clear_gaps(s.event.format, 1 << 2, &c);
	assert_int_equal(c.n, 0);
	rebuild__clear_gaps(s.event.format, 1 << 1 | 1 << 2, &c);
	assert_int_equal(c.n, 2); /* behind dev, which takes four bytes */
	assert_int_equal(c.insn[1].off, 8);
	code__free(&c);
	done(&s);
}

/* --- rings --- */

#define MIB (1ull << 20)
#define GIB (1ull << 30)

static void default_ring_size(void **state)
{
	assert_int_equal(bpf_rings__default_size(1, 16 * GIB, 4096), 8 * MIB);
	assert_int_equal(bpf_rings__default_size(8, 16 * GIB, 4096), 8 * MIB);
	assert_int_equal(bpf_rings__default_size(9, 16 * GIB, 4096), 4 * MIB);
	assert_int_equal(bpf_rings__default_size(64, 512 * GIB, 4096), 1 * MIB);
	assert_int_equal(bpf_rings__default_size(256, 512 * GIB, 4096), MIB / 4);
	assert_int_equal(bpf_rings__default_size(2, 512 * MIB, 4096), 4 * MIB);
	assert_int_equal(bpf_rings__default_size(4096, 1 * GIB, 65536), 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format),
		cmocka_unit_test(exact_size),
		cmocka_unit_test(no_overlap),
		cmocka_unit_test(too_large),
		cmocka_unit_test(words),
		cmocka_unit_test(rebuilt_without_types),
		cmocka_unit_test(unknown_field),
		cmocka_unit_test(gaps),
		cmocka_unit_test(default_ring_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
