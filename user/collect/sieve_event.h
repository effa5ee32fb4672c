/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sieve_event.h - one event of the sieve; shared by sieve.c, aggregate.c and pair.c only.
 */
#ifndef TAMIS_COLLECT_SIEVE_EVENT_H
#define TAMIS_COLLECT_SIEVE_EVENT_H

#include "../base/kernel_types.h"
#include "../filter/compile.h"
#include "pair.h"
#include "sieve.h"
#include "table_impl.h"

struct sieve_event {
	struct event *event; /**< borrowed */
	struct expr *early, *late; /**< the filter, without and with latency; NULL: none */
	bool here; /**< the filter is evaluated here */
	struct compile_env env;
	struct table *table; /**< NULL: it sums up nothing */
	struct pairing pairing; /**< a zeroed one is in no pair */
};

struct sieve {
	struct sieve_opts opts;
	struct sieve_event *events; /**< owned */
	size_t nr;
	bool any_here;
	struct kernel_types types;
	struct table_switch sw;
	struct sieve_kernel kernel;
};

#endif
