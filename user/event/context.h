/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file context.h - in which context an event happens, as far as its name tells.
 */
#ifndef TAMIS_EVENT_CONTEXT_H
#define TAMIS_EVENT_CONTEXT_H

#include "event.h"

/** Fills task_context and interrupt_context from kind, names and spec. */
void event__find_context(struct event *e);

#endif
