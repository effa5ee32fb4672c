/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file option_table.h - every option once: name, letter, value, help and who takes it.
 */
#ifndef TAMIS_OPTION_TABLE_H
#define TAMIS_OPTION_TABLE_H

#include <getopt.h>
#include "base/strbuf.h"

/** Behind every letter, so that one int names both. */
enum option_id {
	OPT_FIRST = 256,
	OPT_EVENT, OPT_PRESETS, OPT_SIZE, OPT_WITH, OPT_TRANSPORT, OPT_ORDER, OPT_NO_ORDER, OPT_STACK,
	OPT_USER_CHAIN, OPT_KERNEL_CHAIN, OPT_NO_USER_CHAIN, OPT_NO_KERNEL_CHAIN, OPT_LOW_LATENCY,
	OPT_STRICT_TEXT, OPT_USER_FILTER, OPT_NOSTR, OPT_TRACEFS,
	OPT_PID, OPT_TID, OPT_FOLLOW, OPT_NO_FOLLOW, OPT_CPU, OPT_COMM, OPT_USER, OPT_CGROUP, OPT_CONTAINER,
	OPT_EXACT, OPT_PIDNS, OPT_SELF, OPT_KEEP,
	OPT_INTERVAL, OPT_NUMBER, OPT_OUT, OPT_QUIET, OPT_VERBOSE, OPT_JSON, OPT_SHOW, OPT_SORT,
	OPT_ONCE, OPT_HELP,
	OPT_VENV, OPT_BATCH_OUTPUT, OPT_ON_ERROR, OPT_PERF_MAP, OPT_PERF_MAP_DIR, OPT_UNWIND,
	OPT_FREQUENCY, OPT_FLAME, OPT_FOLDED, OPT_THAN, OPT_NO_DEMANGLE,
	OPT_TRACEPOINTS, OPT_DEBUGFS, OPT_INCLUDE_PAST, OPT_VM_PID, OPT_GUEST, OPT_LATENCY,
	OPT_CHILDREN, OPT_LINES, OPT_CSV, OPT_LOG_FILE, OPT_SKIP_ZERO, OPT_DELAY, OPT_FIELDS,
};
#define OPTIONS_MAX 96

/**
 * Is @word an option of @groups? @return -1: no; 1: yes, and the next word is its value; 0: yes,
 * complete in itself
 */
int option_table__takes(unsigned int groups, const char *word);
/** @return the option behind a letter */
int option_table__id(unsigned int groups, int letter);
void option_table__getopt(unsigned int groups, struct option longs[OPTIONS_MAX + 1],
			  char shorts[3 * OPTIONS_MAX]);
/** "--name" of each. @return how many */
size_t option_table__names(unsigned int groups, const char *names[OPTIONS_MAX]);
void option_table__help(struct strbuf *b, unsigned int groups);

#endif
