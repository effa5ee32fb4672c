// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../base/log.h"
#include "bpf_rings.h"
#include "bpf_slots.h"
#include "privilege.h"

#define MIB	  (1ull << 20)
#define MANY_CPUS 8

static size_t power_of_two(u64 n)
{
	size_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

size_t bpf_rings__default_size(int nr_cpus, u64 ram, size_t page)
{
	u64 all = 64 * MIB < ram / 64 ? 64 * MIB : ram / 64;
	size_t size = 8 * MIB;

	while (size > page && size * nr_cpus > all)
		size /= 2;
	return size;
}

/* A CPU that is offline gets a small ring: it may come online, and mostly never does. */
static bool is_online(int cpu)
{
	char path[64];
	_cleanup_fclose_ FILE *f = NULL;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	f = fopen(path, "re");
	if (!f)
		return access("/sys/devices/system/cpu/cpu0", F_OK) || cpu < get_nprocs();
	return fgetc(f) != '0';
}

static int watch(struct bpf_rings *r, int cpu)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET, .data.u32 = cpu};

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, bpf_ring__fd(r->ring[cpu]), &ev) ? -errno : 0;
}

static int open_one(struct bpf_rings *r, int cpu, size_t size, const struct bpf_ring_events *ev)
{
	int ret = bpf_ring__open(&r->ring[cpu], cpu, size, ev);

	return ret ? ret : watch(r, cpu);
}

static void close_all(struct bpf_rings *r)
{
	int cpu;

	for (cpu = 0; cpu < r->nr; cpu++) {
		bpf_ring__close(r->ring[cpu]);
		r->ring[cpu] = NULL;
	}
}

static int open_all(struct bpf_rings *r, const struct bpf_ring_events *ev)
{
	size_t page = sysconf(_SC_PAGESIZE), small = r->size / 16 > page ? r->size / 16 : page;
	int cpu, ret = 0;

	for (cpu = 0; cpu < r->nr && !ret; cpu++)
		ret = open_one(r, cpu, is_online(cpu) ? r->size : small, ev);
	if (ret)
		close_all(r);
	return ret;
}

static bool too_much(int err)
{
	return err == -ENOMEM || err == -EPERM || err == -EINVAL || err == -E2BIG;
}

/* Halves the size until the machine's memory and the process's limits allow it. */
static int open_largest(struct bpf_rings *r, const struct bpf_ring_events *ev, struct log *log)
{
	size_t page = sysconf(_SC_PAGESIZE), wanted = r->size;
	int ret;

	for (;; r->size /= 2) {
		ret = open_all(r, ev);
		if (!too_much(ret) || r->size <= page)
			break;
	}
	if (!ret && r->size < wanted)
		log__say(log, LOG_NOTICE,
			 "rings of %zu KiB a CPU instead of %zu KiB: the memory this process may "
			 "have does not allow more",
			 r->size / 1024, wanted / 1024);
	return ret;
}

static size_t wanted_size(u64 bytes, int nr_cpus, bool call_chains)
{
	size_t page = sysconf(_SC_PAGESIZE);
	u64 ram = (u64)sysconf(_SC_PHYS_PAGES) * page;
	size_t size = bytes ? power_of_two(bytes < page ? page : bytes)
			    : bpf_rings__default_size(nr_cpus, ram, page);

	return call_chains ? 2 * size : size;
}

static int publish(struct bpf_rings *r, int outer)
{
	int *fds = calloc(r->nr, sizeof(*fds)), cpu, ret;

	if (!fds)
		return -ENOMEM;
	for (cpu = 0; cpu < r->nr; cpu++)
		fds[cpu] = bpf_ring__fd(r->ring[cpu]);
	ret = bpf_slots__fill(&r->slots, outer, fds, r->nr);
	free(fds);
	return ret;
}

int bpf_rings__open(struct bpf_rings *r, int outer, int nr_cpus, u64 bytes, bool call_chains,
		    const struct bpf_ring_events *ev, struct log *log, struct err *err)
{
	int ret;

	*r = (struct bpf_rings){
		.nr = nr_cpus,
		.size = wanted_size(bytes, get_nprocs(), call_chains),
		.epoll = epoll_create1(EPOLL_CLOEXEC),
	};
	if (r->epoll < 0)
		return err__set(err, errno, "cannot watch the rings: %s", strerror(errno));
	r->ring = calloc(nr_cpus, sizeof(*r->ring));
	if (!r->ring)
		return err__set(err, ENOMEM, "out of memory for the rings");
	ret = open_largest(r, ev, log);
	if (!ret)
		ret = publish(r, outer);
	return ret ? privilege__explain(err, -ret, "cannot make the rings") : 0;
}

void bpf_rings__close(struct bpf_rings *r)
{
	if (!r->ring)
		return;
	bpf_slots__free(r->slots);
	close_all(r);
	free(r->ring);
	close(r->epoll);
	*r = (struct bpf_rings){0};
}

bool bpf_rings__quiet(const struct bpf_rings *r)
{
	struct epoll_event ev[64];
	int cpu;

	epoll_wait(r->epoll, ev, ARRAY_SIZE(ev), 0);
	for (cpu = 0; cpu < r->nr; cpu++)
		if (bpf_ring__pending(r->ring[cpu]))
			return false;
	return true;
}
