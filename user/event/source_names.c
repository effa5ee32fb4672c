// SPDX-License-Identifier: GPL-2.0-only
/* source_names.c - the sources by name, as perf names them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "source_names.h"

#define CGROUP_SWITCHES 11	/* newer than the headers that this may be built with */

#define HW(x) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##x
#define SW(x) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##x

static const struct named {
	const char *name;
	u32 type;
	u64 config;
	const char *help;
} sources[] = {
	{"profile", SW(CPU_CLOCK), "what runs on each CPU, 99 times a second"},
	{"cpu-clock", SW(CPU_CLOCK), "time on each CPU, by a high-resolution timer"},
	{"task-clock", SW(TASK_CLOCK), "time of tasks on a CPU"},
	{"page-faults", SW(PAGE_FAULTS), "every page fault, with its address"},
	{"minor-faults", SW(PAGE_FAULTS_MIN), "page faults that needed no read, with their address"},
	{"major-faults", SW(PAGE_FAULTS_MAJ), "page faults that read from a file or swap"},
	{"context-switches", SW(CONTEXT_SWITCHES), "every switch from one task to another"},
	{"cpu-migrations", SW(CPU_MIGRATIONS), "every move of a task to another CPU"},
	{"alignment-faults", SW(ALIGNMENT_FAULTS), "unaligned accesses the kernel had to fix"},
	{"emulation-faults", SW(EMULATION_FAULTS), "instructions the kernel had to emulate"},
	{"cgroup-switches", PERF_TYPE_SOFTWARE, CGROUP_SWITCHES, "switches to a task of another cgroup"},
	{"cycles", HW(CPU_CYCLES), "CPU cycles"},
	{"instructions", HW(INSTRUCTIONS), "instructions retired"},
	{"cache-references", HW(CACHE_REFERENCES), "accesses of the last-level cache"},
	{"cache-misses", HW(CACHE_MISSES), "misses of the last-level cache"},
	{"branches", HW(BRANCH_INSTRUCTIONS), "branches retired"},
	{"branch-misses", HW(BRANCH_MISSES), "branches predicted wrongly"},
	{"bus-cycles", HW(BUS_CYCLES), "cycles of the bus"},
	{"stalled-cycles-frontend", HW(STALLED_CYCLES_FRONTEND), "cycles without an instruction to issue"},
	{"stalled-cycles-backend", HW(STALLED_CYCLES_BACKEND), "cycles waiting for resources"},
	{"ref-cycles", HW(REF_CPU_CYCLES), "cycles at constant frequency"},
};

static const struct {
	const char *alias, *name;
} aliases[] = {
	{"faults", "page-faults"},
	{"cs", "context-switches"},
	{"migrations", "cpu-migrations"},
	{"cpu-cycles", "cycles"},
	{"branch-instructions", "branches"},
	{"idle-cycles-frontend", "stalled-cycles-frontend"},
	{"idle-cycles-backend", "stalled-cycles-backend"},
};

static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
/* Of each operation: accesses, misses. */
static const char *const operations[][2] = {
	{"loads", "load-misses"}, {"stores", "store-misses"}, {"prefetches", "prefetch-misses"},
};

static const struct named *find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(aliases[i].alias, name))
			name = aliases[i].name;
	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(sources[i].name, name))
			return &sources[i];
	return NULL;
}

/* L1-dcache-load-misses and its kin: cache | operation << 8 | result << 16 */
static int find_cache(const char *name, struct perf_event_attr *attr)
{
	size_t cache, op, miss, n;

	for (cache = 0; cache < ARRAY_SIZE(caches); cache++) {
		n = strlen(caches[cache]);
		if (strncmp(name, caches[cache], n) || name[n] != '-')
			continue;
		for (op = 0; op < ARRAY_SIZE(operations); op++)
			for (miss = 0; miss < 2; miss++)
				if (!strcmp(name + n + 1, operations[op][miss])) {
					attr->type = PERF_TYPE_HW_CACHE;
					attr->config = cache | op << 8 | miss << 16;
					return 0;
				}
	}
	return -ENOENT;
}

static int find_raw(const char *name, struct perf_event_attr *attr)
{
	if (name[0] != 'r' || !name[1] || strspn(name + 1, "0123456789abcdefABCDEF") + 1 != strlen(name) ||
	    strlen(name) > 17)
		return -ENOENT;
	attr->type = PERF_TYPE_RAW;
	attr->config = strtoull(name + 1, NULL, 16);
	return 0;
}

int source__lookup(const char *name, struct perf_event_attr *attr)
{
	const struct named *s = find(name);

	if (!s)
		return find_cache(name, attr) ? find_raw(name, attr) : 0;
	attr->type = s->type;
	attr->config = s->config;
	return 0;
}

const char *const *source__names(void)
{
	static const char *const names[] = {
		"profile", "cpu-clock", "task-clock", "page-faults", "minor-faults", "major-faults",
		"context-switches", "cpu-migrations", "alignment-faults", "emulation-faults",
		"cgroup-switches", "cycles", "instructions", "cache-references", "cache-misses",
		"branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend",
		"stalled-cycles-backend", "ref-cycles", NULL,
	};
	_Static_assert(ARRAY_SIZE(names) == ARRAY_SIZE(sources) + 1, "one name for each source");

	return names;
}

const char *source__help(const char *name)
{
	const struct named *s = find(name);
	struct perf_event_attr attr;

	if (s)
		return s->help;
	if (!find_cache(name, &attr))
		return "accesses or misses of a cache";
	return find_raw(name, &attr) ? NULL : "a hardware counter by its number";
}
