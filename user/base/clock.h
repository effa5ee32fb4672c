/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file clock.h - what time it is.
 */
#ifndef TAMIS_BASE_CLOCK_H
#define TAMIS_BASE_CLOCK_H

#include <time.h>
#include "types.h"

/** ns of CLOCK_MONOTONIC, CLOCK_REALTIME, ... May be called by a signal handler. */
static inline u64 clock__ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

#endif
