// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../event/sample.h"
#include "bpf/record.h"
#include "bpf/template.h"
#include "bpf/profile.h"
#include "perf_ring.h"
#include "privilege.h"
#include "profile_copies.h"

#define RING_BYTES  (4u << 20)
#define STACK_BYTES 16376u	/* a multiple of 8; the kernel takes less where the stack is shallower */
#define PARTS \
	(PERF_SAMPLE_TIME | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

struct cpu {
	int fd; /* -1: offline */
	struct perf_ring ring;
};

struct profile_copies {
	int map, nr_cpus;
	u64 user_regs, ring_bytes;
	struct log *log;
	struct sample_layout layout;
	struct cpu *cpus;
};

static int open_cpu(struct profile_copies *c, int cpu, struct err *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PARTS,
		.sample_regs_user = c->user_regs,
		.sample_stack_user = STACK_BYTES,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES, /* it is read on a timer */
	};
	_cleanup_close_ int fd =
		syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	u32 key = cpu;
	int ret;

	if (fd < 0 && errno == ENODEV)
		return 0;
	if (fd < 0)
		return privilege__explain(err, errno, "cannot take copies of stacks");
	ret = perf_ring__map(&c->cpus[cpu].ring, fd, &c->ring_bytes, c->log, err);
	if (ret)
		return ret;
	if (bpf_map_update_elem(c->map, &key, &fd, BPF_ANY) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		perf_ring__unmap(&c->cpus[cpu].ring);
		return err__set(err, errno, "cannot take copies of stacks: %s", strerror(errno));
	}
	c->cpus[cpu].fd = steal_fd(&fd);
	return 0;
}

int profile_copies__open(struct profile_copies **ret, int map, int nr_cpus, u64 user_regs,
			 struct log *log, struct err *err)
{
	struct profile_copies *c = calloc(1, sizeof(*c));
	int r = 0, i;

	if (!c)
		return err__set(err, ENOMEM, "profile: out of memory");
	c->map = map;
	c->user_regs = user_regs;
	c->log = log;
	c->ring_bytes = RING_BYTES;
	c->layout = (struct sample_layout){.sample_type = PARTS, .regs_user = user_regs};
	c->cpus = calloc(nr_cpus, sizeof(*c->cpus));
	c->nr_cpus = c->cpus ? nr_cpus : 0;
	for (i = 0; i < c->nr_cpus; i++)
		c->cpus[i].fd = -1;
	for (i = 0; i < c->nr_cpus && !r; i++)
		r = open_cpu(c, i, err);
	if (!r && c->cpus) {
		*ret = c;
		return 0;
	}
	profile_copies__close(c);
	return r ? r : err__set(err, ENOMEM, "profile: out of memory");
}

void profile_copies__close(struct profile_copies *c)
{
	int i;

	if (!c)
		return;
	for (i = 0; i < c->nr_cpus; i++) {
		if (c->cpus[i].fd < 0)
			continue;
		perf_ring__unmap(&c->cpus[i].ring);
		close(c->cpus[i].fd);
	}
	free(c->cpus);
	free(c);
}

void profile_copies__rescan(struct profile_copies *c)
{
	struct err err = {0};
	int i;

	for (i = 0; i < c->nr_cpus; i++)
		if (c->cpus[i].fd < 0)
			open_cpu(c, i, &err);
}

/* Raw data stands 4 bytes off an alignment of 8. */
static bool copy_raw(const struct sample_parts *parts, struct profile_sample *s)
{
	size_t head = offsetof(struct profile_sample, kernel);
	size_t size = parts->raw_size < sizeof(*s) ? parts->raw_size : sizeof(*s);

	if (!parts->raw || size < head)
		return false;
	memcpy(s, parts->raw, size);
	if (s->nr_kernel > (size - head) / sizeof(u64))
		s->nr_kernel = (size - head) / sizeof(u64);
	return true;
}

static int report(struct profile_copies *c, const struct perf_event_header *h, stack_count_fn fn,
		  void *ctx)
{
	struct sample_parts parts;
	struct profile_sample s;
	char comm[PROFILE_COMM + 1];
	struct stack_copy copy;
	struct stack_count count = {.comm = comm, .samples = 1, .copy = &copy};

	if (sample__parse(&c->layout, h, h->size, &parts) || !copy_raw(&parts, &s))
		return 0;
	memcpy(comm, s.comm, PROFILE_COMM);
	comm[PROFILE_COMM] = 0;
	copy = (struct stack_copy){parts.regs_user.abi, parts.regs_user.mask,
				   parts.regs_user.words, parts.stack_user, parts.stack_user_size};
	count.tgid = s.tgid;
	count.last = parts.time;
	count.kernel = s.kernel;
	count.nr_kernel = s.nr_kernel;
	return fn(ctx, &count);
}

static int read_cpu(struct profile_copies *c, struct perf_ring *ring, stack_count_fn fn, void *ctx)
{
	const struct perf_event_header *h;
	int ret = 0;

	if (!perf_ring__refresh(ring))
		return 0;
	while (!ret && (h = perf_ring__next(ring))) {
		if (h->type == PERF_RECORD_SAMPLE)
			ret = report(c, h, fn, ctx);
		perf_ring__release(ring, ring->at);
	}
	return ret;
}

int profile_copies__read(struct profile_copies *c, stack_count_fn fn, void *ctx)
{
	int ret = 0, i;

	for (i = 0; i < c->nr_cpus && !ret; i++)
		if (c->cpus[i].fd >= 0)
			ret = read_cpu(c, &c->cpus[i].ring, fn, ctx);
	return ret;
}
