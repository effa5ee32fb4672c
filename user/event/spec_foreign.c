// SPDX-License-Identifier: GPL-2.0-only
/* spec_foreign.c - what perf-prof has and tamis has not. */
#include <string.h>
#include "spec_parts.h"

int foreign__attr(const struct span *attr, const struct span *name, struct err *err)
{
	static const char *const ignored[] = {"top-by",	  "top-add", "comm", "ptr",
					      "size",	  "num",     "role", "printkey",
					      "untraced", "trigger", "index", "batch"};
	static const struct {
		const char *name, *why;
	} refused[] = {
		{"push", "push= hands events to another process, which tamis does not do"},
		{"pull", "pull= takes events from another process, which tamis does not do"},
		{"vm", "vm= takes events from a virtual machine, which tamis does not do; run "
		       "tamis in it"},
		{"exec",
		 "exec= runs code in the collector, which tamis does not do; use a Python handler"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		if (span__is(name, ignored[i]))
			return 1;
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (span__is(name, refused[i].name))
			return span__error(attr, err, "%s", refused[i].why);
	return 0;
}

#define PAIR(start, key, end, end_key) \
	"the same as: " start "//alias=a/key=" key "/," end "//since=a/key=" end_key "/"
#define SWITCHES      PAIR("sched:sched_wakeup", "pid", "sched:sched_switch", "next_pid")
#define NO_TRACEPOINT "no tracepoint tells what it does"

static const struct {
	const char *name, *instead;
} profilers[] = {
	{"multi-trace", SWITCHES},
	{"nested-trace", PAIR("irq:softirq_entry", "_cpu,vec", "irq:softirq_exit", "_cpu,vec")},
	{"mpdelay",
	 PAIR("block:block_rq_issue", "dev,sector", "block:block_rq_complete", "dev,sector")},
	{"blktrace",
	 PAIR("block:block_rq_issue", "dev,sector", "block:block_rq_complete", "dev,sector")},
	{"irq-off", PAIR("preemptirq:irq_disable", "_cpu", "preemptirq:irq_enable", "_cpu")},
	{"kmemleak", PAIR("kmem:kmalloc", "ptr", "kmem:kfree", "ptr")},
	{"kmemprof", PAIR("kmem:kmalloc", "ptr", "kmem:kfree", "ptr")},
	{"oncpu", PAIR("sched:sched_switch", "next_pid", "sched:sched_switch", "prev_pid")},
	{"signal", "the same as: signal:signal_generate"},
	{"tlbstat", "the same as: tlb:tlb_flush//count/by=reason/"},
	{"hrtimer", "the same as: timer:hrtimer_expire_entry"},
	{"hrcount", "the same as: the events themselves, with count"},
	{"expr", "the same as: the events themselves, with a filter"},
	{"trace", "the same as: the events themselves, or: tamis trace"},
	{"top", "the same as: the events themselves, or: tamis top"},
	{"stat", "the same as: the events themselves, with count"},
	{"list", "see: tamis list"},
	{"kvm-exits", "the same as: kvm-exit"},
	{"breakpoint", NO_TRACEPOINT},
	{"watchdog", NO_TRACEPOINT},
	{"split-lock", NO_TRACEPOINT},
	{"ldlat-loads", NO_TRACEPOINT},
	{"ldlat-stores", NO_TRACEPOINT},
	{"llcstat", "the same as: cache-references and cache-misses"},
	{"kcore", NO_TRACEPOINT},
	{"vmcore", NO_TRACEPOINT},
	{"usdt", "write usdt:provider:name@\"file\""},
	{"python", "scripts run by: tamis python"},
};

int foreign__profiler(const struct span *head, struct err *err)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(profilers); i++)
		if (span__is(head, profilers[i].name))
			return span__error(head, err, "perf-prof's %s is no event here; %s",
					   profilers[i].name, profilers[i].instead);
	return 0;
}
