/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file embed.h - the inside of script.h: one interpreter, one script.
 *
 * Everything but script.c, interpreter__start() and venv.c needs the interpreter's lock.
 */
#ifndef TAMIS_EMBED_EMBED_H
#define TAMIS_EMBED_EMBED_H

#include "../pymod/pymod.h"
#include "../session.h"
#include "script.h"

/** What is done with the events of one `-e`. */
struct handler {
	PyObject *call;		/**< takes an event; NULL: none */
	PyObject *batch;	/**< takes a batch, then @call is not used; NULL: none */
	struct kind *kind;	/**< borrowed from the origin; NULL: not seen yet */
};

struct script {
	struct script_opts opts;
	PyThreadState *thread;	/**< of the thread that called script__load(), while it is outside */
	PyObject *module;
	PyObject *names;	/**< names and strings of its code: a set; None: cannot be looked at */
	struct session *session; /**< borrowed; NULL before init */
	struct session_sink sink;
	struct origin *origin;
	struct borrow borrow;
	struct handler *handlers; /**< by event index */
	size_t nr_handlers;
	struct record *grouped;	/**< room for BATCH_MAX records of one kind, when kinds are mixed */

	bool started;		/**< is the interpreter there? */
	bool inited;		/**< has `__init__` returned, or is there none? */
	bool exited;		/**< was `__exit__` called? */
	bool stopped;		/**< a callback ended the run */
	bool failed;		/**< a callback raised */
	int status;		/**< of sys.exit(); -1: was not called */
	PyObject *repeats;	/**< with --on-error=continue: what was raised -> how often since */
	/* for watchdog.c */
	volatile u64 calls;	/**< callbacks so far */
	volatile bool inside;	/**< one of them, or the import, is running */
	bool interrupted;	/**< one was woken out of its sleep: no more of them */
	u64 undelivered;
};

/* --- interpreter.c --- */

/** Starts it, with tamis's package on sys.path. The caller holds the interpreter's lock after. */
int interpreter__start(const struct script_opts *opts, struct err *err);

/* --- venv.c --- */

/**
 * The Python of a virtual environment, checked to be of our version.
 * @return 0 with its path in @python (malloc'ed; NULL: there is no environment); -errno
 */
int venv__find(const char *dir, char **python, struct err *err);

/* --- handlers.c --- */

/** A module-level function. @return NULL without an exception: there is none */
PyObject *script__function(struct script *s, const char *name);
/** Handlers of all events of the session; warns about names that match none. */
int handlers__find(struct script *s, struct err *err);
void handlers__free(struct script *s);
/** Tells the session what the script reads beyond the record. */
int handlers__needs(struct script *s, struct err *err);

/* --- dispatch.c --- */

int dispatch__records(void *ctx, const struct record *recs, int n);
void dispatch__lost(void *ctx, const struct loss *loss);

/* --- raised.c: what scripts raise --- */

/**
 * Takes the current exception: prints it, counts it, or ends the run, as the options say.
 * @event what was being handled; NULL: nothing
 */
void script__raised(struct script *s, struct pevent *event);
/** A module-level function without arguments or with @arg, called once. @arg may be NULL. */
void script__call(struct script *s, const char *name, PyObject *arg);
/** Says what was counted instead of printed. */
void script__say_repeats(struct script *s);

/* --- output.c: stdout as Python has it --- */

int output__line_buffered(void);
/** "%s\n" to sys.stdout; -1 with an exception */
int output__line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/**
 * Is the current exception stdout's fault? Then nothing more is written to it.
 * @return 0: no; 1: its reader has gone, to be passed over in silence; -1: another error of it
 */
int output__broken(void);
/** Writes what is buffered. @return 0; -errno: nothing more is written to it */
int output__flush(void);

/* --- watchdog.c --- */

void watchdog__start(struct script *s);
/** Before the interpreter ends. */
void watchdog__stop(void);
/** Says to Python what an interrupt is; again after each import that may have said otherwise. */
int watchdog__arm(void);

/* --- fork.c --- */

/** Children of os.fork() close our kernel descriptors. */
int fork__prepare(void);

#endif
