/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file stat_run.h - counters in all their modes: live, once, a line for each interval.
 */
#ifndef TAMIS_CMD_STAT_RUN_H
#define TAMIS_CMD_STAT_RUN_H

#include "../collect/counts.h"
#include "stat_opts.h"

struct perf_counts;
struct scope;
struct stat_tables;

struct stat_run {
	const struct stat_opts *o;
	struct count_provider providers[3];
	size_t nr_providers;
	struct session *session;	/**< NULL: no provider needs one */
	struct counts *counts;		/**< events are declared in it */
	struct view view;
	const char *title;		/**< of the live table */
	bool guests;			/**< processes are virtual machines */
	regex_t filter;			/**< of the key f; in use with @filtering */
	bool filtering;
	const char *filter_text;
	/* what stat_run__count() opens */
	struct perf_counts *perf;
	struct scope *scope;
	struct workload *workload;	/**< without a session */
	/* what follows is stat_run()'s */
	int signal_fd;
	int workload_status;		/**< of @workload; -1: still running */
	u64 next;			/**< end of the interval, ns */
	double delay;
	bool ended;			/**< the workload, or whatever is in scope */
};

/**
 * Makes a provider of @t: by BPF in a session, or where that cannot be, by perf events. @tgid the
 * only process to look at; 0: all of them.
 */
int stat_run__count(struct stat_run *r, struct stat_tables *t, u32 tgid, struct err *err);
/** Starts the workload, if there is one, where no session does. */
int stat_run__spawn(struct stat_run *r, struct err *err);
/** Closes what stat_run__count() opened. */
void stat_run__close(struct stat_run *r);
/** Attaches the session, counts until it is to end. @return exit status, or -errno with @err */
int stat_run(struct stat_run *r, struct err *err);

/** Reads all providers and ends an interval. */
int stat_run__tick(struct stat_run *r, struct err *err);
/**
 * Waits for the end of the interval; returns before when a signal came, the session has ended,
 * or @fd (-1: none) is readable. @return 1: @fd is; 0; -errno with @err
 */
int stat_run__wait(struct stat_run *r, int fd, struct err *err);
/** Ctrl-C or the end of what was watched. */
bool stat_run__over(const struct stat_run *r);

/** Notices go to stderr. libbpf is silenced: what it has to say is in our messages. */
void stat_log(struct log *log);

/** stat_live.c: the table on a terminal. */
int stat_live(struct stat_run *r, struct err *err);

#endif
