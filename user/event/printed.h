/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file printed.h - what an event's print format says about its fields.
 */
#ifndef TAMIS_EVENT_PRINTED_H
#define TAMIS_EVENT_PRINTED_H

#include "field.h"

/** Arrays that are printed with %pI4 %pI6 %pM %pU are bytes, whatever their type. */
void printed__mark_bytes(struct field *fields, size_t n, const char *format_text);

#endif
