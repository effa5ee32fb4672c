// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "option_table.h"
#include "options.h"

enum option_value { NO, YES, MAYBE }; /* MAYBE: only as --name=VALUE */

struct option_desc {
	int id;
	char letter;		/* 0: none */
	const char *name;	/* with its dashes */
	enum option_value value;
	const char *arg;	/* what help calls the value */
	unsigned int groups;
	const char *help;
};

#define S OPT_SESSION

/* Of two rows of one letter or name, a command takes the first that it has. */
static const struct option_desc table[] = {
	{ OPT_TRACEPOINTS, 't', "--tracepoints", NO, NULL, OPT_KVM, "count tracepoints of KVM (the default)" },
	{ OPT_DEBUGFS, 'd', "--debugfs", NO, NULL, OPT_KVM, "count KVM's files in debugfs" },
	{ OPT_INCLUDE_PAST, 'i', "--debugfs-include-past", NO, NULL, OPT_KVM, "with what was counted before" },
	{ OPT_VM_PID, 'p', "--pid", YES, "PID", OPT_KVM, "one virtual machine, by its process" },
	{ OPT_GUEST, 'g', "--guest", YES, "NAME", OPT_KVM, "one virtual machine, by its name" },
	{ OPT_LATENCY, 0, "--latency", NO, NULL, OPT_KVM, "time from kvm_exit to kvm_entry, by reason" },
	{ OPT_EVENT, 'e', "--event", YES, "GLOB", OPT_GROUP, "tracepoints to count, sys:name; repeatable" },
	{ OPT_CHILDREN, 0, "--children", YES, "EVENT:FIELD", OPT_GROUP, "count each value of a field of theirs; repeatable" },
	{ OPT_ONCE, 0, "--batch", NO, NULL, OPT_STAT, "the same as --once" },
	{ OPT_LINES, 'l', "--log", NO, NULL, OPT_STAT, "a line for each interval" },
	{ OPT_CSV, 'c', "--csv", NO, NULL, OPT_STAT, "with -l or -L: comma-separated" },
	{ OPT_LOG_FILE, 'L', "--log-to-file", YES, "FILE", OPT_STAT, "like -l, appended to FILE, opened again on SIGHUP" },
	{ OPT_SKIP_ZERO, 'z', "--skip-zero-records", NO, NULL, OPT_STAT, "with -l or -L: no line for an interval without events" },
	{ OPT_DELAY, 's', "--set-delay", YES, "SECONDS", OPT_STAT, "length of an interval (1; at least 0.1)" },
	{ OPT_INTERVAL, 0, "--interval", YES, "MS", OPT_STAT, "the same in milliseconds" },
	{ OPT_FIELDS, 'f', "--fields", YES, "REGEX", OPT_STAT, "only what begins with REGEX; help: lists them" },
	{ OPT_EVENT, 'e', "--event", YES, "EVENT", S,
	  "what to trace: sys:name[/FILTER/ATTR/...], a source or a preset; repeatable" },
	{ OPT_INTERVAL, 'i', "--interval", YES, "MS", OPT_RUN, "every MS milliseconds: __interval__, a block, a line" },
	{ OPT_NUMBER, 'N', "--exit-N", YES, "N", OPT_RUN, "end after N events" },
	{ OPT_SIZE, 'm', "--mmap-pages", YES, "SIZE", S, "ring of each CPU: pages of 4 KiB, or bytes with K, M, G" },
	{ OPT_ORDER, 0, "--order", MAYBE, "MS", S, "sort by time within a window (200 ms)" },
	{ OPT_NO_ORDER, 0, "--no-order", NO, NULL, OPT_TRACE, "as the rings have them" },
	{ OPT_STACK, 'g', "--call-graph", NO, NULL, S | OPT_PROFILE, "kernel and user call chain with each event" },
	{ OPT_USER_CHAIN, 0, "--user-callchain", NO, NULL, S | OPT_PROFILE, "user frames in call chains" },
	{ OPT_KERNEL_CHAIN, 0, "--kernel-callchain", NO, NULL, S | OPT_PROFILE, "kernel frames in call chains" },
	{ OPT_NO_USER_CHAIN, 0, "--no-user-callchain", NO, NULL, S | OPT_PROFILE, "no user frames" },
	{ OPT_NO_KERNEL_CHAIN, 0, "--no-kernel-callchain", NO, NULL, S | OPT_PROFILE, "no kernel frames" },
	{ OPT_WITH, 0, "--with", YES, "LIST", S, "carry in each record: _comm,_ppid,_uid,_nspid,_nstid,_cgroup,_container" },
	{ OPT_TRANSPORT, 0, "--transport", YES, "bpf|perf", S | OPT_PROFILE | OPT_STAT, "how records travel (bpf, where it can be used)" },
	{ OPT_LOW_LATENCY, 0, "--low-latency", NO, NULL, S, "wake for each record: slower producers, no waiting" },
	{ OPT_STRICT_TEXT, 0, "--strict-text", NO, NULL, S, "drop, and count, events whose filtered text cannot be read" },
	{ OPT_USER_FILTER, 0, "--user-filter", NO, NULL, S, "run in user space what the kernel cannot filter" },
	{ OPT_NOSTR, 0, "--nostr", NO, NULL, S, "read no user text" },
	{ OPT_PRESETS, 0, "--presets", YES, "DIR", S, "look for presets here too" },
	{ OPT_TRACEFS, 0, "--tracefs", YES, "DIR", S | OPT_STAT, "where tracefs is mounted" },
	{ OPT_PID, 'p', "--pid", YES, "PID,...", OPT_SCOPE, "whole processes" },
	{ OPT_PID, 0, "--pids", YES, "PID,...", OPT_SCOPE, NULL },
	{ OPT_TID, 't', "--tid", YES, "TID,...", OPT_SCOPE, "single threads" },
	{ OPT_TID, 0, "--tids", YES, "TID,...", OPT_SCOPE, NULL },
	{ OPT_FOLLOW, 0, "--follow", NO, NULL, OPT_SCOPE, "their children too, from their first instruction" },
	{ OPT_NO_FOLLOW, 0, "--no-follow", NO, NULL, OPT_SCOPE, "of a command its first process only" },
	{ OPT_CPU, 'C', "--cpu", YES, "LIST", OPT_SCOPE, "only these CPUs, 0-3,5" },
	{ OPT_CPU, 0, "--cpus", YES, "LIST", OPT_SCOPE, NULL },
	{ OPT_COMM, 0, "--comm", YES, "NAME", OPT_SCOPE, "command name, or a glob" },
	{ OPT_USER, 'u', "--uid", YES, "USER", OPT_SCOPE, "user name or uid" },
	{ OPT_CGROUP, 0, "--cgroup", YES, "CG", OPT_SCOPE, "a cgroup and all below it; repeatable" },
	{ OPT_CGROUP, 0, "--cgroups", YES, "CG", OPT_SCOPE, NULL },
	{ OPT_EXACT, 0, "--exact", NO, NULL, OPT_SCOPE, "cgroups without what is below them" },
	{ OPT_CONTAINER, 0, "--container", YES, "NAME|ID", OPT_SCOPE, "a container by name, id or start of an id" },
	{ OPT_PIDNS, 0, "--pidns", YES, "PID", OPT_SCOPE, "the pid namespace of that process" },
	{ OPT_SELF, 0, "--self", NO, NULL, OPT_SCOPE, "tamis's own events too" },
	{ OPT_KEEP, 0, "--keep", NO, NULL, OPT_SCOPE, "wait on when nothing in scope is left" },
	{ OPT_OUT, 'o', "--output", YES, "FILE", OPT_OUTPUT, "write there (SIGUSR1 reopens it)" },
	{ OPT_JSON, 0, "--json", NO, NULL, OPT_TRACE | OPT_TOP, "one JSON object a line" },
	{ OPT_SHOW, 0, "--show", YES, "LIST", OPT_TRACE, "only these fields; container, cgroup, comm, ... add columns" },
	{ OPT_SORT, 0, "--sort", YES, "COLUMN", OPT_TOP, "sort the table by this column" },
	{ OPT_ONCE, '1', "--once", NO, NULL, OPT_TOP | OPT_STAT, "one interval, then end" },
	{ OPT_QUIET, 'q', "--quiet", NO, NULL, OPT_OUTPUT | OPT_STAT, "no notices" },
	{ OPT_VERBOSE, 'v', "--verbose", NO, NULL, OPT_OUTPUT, "say more, and keep counting what is rejected" },
	{ OPT_ON_ERROR, 0, "--on-error", YES, "stop|continue", OPT_PYTHON, "when a callback raises (stop)" },
	{ OPT_BATCH_OUTPUT, 0, "--batch-output", NO, NULL, OPT_PYTHON, "do not flush each line of a pipe" },
	{ OPT_VENV, 0, "--venv", YES, "DIR", OPT_PYTHON, "use this virtual environment" },
	{ OPT_PERF_MAP, 0, "--perf-map", NO, NULL, OPT_PYTHON, "let profilers see the script's functions (Python 3.12)" },
	{ OPT_FREQUENCY, 'F', "--freq", YES, "HZ", OPT_PROFILE, "samples a second and CPU" },
	{ OPT_FLAME, 0, "--flame-graph", YES, "FILE", OPT_PROFILE, "write a flame graph, .svg or .html" },
	{ OPT_FOLDED, 0, "--folded", NO, NULL, OPT_PROFILE, "print folded stacks" },
	{ OPT_THAN, 0, "--than", YES, "PCT", OPT_PROFILE, "hide what has less than PCT percent" },
	{ OPT_NO_DEMANGLE, 0, "--no-demangle", NO, NULL, S | OPT_PROFILE, "C++ and Rust names as they are in the file" },
	{ OPT_PERF_MAP_DIR, 0, "--perf-map-dir", YES, "DIR", S | OPT_PROFILE, "where perf-PID.map files are" },
	{ OPT_UNWIND, 0, "--unwind", YES, "auto|fp|dwarf", OPT_PROFILE,
	  "how user stacks are followed: by frame pointers, by tables, or as each process needs it" },
	{ OPT_HELP, 'h', "--help", NO, NULL, ~0u, "this text" },
};

#undef S

static const struct option_desc *by_name(unsigned int groups, const char *name, size_t len)
{
	const struct option_desc *d;

	for (d = table; d < table + ARRAY_SIZE(table); d++)
		if (d->groups & groups && strlen(d->name) == len && !strncmp(d->name, name, len))
			return d;
	return NULL;
}

static const struct option_desc *by_letter(unsigned int groups, int letter)
{
	const struct option_desc *d;

	for (d = table; d < table + ARRAY_SIZE(table); d++)
		if (d->groups & groups && d->letter == letter)
			return d;
	return NULL;
}

/* Is it this command's, under this name? */
static bool is_taken(unsigned int groups, const struct option_desc *d)
{
	return d->groups & groups && by_name(groups, d->name, strlen(d->name)) == d;
}

static bool has_letter(unsigned int groups, const struct option_desc *d)
{
	return d->letter && by_letter(groups, d->letter) == d;
}

static int takes_long(unsigned int groups, const char *word)
{
	size_t len = strcspn(word, "=");
	const struct option_desc *d = by_name(groups, word, len);

	return d ? d->value == YES && !word[len] : -1;
}

/* A cluster of letters is ours if all of its letters are. */
static int takes_letters(unsigned int groups, const char *word)
{
	const struct option_desc *d;

	for (word++; *word; word++) {
		d = by_letter(groups, *word);
		if (!d)
			return -1;
		if (d->value == YES)
			return !word[1];
	}
	return 0;
}

int option_table__takes(unsigned int groups, const char *word)
{
	if (word[0] != '-' || !word[1] || !strcmp(word, "--"))
		return -1;
	return word[1] == '-' ? takes_long(groups, word) : takes_letters(groups, word);
}

int option_table__id(unsigned int groups, int letter)
{
	const struct option_desc *d = by_letter(groups, letter);

	return d ? d->id : '?';
}

void option_table__getopt(unsigned int groups, struct option longs[OPTIONS_MAX + 1],
			  char shorts[3 * OPTIONS_MAX])
{
	const struct option_desc *d;

	*shorts++ = ':';
	for (d = table; d < table + ARRAY_SIZE(table); d++) {
		if (is_taken(groups, d))
			*longs++ = (struct option){d->name + 2, (int)d->value, NULL, d->id};
		if (!has_letter(groups, d))
			continue;
		*shorts++ = d->letter;
		if (d->value == YES)
			*shorts++ = ':';
	}
	*longs = (struct option){0};
	*shorts = 0;
}

size_t option_table__names(unsigned int groups, const char *names[OPTIONS_MAX])
{
	const struct option_desc *d;
	size_t n = 0;

	for (d = table; d < table + ARRAY_SIZE(table); d++)
		if (is_taken(groups, d))
			names[n++] = d->name;
	return n;
}

void option_table__help(struct strbuf *b, unsigned int groups)
{
	const struct option_desc *d;

	strbuf__puts(b, "Options:\n");
	for (d = table; d < table + ARRAY_SIZE(table); d++) {
		char left[64], letter = has_letter(groups, d) ? d->letter : ' ';

		if (!is_taken(groups, d) || !d->help)
			continue;
		snprintf(left, sizeof(left), d->value == MAYBE ? "%s[=%s]" : "%s %s", d->name,
			 d->arg ? d->arg : "");
		strbuf__printf(b, "  %c%c%c %-28s %s\n", letter == ' ' ? ' ' : '-', letter,
			       letter == ' ' ? ' ' : ',', left, d->help);
	}
}
