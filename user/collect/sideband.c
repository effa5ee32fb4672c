// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/log.h"
#include "perf_parts.h"
#include "sideband.h"
#include "sideband_record.h"

#define RING_BYTES (512u << 10)

/* One CPU: its ring, and the record of it that comes next. */
struct lane {
	int fd;
	u16 cpu;
	struct perf_ring ring;
	bool full; /* is there a record in @next? */
	struct sideband_record next;
};

struct sideband {
	struct sideband_opts opts;
	struct lane *lanes;
	size_t nr, room;
	int epoll;
	u64 lost;
	u64 *cpus; /* that were online at the last look; owned */
	size_t bits;
	u64 bytes; /* of a ring, as could be mapped */
};

/* Newest first: each entry leaves out what some older kernel does not know. */
static const struct {
	bool build_id, cgroup, ksymbol;
} ways[] = {{true, true, true}, {false, true, true}, {false, false, true}, {false, false, false}};

static struct perf_event_attr attr_of(const struct sideband *sb, size_t way, u64 ring_bytes)
{
	bool maps = sb->opts.maps;

	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(struct perf_event_attr),
		.disabled = 1,
		.sample_type = SIDEBAND_PARTS,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = ring_bytes / 4,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.mmap = maps,
		.mmap2 = maps,
		.build_id = maps && ways[way].build_id,
		.ksymbol = maps && ways[way].ksymbol,
		.cgroup = ways[way].cgroup,
	};
}

static int open_event(struct sideband *sb, unsigned int cpu, u64 ring_bytes)
{
	struct perf_event_attr attr;
	size_t way;
	int fd = -1;

	for (way = 0; way < ARRAY_SIZE(ways) && fd < 0; way++) {
		attr = attr_of(sb, way, ring_bytes);
		fd = perf_event__open(&attr, -1, cpu, -1, 0);
		if (fd < 0 && errno != EINVAL && errno != E2BIG)
			break;
	}
	return fd < 0 ? -errno : fd;
}

static int map_and_watch(struct sideband *sb, struct lane *l, u64 *bytes, struct err *err)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
	int ret = perf_ring__map(&l->ring, l->fd, bytes, sb->opts.log, err);

	if (ret)
		return ret;
	if (epoll_ctl(sb->epoll, EPOLL_CTL_ADD, l->fd, &ev) ||
	    ioctl(l->fd, PERF_EVENT_IOC_ENABLE, 0))
		return err__set(err, errno, "cannot watch processes on CPU %u: %s", l->cpu,
				strerror(errno));
	return 0;
}

static int add_lane(struct sideband *sb, unsigned int cpu, u64 *bytes, struct err *err)
{
	struct lane lane = {.cpu = cpu, .fd = open_event(sb, cpu, *bytes)};

	if (lane.fd == -ENODEV)
		return 0;
	if (lane.fd < 0)
		return err__set(err, -lane.fd, "cannot watch processes: perf_event_open: %s",
				strerror(-lane.fd));
	if (array__push(sb->lanes, sb->nr, sb->room, lane)) {
		close(lane.fd);
		return err__set(err, ENOMEM, "out of memory");
	}
	return map_and_watch(sb, &sb->lanes[sb->nr - 1], bytes, err);
}

int sideband__open(struct sideband **ret, const struct sideband_opts *opts, struct err *err)
{
	struct sideband *sb = calloc(1, sizeof(*sb));
	size_t cpu;
	int r;

	if (!sb)
		return err__set(err, ENOMEM, "out of memory");
	sb->opts = *opts;
	sb->bytes = opts->ring_bytes ?: RING_BYTES;
	sb->epoll = epoll_create1(EPOLL_CLOEXEC);
	r = sb->epoll < 0 ? err__set(err, errno, "epoll_create1: %s", strerror(errno))
			  : perf_cpus__find(&sb->cpus, &sb->bits, NULL, err);
	for (cpu = 0; cpu < sb->bits && !r; cpu++)
		if (cpu_in(sb->cpus, sb->bits, cpu))
			r = add_lane(sb, cpu, &sb->bytes, err);
	if (r)
		sideband__close(sb);
	else
		*ret = sb;
	return r;
}

/* The ring of a CPU that went stays to be drained; when it comes back it gets another one. */
void sideband__rescan(struct sideband *sb)
{
	u64 *cpus = NULL;
	size_t bits = 0, cpu;
	struct err err = {0};

	if (perf_cpus__find(&cpus, &bits, NULL, &err))
		return;
	for (cpu = 0; cpu < bits; cpu++)
		if (cpu_in(cpus, bits, cpu) && !cpu_in(sb->cpus, sb->bits, cpu))
			add_lane(sb, cpu, &sb->bytes, &err);
	free(sb->cpus);
	sb->cpus = cpus;
	sb->bits = bits;
}

void sideband__close(struct sideband *sb)
{
	size_t i;

	if (!sb)
		return;
	for (i = 0; i < sb->nr; i++) {
		perf_ring__unmap(&sb->lanes[i].ring);
		close(sb->lanes[i].fd);
	}
	if (sb->epoll >= 0)
		close(sb->epoll);
	free(sb->cpus);
	free(sb->lanes);
	free(sb);
}

int sideband__fd(const struct sideband *sb)
{
	return sb->epoll;
}

u64 sideband__lost(const struct sideband *sb)
{
	return sb->lost;
}

/* Moves to the next record that means something. */
static void fill(struct lane *l)
{
	const struct perf_event_header *h;

	l->full = false;
	while (!l->full && (h = perf_ring__next(&l->ring)))
		l->full = sideband_record__parse(&l->next, h, l->cpu);
}

static struct lane *earliest(struct sideband *sb)
{
	struct lane *first = NULL;
	size_t i;

	for (i = 0; i < sb->nr; i++)
		if (sb->lanes[i].full && (!first || sb->lanes[i].next.time < first->next.time))
			first = &sb->lanes[i];
	return first;
}

void sideband__read(struct sideband *sb, u64 until, sideband_fn fn, void *ctx)
{
	struct lane *l;
	size_t i;

	for (i = 0; i < sb->nr; i++)
		if (!sb->lanes[i].full && perf_ring__refresh(&sb->lanes[i].ring))
			fill(&sb->lanes[i]);
	while ((l = earliest(sb)) && l->next.time <= until) {
		if (l->next.kind == SIDEBAND_LOST)
			sb->lost += l->next.lost;
		fn(ctx, &l->next);
		perf_ring__release(&l->ring, l->ring.at);
		fill(l);
	}
}
