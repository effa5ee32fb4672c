/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file guests.h - virtual machines of KVM: their processes, and what their users call them.
 */
#ifndef TAMIS_SCOPE_GUESTS_H
#define TAMIS_SCOPE_GUESTS_H

#include "../base/strbuf.h"

/**
 * Appends the name of the guest that process @pid runs: qemu's -name, else the command name.
 * @return false: there is no such process
 */
bool guest__name(u32 pid, struct strbuf *out);
/** Of a command line as /proc/PID/cmdline has it. @return false: it names no guest */
bool guest__name_in(const char *cmdline, size_t len, struct strbuf *out);
/** Does the process hold a virtual machine? */
bool guest__is(u32 pid);
/**
 * Processes of guests called @name; NULL: of all. At most @max in @pids.
 * @return how many there are
 */
size_t guests__find(const char *name, u32 *pids, size_t max);

#endif
