/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file live_table.h - tables on a whole terminal, with keys to sort, scroll and pause.
 */
#ifndef TAMIS_OUTPUT_LIVE_TABLE_H
#define TAMIS_OUTPUT_LIVE_TABLE_H

#include "../base/err.h"
#include "table_view.h"

struct live_table;

/** Takes the terminal over. @views stay borrowed. */
int live_table__open(struct live_table **ret, struct table_view *views, size_t n, struct err *err);
/** Gives the terminal back. NULL is fine. */
void live_table__close(struct live_table *l);
/** Handles the keys that were pressed. @return false: the user wants to quit */
bool live_table__keys(struct live_table *l);
/** Is the display held still? Then the tables are not read. */
bool live_table__paused(const struct live_table *l);
void live_table__draw(struct live_table *l);
/** A notice, shown in the last line until the next one. */
void live_table__say(struct live_table *l, const char *line);

#endif
