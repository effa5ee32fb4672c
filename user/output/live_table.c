// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live_table.h"

struct live_table {
	struct table_view *views; /* borrowed */
	size_t nr, shown;
	SCREEN *screen;
	int top; /* first line of the text that is seen */
	int lines; /* of the text */
	bool paused, details;
	struct strbuf text;
	char notice[256];
};

int live_table__open(struct live_table **ret, struct table_view *views, size_t n, struct err *err)
{
	struct live_table *l = calloc(1, sizeof(*l));

	if (!l)
		return err__set(err, ENOMEM, "out of memory");
	l->views = views;
	l->nr = n;
	l->details = true;
	l->screen = newterm(NULL, stdout, stdin);
	if (!l->screen) {
		free(l);
		return err__set(err, ENOTTY, "the terminal (TERM=%s) is not known: use | cat",
				getenv("TERM") ? getenv("TERM") : "");
	}
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	*ret = l;
	return 0;
}

void live_table__close(struct live_table *l)
{
	if (!l)
		return;
	endwin();
	delscreen(l->screen);
	strbuf__free(&l->text);
	free(l);
}

bool live_table__paused(const struct live_table *l)
{
	return l->paused;
}

void live_table__say(struct live_table *l, const char *line)
{
	snprintf(l->notice, sizeof(l->notice), "%s", line);
}

/* --- keys --- */

static void sort_by_next(struct table_view *v, int step)
{
	unsigned int n = SORT_KEY + (unsigned int)table__nr_parts(v->table);

	do {
		v->sort = (v->sort + n + (unsigned int)step) % n;
	} while (!table_view__has(v, v->sort));
	table_view__sort(v);
}

static void scroll_by(struct live_table *l, int lines)
{
	int last = l->lines - (LINES - 2);

	l->top += lines;
	if (l->top > last)
		l->top = last;
	if (l->top < 0)
		l->top = 0;
}

/* @return false: quit */
static bool key(struct live_table *l, int c)
{
	struct table_view *v = &l->views[l->shown];

	switch (c) {
	case 'q':
		return false;
	case KEY_RIGHT:
	case 's':
		sort_by_next(v, 1);
		break;
	case KEY_LEFT:
	case 'S':
		sort_by_next(v, -1);
		break;
	case 'r':
		v->ascending = !v->ascending;
		table_view__sort(v);
		break;
	case ' ':
	case 'p':
		l->paused = !l->paused;
		break;
	case 'h':
		l->details = !l->details;
		break;
	case '\t':
		l->shown = (l->shown + 1) % l->nr;
		l->top = 0;
		break;
	case KEY_DOWN:
		scroll_by(l, 1);
		break;
	case KEY_UP:
		scroll_by(l, -1);
		break;
	case KEY_NPAGE:
		scroll_by(l, LINES - 3);
		break;
	case KEY_PPAGE:
		scroll_by(l, 3 - LINES);
		break;
	case KEY_HOME:
		l->top = 0;
		break;
	default:
		break;
	}
	return true;
}

bool live_table__keys(struct live_table *l)
{
	bool pressed = false;
	int c;

	while ((c = getch()) != ERR) {
		pressed = true;
		if (!key(l, c))
			return false;
	}
	if (pressed)
		live_table__draw(l);
	return true;
}

/* --- drawing --- */

static void add_line(struct live_table *l, int *at, const char *s, size_t len)
{
	int y = *at - l->top + 2;

	if (y >= 2 && y < LINES - 1)
		mvaddnstr(y, 0, s, len < (size_t)COLS ? (int)len : COLS);
	++*at;
}

static void add_lines(struct live_table *l, int *at, const char *s)
{
	size_t len;

	for (; s && *s; s += len + (s[len] == '\n')) {
		len = strcspn(s, "\n");
		add_line(l, at, s, len);
	}
}

static void draw_rows(struct live_table *l, const struct table_view *v)
{
	int at = 0;

	for (size_t i = 0; i < v->now.nr; i++) {
		strbuf__reset(&l->text);
		table_view__row(&l->text, v, &v->now.rows[i]);
		add_lines(l, &at, l->text.s);
		strbuf__reset(&l->text);
		if (l->details)
			table_view__details(&l->text, v, &v->now.rows[i], (unsigned int)COLS);
		add_lines(l, &at, l->text.len ? l->text.s : NULL);
	}
	l->lines = at;
}

static void draw_bottom(const struct live_table *l)
{
	attron(A_DIM);
	mvaddnstr(LINES - 1, 0,
		  *l->notice
			  ? l->notice
			  : "q quit  s/S sort  r reverse  space pause  h details  TAB next table",
		  COLS);
	attroff(A_DIM);
}

void live_table__draw(struct live_table *l)
{
	const struct table_view *v = &l->views[l->shown];

	erase();
	strbuf__reset(&l->text);
	table_view__title(&l->text, v);
	if (l->nr > 1)
		strbuf__printf(&l->text, "  [%zu of %zu]", l->shown + 1, l->nr);
	if (l->paused)
		strbuf__puts(&l->text, "  [paused]");
	mvaddnstr(0, 0, l->text.s, COLS);
	strbuf__reset(&l->text);
	table_view__heading(&l->text, v);
	attron(A_REVERSE);
	mvaddnstr(1, 0, l->text.s, COLS);
	attroff(A_REVERSE);
	draw_rows(l, v);
	draw_bottom(l);
	refresh();
}
