// SPDX-License-Identifier: GPL-2.0-only
/* fuzz_record.c - any bytes as a record of real events, printed. */
#include <stdlib.h>
#include <string.h>
#include "tests/unit/formats.h"
#include "user/base/err.h"
#include "user/base/strbuf.h"
#include "user/event/event_fields.h"
#include "user/format/format.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define NR 8

static void make(struct event *e, const char *system, const char *name, const char *text)
{
	struct err err = {0};

	if (event_format__parse(&e->format, system, name, text, strlen(text), &err) ||
	    event_fields__make(e, NULL, &err))
		abort();
	e->label = "x:y";
	e->layout.raw = 48;
	e->layout.text[0] = 32;
	e->layout.extra[EXTRA_COMM] = 32;
	e->sample.sample_type = 1u << 10 | 1u << 5 | 1; /* RAW, CALLCHAIN, IP */
}

static struct event *events(void)
{
	static struct event e[NR];

	if (e[0].format)
		return e;
	make(&e[0], "sched", "sched_switch", format_sched_switch);
	make(&e[1], "syscalls", "sys_enter_openat", format_sys_enter_openat);
	make(&e[2], "sched", "sched_process_exec", format_sched_process_exec);
	make(&e[3], "x", "rel_loc", format_rel_loc);
	make(&e[4], "ipi", "ipi_send_cpumask", format_ipi_send_cpumask);
	make(&e[5], "sock", "inet_sock_set_state", format_inet_sock_set_state);
	make(&e[6], "tcp", "tcp_probe", format_tcp_probe);
	make(&e[7], "block", "block_rq_issue", format_block_rq_issue);
	return e;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct strbuf b = {0};
	struct record rec = {0};
	u64 *aligned;

	if (size < 2)
		return 0;
	rec.event = &events()[data[0] % NR];
	rec.event->transport = data[1] & 1 ? TRANSPORT_PERF : TRANSPORT_BPF;
	rec.size = size - 2;
	aligned = malloc(rec.size + !rec.size);
	memcpy(aligned, data + 2, rec.size);
	rec.data = aligned;
	format__line(&b, &rec, &(struct format_opts){.terminal = true});
	if (strpbrk(b.s, "\n\r\33"))
		abort();
	format__json(&b, &rec, NULL);
	strbuf__free(&b);
	free(aligned);
	return 0;
}
