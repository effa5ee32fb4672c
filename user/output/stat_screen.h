/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file stat_screen.h - the live table of counters on a terminal, and questions below it.
 *
 * One at a time: the terminal is the process's. Sizes are looked at anew for each drawing; what does
 * not fit is cut.
 */
#ifndef TAMIS_OUTPUT_STAT_SCREEN_H
#define TAMIS_OUTPUT_STAT_SCREEN_H

#include "../base/err.h"
#include "../base/types.h"

struct stat_screen_row {
	char name[96];
	bool indented;
	u64 total;
	double rate;		/**< per second; negative: not known yet */
};

struct stat_screen_table {
	const char *title;	/**< the first line */
	const char *note;	/**< the second, NULL: none */
	const char *heading;	/**< of the first column */
	const struct stat_screen_row *rows;
	size_t nr;
	u64 total;		/**< what shares are of */
	double rate;
};

/** @return 0; -ENOTTY, ... with @err set */
int stat_screen__open(struct err *err);
/** Gives the terminal back as it was. May be called twice. */
void stat_screen__close(void);
void stat_screen__draw(const struct stat_screen_table *t);
/** Lines of text in place of the table, until the next drawing. */
void stat_screen__text(const char *const *lines);
/** A key that was pressed; 0: none; 12 (Ctrl-L) also after the size has changed. */
int stat_screen__key(void);
/** Puts @question and what was typed so far into the first line. */
void stat_screen__ask(const char *question, const char *answer, const char *complaint);
/** Is nobody at the other end of the terminal any more? */
bool stat_screen__gone(void);

#endif
