// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "../base/guard.h"
#include "../base/kernel_types.h"
#include "../filter/code.h"
#include "cgroup_level.h"
#include "cgroup_v1.h"

#define INITIAL_CGROUPNS 0xeffffffbu /* the kernel's PROC_CGROUP_INIT_INO: part of its ABI */
#define LEVELS		 24 /* deeper nesting than anybody's, and a program of bearable length */

bool cgroup_level__namespace_is_initial(void)
{
	struct stat st;

	/* a kernel without cgroup namespaces has no such file */
	return stat("/proc/self/ns/cgroup", &st) || st.st_ino == INITIAL_CGROUPNS;
}

/* Writes the id of the ancestor at each level into @map. r7 points to 16 bytes of its stack. */
static int ask_levels(struct code *c, int map, int subsys, struct err *err)
{
	_cleanup_(kernel_types__free) struct kernel_types types = {0};
	struct cgroup_layout layout = {0};
	int level, r = subsys < 0 ? 0 : cgroup_layout__find(&layout, &types, err);

	code__mov(c, R_WORK, 10);
	code__alu_imm(c, BPF_ADD, R_WORK, -16);
	for (level = 0; !r && level < LEVELS; level++) {
		if (subsys < 0) {
			code__mov_imm(c, R1, level);
			code__helper(c, BPF_FUNC_get_current_ancestor_cgroup_id);
		} else {
			cgroup_v1__load_id(c, &layout, subsys, level, 0);
		}
		code__map_value(c, R1, map, 8 * level);
		code__store(c, R1, 0, R0, 8);
	}
	code__mov_imm(c, R0, 0);
	code__insn(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return r ? r : c->err;
}

/* Runs it once, in this very task. */
static int run_here(const struct code *c)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "tamis_levels", "GPL", c->insn, c->n,
			       NULL);
	int r = fd < 0 ? fd : bpf_prog_test_run_opts(fd, &opts);

	guard_close(&fd);
	return r;
}

static int read_levels(int subsys, u64 ids[LEVELS], struct err *err)
{
	_cleanup_close_ int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tamis_levels", 4, 8 * LEVELS,
						 1, NULL);
	struct code c = {0};
	u32 zero = 0;
	int r = map < 0 ? map : ask_levels(&c, map, subsys, err);

	if (!r)
		r = run_here(&c);
	if (!r)
		r = bpf_map_lookup_elem(map, &zero, ids);
	code__free(&c);
	if (r)
		err__set(err, -r,
			 "inside a cgroup namespace the depth of a cgroup is asked by a BPF "
			 "program, which failed: %s; --exact needs no depth",
			 strerror(-r));
	return r;
}

int cgroup_level__of_own_v1(int subsys, u64 id, int *level, struct err *err)
{
	u64 ids[LEVELS] = {0};
	int r = read_levels(subsys, ids, err);

	for (*level = 0; !r && *level < LEVELS; (*level)++)
		if (ids[*level] == id)
			return 0;
	return r ? r
		 : err__set(err, ENOENT,
			    "the mounted cgroups do not hold this process, so their "
			    "depth is not known; --exact needs no depth");
}

int cgroup_level__of_own(u64 id, int *level, struct err *err)
{
	return cgroup_level__of_own_v1(-1, id, level, err);
}
