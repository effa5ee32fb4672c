// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include "../base/types.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"
#include "bpf/probe.skel.h"
#include "bpf_template.h"
#include "privilege.h"

static int load(struct bpf_template *t, struct err *err)
{
	int ret;

	t->nr_cpus = libbpf_num_possible_cpus();
	if (t->nr_cpus <= 0)
		return err__set(err, -t->nr_cpus, "cannot tell the number of CPUs");
	t->skel = probe_bpf__open();
	if (!t->skel)
		return err__set(err, errno, "cannot open the BPF template: %s", strerror(errno));
	ret = bpf_map__set_max_entries(t->skel->maps.rings, t->nr_cpus);
	if (!ret)
		ret = probe_bpf__load(t->skel);
	return ret ? privilege__explain(err, -ret, "the kernel does not take BPF programs") : 0;
}

static int read_stencil(struct stencil *s, struct bpf_program *prog, struct err *err)
{
	return stencil__init(s, bpf_program__insns(prog), bpf_program__insn_cnt(prog), err);
}

int bpf_template__open(struct bpf_template *t, struct err *err)
{
	int ret;

	*t = (struct bpf_template){0};
	ret = load(t, err);
	if (!ret)
		ret = read_stencil(&t->classic, t->skel->progs.classic, err);
	if (!ret)
		ret = read_stencil(&t->raw, t->skel->progs.raw, err);
	if (ret) {
		bpf_template__close(t);
		return ret;
	}
	t->rings = bpf_map__fd(t->skel->maps.rings);
	t->counters = bpf_map__fd(t->skel->maps.counters);
	t->scratch = bpf_map__fd(t->skel->maps.scratch);
	t->agg = bpf_map__fd(t->skel->maps.agg);
	t->starts = bpf_map__fd(t->skel->maps.starts);
	t->swap = bpf_map__fd(t->skel->maps.swap);
	t->stacks = bpf_map__fd(t->skel->maps.stacks);
	t->control = &t->skel->bss->control;
	return 0;
}

void bpf_template__close(struct bpf_template *t)
{
	stencil__free(&t->classic);
	stencil__free(&t->raw);
	probe_bpf__destroy(t->skel);
	*t = (struct bpf_template){0};
}
