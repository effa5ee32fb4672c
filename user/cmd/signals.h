/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file signals.h - what signals ask a command for. Handlers set a flag and wake the loop.
 */
#ifndef TAMIS_CMD_SIGNALS_H
#define TAMIS_CMD_SIGNALS_H

#include "../base/types.h"

/** @return a descriptor that is readable when a signal came; -errno */
int signals__install(void);
/** Reads the descriptor empty. */
void signals__clear(void);
/** When SIGINT or SIGTERM came or signals__stop() was called, ns of CLOCK_MONOTONIC; 0: not yet. */
const volatile u64 *signals__stopped_at(void);
void signals__stop(void);
/** SIGUSR1, SIGUSR2: true once for each time it came since the last call. */
bool signals__take_reopen(void);
bool signals__take_stat(void);
/** @fn, async-signal-safe, is called by the handler of the first stop. */
void signals__on_stop(void (*fn)(void));

#endif
