/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file counts.h - counters that grow: of events, of the values of a field of theirs, by process.
 *
 * A provider gives totals, an interval is what they grew by from one tick to the next.
 */
#ifndef TAMIS_COLLECT_COUNTS_H
#define TAMIS_COLLECT_COUNTS_H

#include <regex.h>
#include "../base/err.h"
#include "../base/types.h"

struct counts;

/** One counter. Strings are owned by the counts. */
struct series {
	const char *event;	/**< "kvm_exit" */
	const char *child;	/**< "kvm_exit(HLT)"; NULL: the event itself */
	u32 tgid;
	u64 total;		/**< as the provider last gave it */
	u64 next;		/**< what it gave since the last tick */
	bool given;		/**< did it? */
	u64 base, before;	/**< of it at the last reset, at the last tick */
	u64 delta;		/**< between the last two ticks */
};

/** A place where totals come from. */
struct count_provider {
	/** Gives the total of everything that it has, by counts__set(). */
	int (*read)(void *ctx, struct counts *c, struct err *err);
	void *ctx;
};

struct counts *counts__new(void);
/** NULL is fine. */
void counts__free(struct counts *c);
/** Declares an event, so that it is shown before anything was counted. @return 0 or -ENOMEM */
int counts__event(struct counts *c, const char *event);
/**
 * A total, as of now. What is given twice between two ticks is added up. @child NULL: the event
 * itself. @return 0 or -ENOMEM
 */
int counts__set(struct counts *c, const char *event, const char *child, u32 tgid, u64 total);
/** After all providers were read at @now (ns). */
void counts__tick(struct counts *c, u64 now);
/** From now on totals count from here. */
void counts__reset(struct counts *c);
/** ns between the last two ticks; 0 before the second. */
u64 counts__interval(const struct counts *c);

struct view {
	const regex_t *fields;	/**< names to show; NULL: all */
	bool children;		/**< show values of fields, too */
	u32 tgid;		/**< 0: all */
	bool by_rate;		/**< order by the last interval, else by total */
};

struct line {
	const char *name;	/**< borrowed from the counts, or static */
	bool child;		/**< its parent is the line above it that is no child */
	u32 tgid;		/**< counts__guests() only */
	u64 total, delta;
};

struct lines {
	struct line *v;		/**< owned */
	size_t n, room;
	u64 total, delta;	/**< of all, each event once */
};

/** Lines by name, sorted as @view says with children below their parents. @return 0 or -ENOMEM */
int counts__lines(const struct counts *c, const struct view *view, struct lines *ret);
/** The same sorted by name alone. */
int counts__by_name(const struct counts *c, const struct view *view, struct lines *ret);
/** A line for each process. */
int counts__guests(const struct counts *c, const struct view *view, struct lines *ret);
void lines__free(struct lines *l);
/** @return the line called @name; NULL: there is none. For lines sorted by name. */
const struct line *lines__find(const struct lines *l, const char *name);

#endif
