/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file privilege.h - why the kernel said no: what of this process's rights is missing.
 */
#ifndef TAMIS_COLLECT_PRIVILEGE_H
#define TAMIS_COLLECT_PRIVILEGE_H

#include "../base/err.h"

/**
 * Sets @err for an EPERM, EACCES, ENOMEM or EMFILE of bpf(2) or perf_event_open(2): "@what: ..."
 * and one line for each cause that can be told. @return -code
 */
int privilege__explain(struct err *err, int code, const char *what);
/** Adds those lines to a message that is set: what will be missing next, too. */
void privilege__add(struct err *err);

#endif
