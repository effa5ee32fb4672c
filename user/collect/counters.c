// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../base/types.h"
#include "counters.h"
#include "privilege.h"
#include "stats.h"

int counter_map__open(struct counter_map *m, size_t nr_events, int nr_cpus, struct err *err)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t page = sysconf(_SC_PAGESIZE), n = nr_events * nr_cpus;
	void *p;

	*m = (struct counter_map){.nr_cpus = nr_cpus};
	m->fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tamis_counters", sizeof(u32),
			       sizeof(struct counters), n, &opts);
	if (m->fd < 0)
		return privilege__explain(err, errno, "cannot make the map of counters");
	m->bytes = (n * sizeof(struct counters) + page - 1) & ~(page - 1);
	p = mmap(NULL, m->bytes, PROT_READ, MAP_SHARED, m->fd, 0);
	if (p == MAP_FAILED)
		return privilege__explain(err, errno, "cannot map the counters");
	m->at = p;
	return 0;
}

void counter_map__close(struct counter_map *m)
{
	if (m->at)
		munmap((void *)m->at, m->bytes);
	if (m->fd > 0)
		close(m->fd);
	*m = (struct counter_map){0};
}

u64 counter_map__get(const struct counter_map *m, size_t event, int cpu, enum counter c)
{
	return __atomic_load_n(&m->at[event * m->nr_cpus + cpu].c[c], __ATOMIC_RELAXED);
}

u64 counter_map__sum(const struct counter_map *m, size_t event, enum counter c)
{
	u64 sum = 0;
	int cpu;

	for (cpu = 0; cpu < m->nr_cpus; cpu++)
		sum += counter_map__get(m, event, cpu, c);
	return sum;
}

void counter_map__add(const struct counter_map *m, size_t event, struct event_stats *stats)
{
	stats->fired += counter_map__sum(m, event, C_FIRED);
	stats->out_of_scope += counter_map__sum(m, event, C_OUT_OF_SCOPE);
	stats->rejected += counter_map__sum(m, event, C_REJECTED);
	stats->own += counter_map__sum(m, event, C_OWN);
	stats->ring_full += counter_map__sum(m, event, C_RING_FULL);
	stats->rate_limited += counter_map__sum(m, event, C_RATE_LIMITED);
	stats->strict_dropped += counter_map__sum(m, event, C_STRICT);
	stats->agg_full += counter_map__sum(m, event, C_AGG_FULL);
	stats->stack_full += counter_map__sum(m, event, C_STACK_FULL);
	stats->unmatched += counter_map__sum(m, event, C_UNMATCHED);
	stats->overwritten += counter_map__sum(m, event, C_OVERWRITTEN);
	stats->starts_full += counter_map__sum(m, event, C_STARTS_FULL);
	stats->open_starts += counter_map__sum(m, event, C_OPEN);
}
