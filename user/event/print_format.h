/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file print_format.h - an event's print format as libtraceevent has it; for format.c only.
 */
#ifndef TAMIS_EVENT_PRINT_FORMAT_H
#define TAMIS_EVENT_PRINT_FORMAT_H

struct print_format;

/** NULL is fine. */
void print_format__free(struct print_format *p);

#endif
