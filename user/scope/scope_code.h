/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file scope_code.h - a scope as BPF instructions: what fills the scope hole of an event.
 */
#ifndef TAMIS_SCOPE_SCOPE_CODE_H
#define TAMIS_SCOPE_SCOPE_CODE_H

#include "../base/err.h"
#include "../filter/code.h"
#include "scope.h"

struct event;

/**
 * Leaves one of SCOPE_* (bpf/template.h) in r0. Uses struct work's tmp. Also checks the event's
 * own cpus=.
 * @s may be NULL: everything, tamis's own events excepted. Its maps are those of scope__arm().
 * @self tamis's own events too; without it they are SCOPE_OWN where leaving them out is exact
 * @return 0, nothing appended: no limit; else 0 or -errno
 */
int scope__code(const struct scope *s, const struct event *e, bool self, struct code *c,
		struct err *err);

/** Are tamis's own events of @e left out? Not of events whose "current" is some other task. */
bool scope__leaves_out_own(const struct event *e, bool self);

#endif
