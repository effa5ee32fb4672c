/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file syscall_table.h - numbers of system calls by the names that syscalls:* events have.
 */
#ifndef TAMIS_COLLECT_SYSCALL_TABLE_H
#define TAMIS_COLLECT_SYSCALL_TABLE_H

/** @event is "sys_enter_openat" or "sys_exit_openat". @return -1: not known */
int syscall_table__number(const char *event);

#endif
