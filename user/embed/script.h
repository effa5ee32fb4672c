/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file script.h - the user's Python script: loaded, called back, told to end.
 *
 *	load      the interpreter starts, the script is imported; nothing is attached yet
 *	init      `__init__()` runs, handlers are found, the session learns what the script reads
 *	(run)     session__poll() with script__sink(); interval, print_stat
 *	exit      `__exit__()`, exactly once, whatever happened after a successful init
 *	free      threads are joined, the interpreter ends
 *
 * All functions are called by the thread that called script__load(). The interpreter's lock is
 * taken on the way in and given back on the way out, so the script's own threads run whenever
 * tamis waits or works outside these functions: there is nothing to release around poll().
 *
 * What the script raises is printed here (Python's own traceback); struct err tells only what
 * main has to add. One script a process.
 */
#ifndef TAMIS_EMBED_SCRIPT_H
#define TAMIS_EMBED_SCRIPT_H

#include "../base/err.h"
#include "../base/strbuf.h"
#include "../base/types.h"

struct log;
struct script;
struct session;
struct session_sink;

struct script_opts {
	const char *script;		/**< SCRIPT: a path or a module name */
	char *const *args;		/**< its ARGS, NULL-terminated; NULL: none */
	const char *venv;		/**< --venv; NULL: $VIRTUAL_ENV */
	bool on_error_continue;		/**< --on-error=continue */
	bool batch_output;		/**< --batch-output: stdout fully buffered */
	bool perf_map;			/**< --perf-map */
	bool perf_prof;			/**< called as perf-prof */
	bool quiet;			/**< -q: no "Loaded module: PATH" */
	bool order;			/**< --order: `__lost__` is told the times around a gap */
	/**
	 * When the run was asked to end (Ctrl-C, SIGTERM), ns of CLOCK_MONOTONIC, set by a signal
	 * handler; 0: it was not. Until SCRIPT_DRAIN_MS later handlers get what is left; the rest is
	 * counted. May be NULL.
	 */
	const volatile u64 *stopped_at;
	struct log *log;
};

#define SCRIPT_DRAIN_MS 2000

/**
 * From the handler of the first SIGINT or SIGTERM: a callback that still runs about a second later
 * gets a KeyboardInterrupt, which ends it quietly. Async-signal-safe; nothing happens before
 * script__load() and after script__free().
 */
void script__interrupt(void);

/** What the functions below return beside 0 and -errno: end the run, nothing is left to say. */
#define SCRIPT_STOP 1

/** False in a tamis that was built with `make PYTHON=`. */
bool script__available(void);

/**
 * Starts the interpreter and imports the script. Install the handlers of SIGINT, SIGTERM, SIGUSR1
 * and SIGUSR2 before: what the import puts in their place is undone.
 * @return 0; SCRIPT_STOP: it called sys.exit(), end with script__status(); -errno with @err. In
 * each case @ret (maybe NULL) goes to script__free().
 */
int script__load(struct script **ret, const struct script_opts *opts, struct err *err);

/**
 * Calls `__init__()`, finds the handlers of the session's events and says through
 * session__need_extras() and session__need_perf() what they read. Between session__open() and
 * session__attach(); the session stays borrowed until script__free().
 * @return 0; SCRIPT_STOP: `__init__` raised or called sys.exit(); -errno with @err
 */
int script__init(struct script *s, struct session *session, struct err *err);

/** For session__poll(), valid until script__free(). A handler that ends the run: SCRIPT_STOP. */
const struct session_sink *script__sink(struct script *s);

/** Did a callback end the run? Also what a callback told while the sink could not say so. */
bool script__stopped(const struct script *s);

/** `__interval__()`. @return 0 or SCRIPT_STOP */
int script__interval(struct script *s);
/** Prints "live_events: N", then calls `__print_stat__(indent)`. @return 0 or SCRIPT_STOP */
int script__print_stat(struct script *s, int indent);

/** `__exit__()` if init succeeded and it did not run yet; says what on-error=continue counted. */
void script__exit(struct script *s);

/** Kept events that are alive, and records that were not handed to a slow handler at the end. */
void script__counts(const struct script *s, u64 *live_events, u64 *undelivered);
/** @return sys.exit's status; 1 after an error; -1: the script has no opinion */
int script__status(const struct script *s);

/** Joins threads, flushes, ends the interpreter. @return 0; -errno: stdout could not be written */
int script__free(struct script *s, struct err *err);

/**
 * A ready script for the session's events, as `tamis python -e EVENT help` prints it. Starts and
 * ends the interpreter by itself: instead of script__load().
 */
int script__help(const struct script_opts *opts, struct session *session, struct strbuf *out,
		 struct err *err);

/** Version, PYTHONHOME and whether perf maps are supported: lines for `tamis python -h`. */
void script__describe(struct strbuf *out);

#endif
