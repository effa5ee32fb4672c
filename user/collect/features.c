// SPDX-License-Identifier: GPL-2.0-only
/* features.c - does the main job run? One tracepoint is traced for real, both ways. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../event/catalog.h"
#include "../filter/code.h"
#include "attach.h"
#include "features.h"

#define CALLS 100 /* that have to be seen */

void features__add(struct features *f, const char *name, enum feature_state state, const char *todo,
		   const char *what, ...)
{
	struct feature *v;
	va_list ap;

	if (f->n == ARRAY_SIZE(f->v))
		return;
	v = &f->v[f->n++];
	v->name = name;
	v->state = state;
	va_start(ap, what);
	vsnprintf(v->what, sizeof(v->what), what, ap);
	va_end(ap);
	snprintf(v->todo, sizeof(v->todo), "%s", todo ? todo : "");
}

/* Counts in the map. */
static int load_counter(int map)
{
	struct code c = {0};
	int fd;

	code__map_value(&c, R1, map, 0);
	code__load(&c, R0, R1, 0, 8);
	code__alu_imm(&c, BPF_ADD, R0, 1);
	code__store(&c, R1, 0, R0, 8);
	code__mov_imm(&c, R0, 1);
	code__insn(&c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	fd = c.err ? c.err
		   : bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "tamis_doctor", "GPL", c.insn, c.n,
				   NULL);
	code__free(&c);
	return fd;
}

static void make_calls(void)
{
	int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

static int count_by_bpf(int map, int prog, u32 id, u64 *seen, struct err *err)
{
	struct attachment a = ATTACHMENT_NONE;
	u32 zero = 0;
	int r = attach__tracepoint(&a, prog, id, "raw_syscalls:sys_enter", err);

	if (r)
		return r;
	make_calls();
	r = bpf_map_lookup_elem(map, &zero, seen);
	attach__detach(&a);
	return r;
}

static bool by_bpf(struct features *f, u32 id)
{
	_cleanup_close_ int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tamis_doctor", 4, 8, 1, NULL);
	_cleanup_close_ int prog = map < 0 ? -1 : load_counter(map);
	int code = errno;
	struct err err = {0};
	u64 seen = 0;

	if (map < 0 || prog < 0)
		features__add(f, "trace by BPF", FEATURE_MISSING,
			      code == EPERM ? "give it CAP_BPF and CAP_PERFMON, or run as root"
					    : "a kernel with CONFIG_BPF_SYSCALL and BPF_EVENTS",
			      "bpf(2): %s", strerror(code));
	else if (count_by_bpf(map, prog, id, &seen, &err))
		features__add(f, "trace by BPF", FEATURE_MISSING, NULL, "%s", err.text);
	else
		features__add(f, "trace by BPF", seen >= CALLS ? FEATURE_OK : FEATURE_MISSING, NULL,
			      "a tracepoint program saw %llu of %d system calls",
			      (unsigned long long)(seen < CALLS ? seen : CALLS), CALLS);
	return seen >= CALLS;
}

static int open_tracepoint(u32 id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool by_perf(struct features *f, u32 id)
{
	_cleanup_close_ int fd = open_tracepoint(id);
	u64 seen = 0;

	if (fd < 0) {
		features__add(f, "trace by perf", FEATURE_MISSING,
			      "give it CAP_PERFMON, or sysctl kernel.perf_event_paranoid=-1",
			      "perf_event_open(2) of a tracepoint: %s", strerror(errno));
		return false;
	}
	make_calls();
	if (read(fd, &seen, sizeof(seen)) != sizeof(seen))
		seen = 0;
	features__add(f, "trace by perf", seen >= CALLS ? FEATURE_OK : FEATURE_MISSING, NULL,
		      "a tracepoint event counted %llu of %d system calls",
		      (unsigned long long)(seen < CALLS ? seen : CALLS), CALLS);
	return seen >= CALLS;
}

static int find_tracepoint(struct features *f, const char *tracefs, u32 *id)
{
	struct event_format *format = NULL;
	struct catalog *catalog = NULL;
	struct err err = {0};
	int r = catalog__open(&catalog, tracefs, NULL, &err);

	if (r) {
		features__add(f, "tracefs", FEATURE_MISSING,
			      "mount -t tracefs nodev /sys/kernel/tracing, or --tracefs DIR", "%s",
			      err.text);
		return r;
	}
	r = catalog__format(catalog, "raw_syscalls", "sys_enter", &format, &err);
	if (r)
		features__add(f, "tracefs", FEATURE_MISSING,
			      "root may read it, or chmod/chgrp /sys/kernel/tracing",
			      "raw_syscalls:sys_enter cannot be read: %s", strerror(-r));
	else
		features__add(f, "tracefs", FEATURE_OK, NULL, "%s",
			      access("/sys/kernel/tracing/events", F_OK)
				      ? "not mounted; opened as a mount that only tamis sees"
				      : "/sys/kernel/tracing");
	*id = format ? format->id : 0;
	event_format__put(format);
	catalog__close(catalog);
	return r;
}

bool features__main_job(struct features *f, const char *tracefs)
{
	u32 id = 0;
	bool bpf, perf;

	if (find_tracepoint(f, tracefs, &id))
		return false;
	bpf = by_bpf(f, id);
	perf = by_perf(f, id);
	return bpf || perf;
}
