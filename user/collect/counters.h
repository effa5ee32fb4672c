/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file counters.h - what programs counted, in memory that they and we share.
 *
 * A plain mapped array of struct counters (bpf/template.h), element event * CPUs + CPU: reading it
 * takes no bpf(2) call, which would make programs that fire meanwhile be skipped.
 */
#ifndef TAMIS_COLLECT_COUNTERS_H
#define TAMIS_COLLECT_COUNTERS_H

#include "../base/err.h"
#include "../base/types.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

struct event_stats;

struct counter_map {
	int fd;
	int nr_cpus;
	size_t bytes; /**< mapped */
	const struct counters *at; /**< mapped */
};

int counter_map__open(struct counter_map *m, size_t nr_events, int nr_cpus, struct err *err);
/** One that was zeroed and never opened is fine. */
void counter_map__close(struct counter_map *m);

/** Of one event on one CPU. */
u64 counter_map__get(const struct counter_map *m, size_t event, int cpu, enum counter c);
/** Over all CPUs. */
u64 counter_map__sum(const struct counter_map *m, size_t event, enum counter c);
/** Adds all that programs count of @event to @stats. */
void counter_map__add(const struct counter_map *m, size_t event, struct event_stats *stats);

#endif
