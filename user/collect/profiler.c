// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../base/log.h"
#include "../event/event.h"
#include "../scope/scope.h"
#include "../scope/scope_code.h"
#include "bpf/record.h"
#include "bpf/template.h"
#include "bpf/profile.h"
#include "bpf/profile.skel.h"
#include "privilege.h"
#include "profile_copies.h"
#include "profile_table.h"
#include "profiler.h"
#include "program.h"

#define ENTRIES_MIN 1024u
#define ENTRIES_MAX 16384u
#define INTERVAL_MS 1000
#define INTERVAL_MIN_MS 50

struct profiler {
	struct profiler_opts opts;
	struct profile_bpf *skel;
	struct stencil stencil;
	struct program program;
	struct profile_table table;
	struct profile_copies *copies; /* NULL until they are needed */
	int nr_cpus;
	int *perf; /* one a CPU; -1: offline */
	u32 max_frames;
	int interval;
};

static u32 read_max_stack(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	u32 n;

	if (!f || fscanf(f, "%u", &n) != 1 || n > PROFILE_FRAMES)
		return PROFILE_FRAMES;
	return n;
}

/* A sample needs at most two stacks: with that much room none can be lost before it is read. */
static u32 entries_for(const struct profiler *p)
{
	u64 want = 2ull * p->opts.freq * p->nr_cpus * INTERVAL_MS / 1000;

	if (p->opts.entries)
		return p->opts.entries;
	return want < ENTRIES_MIN ? ENTRIES_MIN : want < ENTRIES_MAX ? want : ENTRIES_MAX;
}

static int interval_for(const struct profiler *p, u32 entries)
{
	u64 ms = 1000ull * entries / (2ull * p->opts.freq * p->nr_cpus);

	return ms < INTERVAL_MIN_MS ? INTERVAL_MIN_MS : ms < INTERVAL_MS ? ms : INTERVAL_MS;
}

static int set_up(struct profiler *p, u32 entries)
{
	struct profile_bpf *k = p->skel;
	struct bpf_map *maps[] = {k->maps.stacks0, k->maps.stacks1, k->maps.counts0,
				  k->maps.counts1};
	size_t i;
	int ret = 0;

	k->rodata->with_kernel = !p->opts.no_kernel;
	k->rodata->with_user = !p->opts.no_user;
	k->rodata->max_frames = p->max_frames;
	k->rodata->unwind_all = p->opts.unwind_all;
	if (p->opts.scope) {
		k->rodata->own_ns_dev = p->opts.scope->own_ns_dev;
		k->rodata->own_ns_ino = p->opts.scope->own_ns_ino;
	}
	for (i = 0; i < ARRAY_SIZE(maps) && !ret; i++)
		ret = bpf_map__set_max_entries(maps[i], entries);
	return ret ? ret : bpf_map__set_max_entries(k->maps.samples, p->nr_cpus);
}

static int load_template(struct profiler *p, struct err *err)
{
	u32 entries = entries_for(p);
	int ret;

	p->skel = profile_bpf__open();
	if (!p->skel)
		return err__set(err, errno, "cannot open the BPF profiler: %s", strerror(errno));
	p->interval = interval_for(p, entries);
	ret = set_up(p, entries);
	if (!ret)
		ret = profile_bpf__load(p->skel);
	if (ret)
		return privilege__explain(err, -ret, "the kernel does not take BPF programs");
	ret = profile_table__init(&p->table, p->skel, entries, err);
	if (ret)
		return ret;
	return stencil__init(&p->stencil, bpf_program__insns(p->skel->progs.tick),
			     bpf_program__insn_cnt(p->skel->progs.tick), err);
}

static int fill_scope(struct profiler *p, struct err *err)
{
	const struct event ticks = {.task_context = true};
	struct code c = {0};
	int ret = scope__code(p->opts.scope, &ticks, p->opts.self, &c, err);

	if (!ret)
		ret = program__fill(&p->program, MARK_SCOPE, &c, "its scope", err);
	code__free(&c);
	return ret;
}

int profiler__open(struct profiler **ret, const struct profiler_opts *opts, struct err *err)
{
	struct profiler *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err__set(err, ENOMEM, "profile: out of memory");
	p->opts = *opts;
	p->program.fd = -1;
	p->max_frames = read_max_stack();
	p->nr_cpus = libbpf_num_possible_cpus();
	r = p->nr_cpus > 0 ? 0 : err__set(err, ENOSYS, "cannot tell the number of CPUs");
	if (!r)
		r = load_template(p, err);
	if (!r)
		r = program__init(&p->program, &p->stencil, BPF_PROG_TYPE_PERF_EVENT, "profile",
				  err);
	if (!r)
		r = fill_scope(p, err);
	if (!r)
		r = program__load(&p->program, err);
	if (r) {
		profiler__close(p);
		return r;
	}
	*ret = p;
	return 0;
}

int profiler__interval(const struct profiler *p)
{
	return p->interval;
}

static int open_cpu(const struct profiler *p, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = p->opts.freq,
		.exclude_idle = 1,
	};
	_cleanup_close_ int fd =
		syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, p->program.fd))
		return -errno;
	return steal_fd(&fd);
}

static int explain_open(const struct profiler *p, int code, struct err *err)
{
	if (code == EINVAL)
		return err__set(err, code,
				"-F %u: more samples a second than the kernel allows "
				"(kernel.perf_event_max_sample_rate)",
				p->opts.freq);
	return privilege__explain(err, code, "cannot sample the CPUs");
}

static bool in_cpus(const struct profiler *p, int cpu)
{
	const struct scope *s = p->opts.scope;

	if (!s || !s->cpus)
		return true;
	return (size_t)cpu < s->nr_cpus && s->cpus[cpu / 64] >> cpu % 64 & 1;
}

static int open_copies(struct profiler *p, struct err *err)
{
	if (p->copies)
		return 0;
	if (!p->opts.user_regs)
		return err__set(err, EOPNOTSUPP, "stacks cannot be unwound by tables on this machine");
	return profile_copies__open(&p->copies, bpf_map__fd(p->skel->maps.samples), p->nr_cpus,
				    p->opts.user_regs, p->opts.log, err);
}

int profiler__unwind(struct profiler *p, u32 tgid, struct err *err)
{
	u32 one = 1;
	int ret = open_copies(p, err);

	if (ret)
		return ret;
	if (bpf_map_update_elem(bpf_map__fd(p->skel->maps.unwound), &tgid, &one, BPF_ANY))
		return err__set(err, errno, "process %u: %s", tgid, strerror(errno));
	return 0;
}

void profiler__unwind_no_more(struct profiler *p, u32 tgid)
{
	bpf_map_delete_elem(bpf_map__fd(p->skel->maps.unwound), &tgid);
}

int profiler__read_copies(struct profiler *p, stack_count_fn fn, void *ctx)
{
	return p->copies ? profile_copies__read(p->copies, fn, ctx) : 0;
}

int profiler__attach(struct profiler *p, struct err *err)
{
	int cpu, last = -ENODEV, nr = 0, ret;

	ret = p->opts.unwind_all ? open_copies(p, err) : 0;
	if (ret)
		return ret;
	p->perf = malloc(p->nr_cpus * sizeof(*p->perf));
	if (!p->perf)
		return err__set(err, ENOMEM, "profile: out of memory");
	for (cpu = 0; cpu < p->nr_cpus; cpu++)
		p->perf[cpu] = -1;
	for (cpu = 0; cpu < p->nr_cpus; cpu++) {
		if (!in_cpus(p, cpu))
			continue;
		p->perf[cpu] = open_cpu(p, cpu);
		if (p->perf[cpu] >= 0)
			nr++;
		else if (p->perf[cpu] != -ENODEV)
			return explain_open(p, -p->perf[cpu], err);
	}
	return nr ? 0 : explain_open(p, -last, err);
}

void profiler__rescan(struct profiler *p)
{
	int cpu;

	for (cpu = 0; cpu < p->nr_cpus; cpu++)
		if (p->perf[cpu] < 0 && in_cpus(p, cpu))
			p->perf[cpu] = open_cpu(p, cpu);
	if (p->copies)
		profile_copies__rescan(p->copies);
}

int profiler__read(struct profiler *p, stack_count_fn fn, void *ctx, struct err *err)
{
	return profile_table__read(&p->table, fn, ctx, err);
}

void profiler__detach(struct profiler *p)
{
	int cpu;

	for (cpu = 0; p->perf && cpu < p->nr_cpus; cpu++)
		if (p->perf[cpu] >= 0)
			close(p->perf[cpu]);
	free(p->perf);
	p->perf = NULL;
}

void profiler__stats(const struct profiler *p, struct profiler_stats *stats)
{
	volatile u64 *c = p->skel->bss->counters;

	*stats = (struct profiler_stats){
		.samples = c[PROFILE_SAMPLES],
		.own = c[PROFILE_OWN],
		.out_of_scope = c[PROFILE_OUT],
		.lost = c[PROFILE_STACK_FULL] + c[PROFILE_COUNT_FULL] + c[PROFILE_RING_FULL],
		.truncated = c[PROFILE_TRUNCATED],
		.user = c[PROFILE_USER],
		.shallow = c[PROFILE_SHALLOW],
		.max_frames = p->max_frames,
	};
}

void profiler__close(struct profiler *p)
{
	if (!p)
		return;
	profiler__detach(p);
	program__free(&p->program);
	stencil__free(&p->stencil);
	profile_table__fini(&p->table);
	profile_copies__close(p->copies);
	profile_bpf__destroy(p->skel);
	free(p);
}
