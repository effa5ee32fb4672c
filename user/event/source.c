// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include "source.h"

#define HZ	  99 /* not 100, so as not to run in step with timers */
#define SW(x, hz) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##x, hz
#define HW(x)	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_##x, 0

static const struct source sources[] = {
	{"profile", "where the CPUs are, 99 times a second", SW(CPU_CLOCK, HZ)},
	{"cpu-clock", "the same by the CPU's clock, idle included", SW(CPU_CLOCK, HZ)},
	{"task-clock", "by the clock of running tasks", SW(TASK_CLOCK, HZ)},
	{"page-faults", "every page fault", SW(PAGE_FAULTS, 0)},
	{"minor-faults", "page faults without I/O", SW(PAGE_FAULTS_MIN, 0)},
	{"major-faults", "page faults with I/O", SW(PAGE_FAULTS_MAJ, 0)},
	{"context-switches", "every context switch", SW(CONTEXT_SWITCHES, 0)},
	{"cpu-migrations", "every move of a task to another CPU", SW(CPU_MIGRATIONS, 0)},
	{"cgroup-switches", "every switch between cgroups", SW(CGROUP_SWITCHES, 0)},
	{"alignment-faults", "every alignment fault", SW(ALIGNMENT_FAULTS, 0)},
	{"emulation-faults", "every emulated instruction", SW(EMULATION_FAULTS, 0)},
	{"cycles", "CPU cycles", HW(CPU_CYCLES)},
	{"instructions", "retired instructions", HW(INSTRUCTIONS)},
	{"cache-references", "accesses of the last-level cache", HW(CACHE_REFERENCES)},
	{"cache-misses", "misses of the last-level cache", HW(CACHE_MISSES)},
	{"branch-instructions", "retired branches", HW(BRANCH_INSTRUCTIONS)},
	{"branch-misses", "mispredicted branches", HW(BRANCH_MISSES)},
	{"bus-cycles", "bus cycles", HW(BUS_CYCLES)},
	{"stalled-cycles-frontend", "cycles stalled in the front end", HW(STALLED_CYCLES_FRONTEND)},
	{"stalled-cycles-backend", "cycles stalled in the back end", HW(STALLED_CYCLES_BACKEND)},
	{"ref-cycles", "cycles at the reference rate", HW(REF_CPU_CYCLES)},
	{"kvmstat", "counts of KVM events", PERF_TYPE_MAX, 0, 0},
};

static const struct {
	const char *alias, *name;
} aliases[] = {
	{"cpu-cycles", "cycles"},
	{"branches", "branch-instructions"},
	{"idle-cycles-frontend", "stalled-cycles-frontend"},
	{"idle-cycles-backend", "stalled-cycles-backend"},
	{"faults", "page-faults"},
	{"cs", "context-switches"},
	{"migrations", "cpu-migrations"},
};

static const char *first_name(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (!strcmp(aliases[i].alias, name))
			return aliases[i].name;
	return name;
}

/* rNNN: up to 16 hexadecimal digits */
static const struct source *raw_event(const char *name, struct source *raw)
{
	size_t n = strlen(name);

	if (name[0] != 'r' || n < 2 || n > 17 ||
	    name[1 + strspn(name + 1, "0123456789abcdefABCDEF")])
		return NULL;
	*raw = (struct source){name, "raw hardware event", PERF_TYPE_RAW,
			       strtoull(name + 1, NULL, 16), 0};
	return raw;
}

const struct source *source__find(const char *name, struct source *raw)
{
	size_t i;

	name = first_name(name);
	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(sources[i].name, name))
			return &sources[i];
	return raw_event(name, raw);
}

const struct source *source__get(size_t i)
{
	return i < ARRAY_SIZE(sources) ? &sources[i] : NULL;
}
