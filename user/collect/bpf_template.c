// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include "../base/types.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"
#include "bpf/probe.skel.h"
#include "bpf_template.h"
#include "privilege.h"

/*
 * libbpf's table of handlers is the process's, and not safe between threads. Ours stays in it:
 * libbpf before 1.3 keeps a freed table when the last one is taken out.
 */
static pthread_mutex_t handlers = PTHREAD_MUTEX_INITIALIZER;
static bool registered;
static struct reader {
	struct bpf_template *t;
	struct err *err;
} reader;

static struct stencil *stencil_of(struct bpf_template *t, const struct bpf_program *prog)
{
	const struct {
		const char *name;
		struct stencil *stencil;
	} all[] = {
		{"classic", &t->classic},
		{"raw", &t->raw},
		{"classic_emit", &t->classic_emit},
		{"raw_emit", &t->raw_emit},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (!strcmp(bpf_program__name(prog), all[i].name))
			return all[i].stencil;
	return NULL;
}

/*
 * Called when the instructions are relocated and would be loaded. They are kept as a stencil, and
 * two others are loaded in their place: for the holes alone the verifier takes milliseconds.
 */
static int read_stencil(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1},
		{.code = BPF_JMP | BPF_EXIT},
	};
	int ret = stencil__init(stencil_of(reader.t, prog), bpf_program__insns(prog),
				bpf_program__insn_cnt(prog), reader.err);

	(void)cookie;
	opts->prog_btf_fd = 0; /* it describes the instructions that are not loaded */
	opts->func_info_cnt = 0;
	opts->line_info_cnt = 0;
	return ret ? ret : bpf_program__set_insns(prog, nothing, ARRAY_SIZE(nothing));
}

static int open_and_load(struct bpf_template *t)
{
	int ret;

	t->skel = probe_bpf__open();
	if (!t->skel)
		return -errno;
	ret = bpf_map__set_max_entries(t->skel->maps.rings, t->nr_cpus);
	return ret ? ret : probe_bpf__load(t->skel);
}

static int register_reader(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = read_stencil);
	int handler;

	if (registered)
		return 0;
	handler = libbpf_register_prog_handler("stencil/", BPF_PROG_TYPE_TRACEPOINT, 0, &opts);
	registered = handler >= 0;
	return registered ? 0 : handler;
}

static int load(struct bpf_template *t, struct err *err)
{
	int ret;

	t->nr_cpus = libbpf_num_possible_cpus();
	if (t->nr_cpus <= 0)
		return err__set(err, -t->nr_cpus, "cannot tell the number of CPUs");
	pthread_mutex_lock(&handlers);
	reader = (struct reader){.t = t, .err = err};
	ret = register_reader();
	if (!ret)
		ret = open_and_load(t);
	pthread_mutex_unlock(&handlers);
	return ret ? privilege__explain(err, -ret, "the kernel does not take BPF programs") : 0;
}

int bpf_template__open(struct bpf_template *t, struct err *err)
{
	int ret;

	*t = (struct bpf_template){0};
	ret = load(t, err);
	if (ret) {
		bpf_template__close(t);
		return ret;
	}
	t->rings = bpf_map__fd(t->skel->maps.rings);
	t->counters = bpf_map__fd(t->skel->maps.counters);
	t->scratch = bpf_map__fd(t->skel->maps.scratch);
	t->agg = bpf_map__fd(t->skel->maps.agg);
	t->starts = bpf_map__fd(t->skel->maps.starts);
	t->ends = bpf_map__fd(t->skel->maps.ends);
	t->task_starts = bpf_map__fd(t->skel->maps.task_starts);
	t->task_ends = bpf_map__fd(t->skel->maps.task_ends);
	t->swap = bpf_map__fd(t->skel->maps.swap);
	t->stacks = bpf_map__fd(t->skel->maps.stacks);
	t->control = &t->skel->bss->control;
	return 0;
}

void bpf_template__close(struct bpf_template *t)
{
	stencil__free(&t->classic);
	stencil__free(&t->raw);
	stencil__free(&t->classic_emit);
	stencil__free(&t->raw_emit);
	probe_bpf__destroy(t->skel);
	*t = (struct bpf_template){0};
}
