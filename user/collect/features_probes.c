// SPDX-License-Identifier: GPL-2.0-only
/* features_probes.c - probes of functions: each kind is really placed once. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/guard.h"
#include "features.h"

#define FUNCTION "do_nanosleep" /* never inlined, and seldom called */

static int pmu_type(const char *name)
{
	char path[128];
	_cleanup_fclose_ FILE *f = NULL;
	int type;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	f = fopen(path, "re");
	return f && fscanf(f, "%d", &type) == 1 ? type : -1;
}

static int open_probe(int type, u64 where, u64 offset)
{
	struct perf_event_attr attr = {
		.type = (u32)type,
		.size = sizeof(attr),
		.config1 = where,
		.config2 = offset,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int err = fd < 0 ? errno : 0;

	guard_close(&fd);
	return err;
}

static void add_probe(struct features *f, const char *name, int type, u64 where, u64 offset,
		      const char *good, const char *config)
{
	int err = type < 0 ? ENODEV : open_probe(type, where, offset);

	if (!err)
		features__add(f, name, FEATURE_OK, NULL, "%s", good);
	else if (type < 0)
		features__add(f, name, FEATURE_MISSING, config, "the kernel has none");
	else
		features__add(f, name, FEATURE_MISSING,
			      err == EPERM || err == EACCES
				      ? "give it CAP_PERFMON (and see lockdown), or run as root"
				      : config,
			      "%s", strerror(err));
}

static int try_fentry(u32 btf_id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = btf_id);
	static const struct bpf_insn zero[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	_cleanup_close_ int prog = bpf_prog_load(BPF_PROG_TYPE_TRACING, "tamis_doctor", "GPL", zero,
						 ARRAY_SIZE(zero), &opts);
	_cleanup_close_ int link = prog < 0 ? -1 : bpf_raw_tracepoint_open(NULL, prog);

	return prog < 0 || link < 0 ? errno : 0;
}

static void add_fentry(struct features *f)
{
	int id = libbpf_find_vmlinux_btf_id(FUNCTION, BPF_TRACE_FENTRY);
	int err = id < 0 ? -id : try_fentry((u32)id);

	if (!err)
		features__add(f, "fentry, fexit", FEATURE_OK, NULL,
			      "functions by name and arguments");
	else
		features__add(f, "fentry, fexit", FEATURE_MISSING,
			      err == EPERM || err == EACCES
				      ? "it needs CAP_BPF and CAP_PERFMON, and a kernel that is "
					"not locked down"
				      : "a kernel with CONFIG_DEBUG_INFO_BTF and "
					"DYNAMIC_FTRACE_WITH_DIRECT_CALLS",
			      "%s %s: %s", id < 0 ? "no BTF of" : "attaching to", FUNCTION,
			      strerror(err));
}

/* A uprobe is placed at an offset of a file: that of one of our own functions. */
static u64 own_offset(void)
{
	u64 at = (u64)&features__probes, from, to, offset = 0;
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && at >= from &&
		    at < to)
			return at - from + offset;
	return 0;
}

void features__probes(struct features *f)
{
	static char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n < 0 ? 0 : n] = 0;
	add_probe(f, "kprobe, kretprobe", pmu_type("kprobe"), (u64)FUNCTION, 0,
		  "any kernel function", "a kernel with CONFIG_KPROBE_EVENTS");
	add_fentry(f);
	add_probe(f, "uprobe, usdt", pmu_type("uprobe"), (u64)exe, own_offset(),
		  "functions of programs and libraries", "a kernel with CONFIG_UPROBE_EVENTS");
}
