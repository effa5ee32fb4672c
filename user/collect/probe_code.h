/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file probe_code.h - the record of a probe, made from registers and arguments.
 */
#ifndef TAMIS_COLLECT_PROBE_CODE_H
#define TAMIS_COLLECT_PROBE_CODE_H

#include "../event/event.h"
#include "../filter/code.h"

/** Code for MARK_REBUILD: the fields of @e's format, each a word behind common_*. */
void probe_code__record(const struct event *e, struct code *c);

#endif
