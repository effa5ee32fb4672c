// SPDX-License-Identifier: GPL-2.0-only
/* stat_live.c - the live table and its keys. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/clock.h"
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "../output/stat_screen.h"
#include "../scope/guests.h"
#include "stat_run.h"

struct live {
	struct stat_run *r;
	bool by_guest, help, quit;
	struct strbuf title, note;
	char filter[128]; /* what the key f was told */
	char guest[64];
	/* a question that is open */
	const char *question, *complaint;
	char answer[128];
	bool (*take)(struct live *l); /* @return false: the answer is no good */
};

static const char *const help[] = {
	"Keys:",
	"  b   by guest or process, and back",
	"  c   clear filters",
	"  f   filter events by a regular expression",
	"  g   one guest, by name",
	"  h   this help",
	"  o   order by total or by current rate",
	"  p   one guest or process, by pid",
	"  q   quit",
	"  r   reset: count from now on",
	"  s   set the length of an interval",
	"  x   values of fields (exit reasons): on, off",
	"Any other key refreshes now.",
	NULL,
};

static void set_heading(struct live *l)
{
	const struct view *v = &l->r->view;

	strbuf__reset(&l->title);
	strbuf__printf(&l->title, "%s", l->r->title);
	if (v->tgid)
		strbuf__printf(&l->title, " - pid %u", v->tgid);
	else
		strbuf__puts(&l->title, " - summary");
	if (v->tgid && l->guest[0])
		strbuf__printf(&l->title, " (%s)", l->guest);
	strbuf__reset(&l->note);
	if (l->filter[0])
		strbuf__printf(&l->note, "Filter: %s", l->filter);
}

/* One that is gone is not shown; what it counted stays in the totals. */
static bool name_guest(char *name, size_t room, u32 pid)
{
	struct strbuf b = {0};
	bool there;

	if (!pid)
		strbuf__puts(&b, "(idle)");
	there = (!pid || guest__name(pid, &b)) && b.s;
	if (there)
		snprintf(name, room, "%7u  %s", pid, b.s);
	strbuf__free(&b);
	return there;
}

static size_t fill_rows(struct live *l, const struct lines *lines, struct stat_screen_row *rows)
{
	u64 interval = counts__interval(l->r->counts);
	size_t i, n = 0;

	for (i = 0; i < lines->n; i++) {
		const struct line *line = &lines->v[i];
		struct stat_screen_row *row = &rows[n];

		if (!line->total && !line->delta)
			continue;
		row->indented = line->child;
		row->total = line->total;
		row->rate = interval ? line->delta * 1e9 / interval : -1;
		snprintf(row->name, sizeof(row->name), "%s", line->name);
		if (!l->by_guest || name_guest(row->name, sizeof(row->name), line->tgid))
			n++;
	}
	return n;
}

static int draw(struct live *l, struct err *err)
{
	_cleanup_free_ struct stat_screen_row *rows = NULL;
	u64 interval = counts__interval(l->r->counts);
	struct lines lines;
	int ret = l->by_guest ? counts__guests(l->r->counts, &l->r->view, &lines)
			      : counts__lines(l->r->counts, &l->r->view, &lines);

	if (!ret)
		rows = malloc((lines.n + 1) * sizeof(*rows));
	if (!rows)
		return err__set(err, ENOMEM, "out of memory");
	set_heading(l);
	stat_screen__draw(&(struct stat_screen_table){
		.title = l->title.s,
		.note = l->note.len ? l->note.s : NULL,
		.heading = !l->by_guest	  ? "Event"
			   : l->r->guests ? "    Pid  Guest"
					  : "    Pid  Process",
		.rows = rows,
		.nr = fill_rows(l, &lines, rows),
		.total = lines.total,
		.rate = interval ? lines.delta * 1e9 / interval : -1,
	});
	lines__free(&lines);
	return 0;
}

static int show(struct live *l, struct err *err)
{
	if (l->question)
		stat_screen__ask(l->question, l->answer, l->complaint);
	else if (l->help)
		stat_screen__text(help);
	else
		return draw(l, err);
	return 0;
}

static void ask(struct live *l, const char *question, bool (*take)(struct live *l))
{
	l->question = question;
	l->take = take;
	l->complaint = NULL;
	l->answer[0] = 0;
}

static void clear_fields(struct live *l)
{
	if (l->r->filtering)
		regfree(&l->r->filter);
	l->r->filtering = false;
	l->filter[0] = 0;
	l->r->view.fields = NULL;
}

static bool take_filter(struct live *l)
{
	struct err err = {0};
	regex_t re;

	if (!l->answer[0]) {
		clear_fields(l);
		return true;
	}
	if (stat_fields__compile(&re, l->answer, &err)) {
		l->complaint = "no regular expression";
		return false;
	}
	clear_fields(l);
	l->r->filter = re;
	l->r->filtering = true;
	l->r->view.fields = &l->r->filter;
	/* A pattern with a parenthesis means values, as -f does. */
	if (strpbrk(l->answer, "(["))
		l->r->view.children = true;
	snprintf(l->filter, sizeof(l->filter), "%s", l->answer);
	return true;
}

static void select_pid(struct live *l, u32 pid)
{
	struct strbuf b = {0};

	l->r->view.tgid = pid;
	l->guest[0] = 0;
	if (pid && guest__name(pid, &b) && b.s)
		snprintf(l->guest, sizeof(l->guest), "%s", b.s);
	strbuf__free(&b);
}

static bool take_pid(struct live *l)
{
	char *end;
	unsigned long pid = strtoul(l->answer, &end, 10);
	char path[32];

	snprintf(path, sizeof(path), "/proc/%lu", pid);
	if (*end || (pid && access(path, F_OK))) {
		l->complaint = "no such process";
		return false;
	}
	select_pid(l, pid);
	return true;
}

static bool take_guest(struct live *l)
{
	u32 pids[2];
	size_t n = l->answer[0] ? guests__find(l->answer, pids, 2) : 0;

	if (l->answer[0] && n != 1) {
		l->complaint = n ? "several guests have this name; use p"
				 : "no guest has this name";
		return false;
	}
	select_pid(l, n ? pids[0] : 0);
	return true;
}

static bool take_interval(struct live *l)
{
	char *end;
	double v = l->answer[0] ? strtod(l->answer, &end) : l->r->o->delay;

	if ((l->answer[0] && *end) || !(v >= 0.1) || v > 86400) {
		l->complaint = "a number of seconds, at least 0.1";
		return false;
	}
	l->r->delay = v;
	return true;
}

static void answer_key(struct live *l, int key)
{
	size_t n = strlen(l->answer);

	if (key == '\n' || key == '\r') {
		if (l->take(l))
			l->question = NULL;
		else
			l->answer[0] = 0;
	} else if (key == 27) {
		l->question = NULL;
	} else if ((key == 127 || key == 8) && n) {
		l->answer[n - 1] = 0;
	} else if (key < 256 && isprint(key) && n + 1 < sizeof(l->answer)) {
		l->answer[n] = key;
		l->answer[n + 1] = 0;
	}
}

static void clear_filters(struct live *l)
{
	clear_fields(l);
	select_pid(l, 0);
}

/* @return true: a new interval begins */
static bool press(struct live *l, int key)
{
	l->help = false;
	switch (key) {
	case 'b':
		l->by_guest = !l->by_guest;
		return false;
	case 'c':
		clear_filters(l);
		return false;
	case 'f':
		ask(l, "Show events that begin with this regular expression (none: all)",
		    take_filter);
		return false;
	case 'g':
		ask(l, "Show the guest of this name (none: all)", take_guest);
		return false;
	case 'h':
		l->help = true;
		return false;
	case 'o':
		l->r->view.by_rate = !l->r->view.by_rate;
		return false;
	case 'p':
		ask(l, "Show the process of this pid (none: all)", take_pid);
		return false;
	case 'q':
		l->quit = true;
		return false;
	case 'r':
		counts__reset(l->r->counts);
		return false;
	case 's':
		ask(l, "Seconds of an interval (none: as it was at start)", take_interval);
		return true;
	case 'x':
		l->r->view.children = !l->r->view.children;
		return false;
	case 12:
		return false; /* the size has changed */
	default:
		return true;
	}
}

/* All keys that wait. @return true: counters are to be read now */
static bool serve_keys(struct live *l)
{
	bool refresh = false;
	int key;

	while (!l->quit && (key = stat_screen__key())) {
		if (l->question && key != 12)
			answer_key(l, key);
		else
			refresh |= press(l, key);
	}
	return refresh;
}

static int run(struct live *l, struct err *err)
{
	struct stat_run *r = l->r;
	int ret = show(l, err);

	while (!ret && !l->quit && !stat_run__over(r)) {
		bool readable;

		ret = stat_run__wait(r, STDIN_FILENO, err);
		readable = ret > 0;
		if (ret < 0)
			break;
		ret = 0;
		if (readable && stat_screen__gone())
			break;
		if (serve_keys(l) || clock__ns(CLOCK_MONOTONIC) >= r->next)
			ret = stat_run__tick(r, err);
		if (!ret)
			ret = show(l, err);
	}
	return ret;
}

int stat_live(struct stat_run *r, struct err *err)
{
	struct live l = {.r = r};
	int ret = stat_screen__open(err);

	if (ret)
		return ret;
	if (r->filter_text)
		snprintf(l.filter, sizeof(l.filter), "%s", r->filter_text);
	if (r->view.tgid)
		select_pid(&l, r->view.tgid);
	ret = run(&l, err);
	stat_screen__close();
	if (r->filtering)
		regfree(&r->filter);
	strbuf__free(&l.title);
	strbuf__free(&l.note);
	return ret;
}
