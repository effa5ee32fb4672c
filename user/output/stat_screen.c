// SPDX-License-Identifier: GPL-2.0-only
#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "stat_screen.h"

#define NUMBERS 31 /* columns of total, share and rate */
#define CTRL_L	12

/* curses keeps the terminal in globals of its own. */
static SCREEN *screen;

int stat_screen__open(struct err *err)
{
	/* initscr() would exit where the terminal is not known. */
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return err__set(err, ENOTTY,
				"this terminal cannot show a table (TERM?); use -l or -1");
	set_term(screen);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return 0;
}

void stat_screen__close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

/* A line of the screen; beyond its edges nothing is written. */
static void put(int y, int x, const char *s)
{
	if (y >= 0 && y < LINES && x < COLS)
		mvaddnstr(y, x, s, COLS - x);
}

static void put_numbers(int y, const char *total, const char *share, const char *rate)
{
	char text[64];

	snprintf(text, sizeof(text), "%12s %7s %9s ", total, share, rate);
	if (COLS > NUMBERS + 8)
		put(y, COLS - NUMBERS, text);
	else if (COLS > 13)
		put(y, COLS - 13, total[0] ? text : "");
}

/* The name, then its numbers over what of it is too long. */
static void put_line(int y, const char *name, bool indented, const char *total, const char *share,
		     const char *rate)
{
	move(y, 0);
	clrtoeol();
	put(y, indented ? 3 : 1, name);
	put_numbers(y, total, share, rate);
}

static void rate_text(char *text, size_t room, double rate)
{
	if (rate < 0)
		snprintf(text, room, "-");
	else if (rate > 0 && rate < 10)
		snprintf(text, room, "%.1f", rate);
	else
		snprintf(text, room, "%.0f", rate);
}

static void put_row(int y, const char *name, bool indented, u64 total, u64 of, double rate)
{
	char t[32], s[16], r[32];

	snprintf(t, sizeof(t), "%llu", (unsigned long long)total);
	if (of)
		snprintf(s, sizeof(s), "%.1f", 100.0 * total / of);
	else
		snprintf(s, sizeof(s), "-");
	rate_text(r, sizeof(r), rate);
	put_line(y, name, indented, t, s, r);
}

void stat_screen__draw(const struct stat_screen_table *t)
{
	int y = 0, last = LINES - 1;
	size_t i;

	erase();
	attron(A_BOLD);
	put(y++, 0, t->title);
	attroff(A_BOLD);
	if (t->note)
		put(y++, 0, t->note);
	attron(A_REVERSE);
	if (y < LINES)
		mvhline(y, 0, ' ', COLS);
	put(y, 1, t->heading);
	put_numbers(y++, "Total", "%Total", "CurAvg/s");
	attroff(A_REVERSE);
	for (i = 0; i < t->nr && y < last; i++, y++)
		put_row(y, t->rows[i].name, t->rows[i].indented, t->rows[i].total, t->total,
			t->rows[i].rate);
	if (!t->nr && y < last)
		put(y++, 1, "No matching events reported yet");
	attron(A_BOLD);
	if (y <= last)
		put_row(y, "Total", false, t->total, t->total, t->rate);
	attroff(A_BOLD);
	refresh();
}

void stat_screen__text(const char *const *lines)
{
	int y;

	erase();
	for (y = 0; lines[y]; y++)
		put(y, 0, lines[y]);
	refresh();
}

int stat_screen__key(void)
{
	int key = getch();

	if (key == KEY_RESIZE)
		return CTRL_L;
	if (key == KEY_BACKSPACE)
		return 127;
	if (key == KEY_ENTER)
		return '\n';
	return key == ERR ? 0 : key;
}

void stat_screen__ask(const char *question, const char *answer, const char *complaint)
{
	erase();
	attron(A_BOLD);
	put(0, 0, question);
	attroff(A_BOLD);
	if (complaint)
		put(3, 0, complaint);
	put(1, 0, "> ");
	put(1, 2, answer);
	refresh();
}

bool stat_screen__gone(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR | POLLNVAL);
}
