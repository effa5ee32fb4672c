/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file spec.h - one EVENT of -e, parsed: what was asked for, before anyone looked whether it
 * exists.
 *
 * The grammar is spec/events.md's. Expressions stay text here; filter/ parses them once the
 * event's fields are known.
 */
#ifndef TAMIS_EVENT_SPEC_H
#define TAMIS_EVENT_SPEC_H

#include "../base/err.h"
#include "../base/types.h"

enum spec_kind {
	SPEC_TRACEPOINT, /**< system and name, maybe with wildcards */
	SPEC_SOURCE, /**< a sampling source: name, options */
	SPEC_FENTRY,
	SPEC_FEXIT,
	SPEC_KPROBE,
	SPEC_KRETPROBE, /**< name (a function), offset */
	SPEC_UPROBE,
	SPEC_URETPROBE, /**< name, offset, file */
	SPEC_USDT, /**< system (provider), name, file */
};

enum transport { TRANSPORT_AUTO, TRANSPORT_BPF, TRANSPORT_PERF };

/** Where user frames come from; bits. */
enum stack_parts {
	STACK_KERNEL = 1,
	STACK_USER = 2,
	STACK_DWARF = 4, /**< user frames by registers and a stack dump */
};

/** What is carried in a record beyond its fields; bits, also of --with. */
enum extra {
	EXTRA_COMM,
	EXTRA_PPID,
	EXTRA_UID,
	EXTRA_NSPID,
	EXTRA_NSTID,
	EXTRA_CGROUP,
	EXTRA_CONTAINER,
	EXTRA_MAX,
};

/** A piece of the text of a spec; at counts from the start of spec->text, for carets. */
struct spec_text {
	char *s; /**< NULL: not given */
	size_t at;
};

enum agg_op { AGG_COUNT, AGG_SUM, AGG_MIN, AGG_MAX, AGG_AVG, AGG_HIST, AGG_LHIST, AGG_MAX_OP };

struct spec_list {
	struct spec_text *v;
	size_t n;
};

struct event_spec {
	char *text; /**< as written, presets expanded; carets point into it */
	enum spec_kind kind;
	char *system, *name, *file;
	u64 offset; /**< +off of a probe */
	struct spec_text filter;
	struct spec_text options; /**< of a source: "-F 997 -g" */
	char *alias;
	char *cpus; /**< "0-3,5" */
	u32 given; /**< the attributes that stand there, so that none stands twice */
	char *preset; /**< the preset this came from, NULL: none */
	u32 preset_use; /**< which use of a preset this is part of; 0: none */
	char *part;	/**< which of a preset's intervals this is: "blocked"; NULL: there is one */
	enum transport transport;
	unsigned int stack; /**< STACK_* bits; 0: no call chain */
	bool stack_default; /**< `stack` without a choice of kernel, user or dwarf */
	unsigned int max_stack; /**< frames; 0: the kernel's default, 127 */
	struct spec_list ustring; /**< field names */
	bool nostr;
	u32 with; /**< 1 << EXTRA_* */
	u32 maxlen; /**< bytes kept of dynamic and user text; 0: the default, 256 */
	u64 sample, rate; /**< 0: not given */
	bool ops[AGG_MAX_OP];
	struct spec_text op[AGG_MAX_OP]; /**< expression of each operator; none for count */
	s64 lhist[3]; /**< LOW, HIGH, STEP */
	struct spec_list by, key, keep;
	bool only_grows;		/**< its table is never cleared; set by the session */
	u32 top, entries; /**< 0: default, 20 and 16384 */
	bool emit;
	char *since; /**< alias of the start event */
	size_t since_at;
	/**
	 * Set by spec__link(). Several events may begin one kind of interval: those that share the
	 * alias. Their open starts are in one map, which belongs to the first of them.
	 */
	struct event_spec *start;	/**< of an end: the first event that since= names */
	struct event_spec *begins;	/**< of a start: the first that shares its alias; NULL: none */
	bool is_start;			/**< some since= names this event */
};

/** A growing list, filled by one spec__parse() for each -e. */
struct event_specs {
	struct event_spec **v;
	size_t n, room;
};

struct log;

/**
 * Parses one argument of -e and appends its events. Presets are looked up in @preset_dirs
 * (NULL-terminated, first match wins). Attributes of perf-prof that mean nothing here get one
 * notice each through @log.
 */
int spec__parse(struct event_specs *specs, const char *text, const char *const *preset_dirs,
		struct log *log, struct err *err);
/** After the last -e: since= must name an alias or event that is there; marks the starts. */
int spec__link(struct event_specs *specs, struct err *err);
void spec__free(struct event_specs *specs);

/** Does it count, sum, ... in the kernel? */
bool spec__aggregates(const struct event_spec *s);
/** Are its records delivered (not only aggregated, not only a start)? */
bool spec__emits(const struct event_spec *s);

#endif
