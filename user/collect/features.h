/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file features.h - what this kernel, this machine and these privileges allow, found by trying.
 */
#ifndef TAMIS_COLLECT_FEATURES_H
#define TAMIS_COLLECT_FEATURES_H

#include "../base/types.h"

enum feature_state {
	FEATURE_OK,
	FEATURE_PART, /**< works, but not as well as it could */
	FEATURE_MISSING,
};

struct feature {
	const char *name;
	enum feature_state state;
	char what[512]; /**< what was found */
	char todo[256]; /**< what can be done about it; "" */
};

struct features {
	struct feature v[64];
	size_t n;
};

/** Adds one. @what is formatted, @todo is not and may be NULL. */
void features__add(struct features *f, const char *name, enum feature_state state, const char *todo,
		   const char *what, ...) __attribute__((format(printf, 5, 6)));

/** Trace a tracepoint: by BPF, by perf. One of the two is what tamis is for. */
bool features__main_job(struct features *f, const char *tracefs);
/** Kinds of programs and maps, helpers, BTF. */
void features__bpf(struct features *f);
/** kprobe, uprobe, fentry. */
void features__probes(struct features *f);
/** perf_event_open(2): sampling, hardware counters. */
void features__perf(struct features *f);
/** Capabilities, limits, lockdown, kernel symbols, CPUs. */
void features__system(struct features *f);
/** Where cgroups and containers are. */
void features__cgroups(struct features *f);

#endif
