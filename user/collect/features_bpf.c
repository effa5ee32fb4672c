// SPDX-License-Identifier: GPL-2.0-only
/* features_bpf.c - which programs, maps and helpers the kernel takes. */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "../base/guard.h"
#include "features.h"

static const char needs_bpf[] = "give it CAP_BPF and CAP_PERFMON, or run as root";

/* returns 1 */
static const struct bpf_insn trivial[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 1},
	{.code = BPF_JMP | BPF_EXIT},
};

static int try_program(enum bpf_prog_type type, const struct bpf_prog_load_opts *opts)
{
	int fd = bpf_prog_load(type, "tamis_doctor", "GPL", trivial, ARRAY_SIZE(trivial), opts);
	int err = fd < 0 ? errno : 0;

	guard_close(&fd);
	return err;
}

static void add_tried(struct features *f, const char *name, int err, const char *good,
		      const char *without)
{
	if (!err)
		features__add(f, name, FEATURE_OK, NULL, "%s", good);
	else
		features__add(f, name, FEATURE_MISSING,
			      err == EPERM || err == EACCES ? needs_bpf : without, "%s",
			      strerror(err));
}

static void add_tp_btf(struct features *f)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	int id = libbpf_find_vmlinux_btf_id("sys_enter", BPF_TRACE_RAW_TP), err;
	static const struct bpf_insn zero[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd;

	if (id < 0) {
		features__add(
			f, "tp_btf programs", FEATURE_MISSING,
			"a kernel with CONFIG_DEBUG_INFO_BTF; raw_tp programs are used instead",
			"no BTF of sys_enter: %s", strerror(-id));
		return;
	}
	opts.attach_btf_id = (u32)id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "tamis_doctor", "GPL", zero, ARRAY_SIZE(zero),
			   &opts);
	err = fd < 0 ? errno : 0;
	guard_close(&fd);
	add_tried(f, "tp_btf programs", err, "hot events use them",
		  "raw_tp programs are used instead");
}

static void add_map(struct features *f, const char *name, enum bpf_map_type type, u32 key,
		    u32 value, u32 entries, u32 flags, const char *good, const char *without)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = flags);
	int fd = bpf_map_create(type, "tamis_doctor", key, value, entries, &opts);
	int err = fd < 0 ? errno : 0;

	guard_close(&fd);
	add_tried(f, name, err, good, without);
}

static void add_task_storage(struct features *f)
{
	int err = libbpf_probe_bpf_map_type(BPF_MAP_TYPE_TASK_STORAGE, NULL);

	add_tried(f, "task storage",
		  err == 1  ? 0
		  : err < 0 ? -err
			    : EOPNOTSUPP,
		  "pairs events of one thread", "key=_tid is paired through a hash instead");
}

static void add_helpers(struct features *f)
{
	static const struct {
		enum bpf_func_id id;
		const char *name, *without;
	} helpers[] = {
		{BPF_FUNC_get_current_ancestor_cgroup_id, "cgroup scope",
		 "a kernel of 5.7 or later with CONFIG_CGROUPS; --cgroup does not work"},
		{BPF_FUNC_get_ns_current_pid_tgid, "pid namespaces",
		 "a kernel of 5.7 or later; -p does not work inside a container"},
		{BPF_FUNC_ringbuf_reserve, "ring buffer helper",
		 "a kernel of 5.8 or later; the perf transport is used"},
		{BPF_FUNC_get_stack, "stacks", "a kernel with CONFIG_STACKTRACE"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(helpers); i++) {
		int r = libbpf_probe_bpf_helper(BPF_PROG_TYPE_TRACEPOINT, helpers[i].id, NULL);

		add_tried(f, helpers[i].name,
			  r == 1  ? 0
			  : r < 0 ? -r
				  : EOPNOTSUPP,
			  "the kernel has it", helpers[i].without);
	}
}

static void add_btf(struct features *f)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (btf)
		features__add(f, "BTF", FEATURE_OK, NULL, "%u types of this kernel are known",
			      btf__type_cnt(btf) - 1);
	else
		features__add(f, "BTF", FEATURE_PART,
			      "a kernel with CONFIG_DEBUG_INFO_BTF: fentry, _ppid and cgroups of "
			      "v1 need it",
			      "/sys/kernel/btf/vmlinux: %s", strerror(errno));
	btf__free(btf);
}

/* Runs that the kernel skipped are counted since 5.12. */
static void add_missed_runs(struct features *f)
{
	_cleanup_close_ int fd = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "tamis_doctor", "GPL",
					       trivial, ARRAY_SIZE(trivial), NULL);
	struct bpf_prog_info info = {0};
	u32 len = sizeof(info);
	size_t needed = offsetof(struct bpf_prog_info, recursion_misses) + sizeof(u64);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return;
	features__add(f, "missed runs", len >= needed ? FEATURE_OK : FEATURE_PART,
		      len >= needed ? NULL : "a newer kernel tells them", "%s",
		      len >= needed ? "the kernel counts events that it skipped"
				    : "the kernel does not count events that it skips");
}

void features__bpf(struct features *f)
{
	int tracepoint = try_program(BPF_PROG_TYPE_TRACEPOINT, NULL);

	add_tried(f, "tracepoint programs", tracepoint, "every tracepoint can be traced by BPF",
		  "a kernel with CONFIG_BPF_EVENTS");
	add_tried(f, "raw_tp programs", try_program(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL),
		  "hot events use them", "tracepoint programs are used instead");
	add_tp_btf(f);
	add_tried(f, "perf_event programs", try_program(BPF_PROG_TYPE_PERF_EVENT, NULL),
		  "sampling can be scoped in the kernel", "a kernel with CONFIG_BPF_EVENTS");
	add_map(f, "ring buffer", BPF_MAP_TYPE_RINGBUF, 0, 0, 65536, 0, "records travel in it",
		"a kernel of 5.8 or later; the perf transport is used");
	add_map(f, "mapped maps", BPF_MAP_TYPE_ARRAY, 4, 64, 1, BPF_F_MMAPABLE,
		"counters are read without system calls", "a kernel of 5.5 or later");
	add_task_storage(f);
	/* a kernel that takes no program of ours does not tell which helpers it has */
	if (!tracepoint)
		add_helpers(f);
	add_missed_runs(f);
	add_btf(f);
}
