// SPDX-License-Identifier: GPL-2.0-only
/* script.c - the life of a script: script.h over the other files of this folder. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <signal.h>
#include "../base/log.h"
#include "../pymod/session_names.h"
#include "embed.h"

bool script__available(void)
{
	return true;
}

static void enter(struct script *s)
{
	PyEval_RestoreThread(s->thread);
}

static void leave(struct script *s)
{
	s->thread = PyEval_SaveThread();
}

/* --- signals are the command's --- */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE};

struct saved_signals {
	struct sigaction action[ARRAY_SIZE(signals)];
};

static void save_signals(struct saved_signals *saved)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], NULL, &saved->action[i]);
}

static void restore_signals(const struct saved_signals *saved)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &saved->action[i], NULL);
}

/* A closed pipe is an error of print(), not the end of the process before `__exit__`. */
static void ignore_sigpipe(void)
{
	struct sigaction now;

	sigaction(SIGPIPE, NULL, &now);
	if (now.sa_handler == SIG_DFL)
		signal(SIGPIPE, SIG_IGN);
}

/* --- load --- */

static int append_arg(PyObject *argv, const char *arg)
{
	_cleanup_decref_ PyObject *text = PyUnicode_DecodeFSDefault(arg);

	return text ? PyList_Append(argv, text) : -1;
}

static int set_argv(const struct script_opts *opts)
{
	_cleanup_decref_ PyObject *argv = PyList_New(0);
	char *const *arg;

	if (!argv || append_arg(argv, opts->script))
		return -1;
	for (arg = opts->args; arg && *arg; arg++)
		if (append_arg(argv, *arg))
			return -1;
	return PySys_SetObject("argv", argv);
}

/* The loader is Python (tamis/_load.py): it returns (module, names of its code or None). */
static int import_script(struct script *s)
{
	_cleanup_decref_ PyObject *loader = PyImport_ImportModule("tamis._load");
	_cleanup_decref_ PyObject *name = PyUnicode_DecodeFSDefault(s->opts.script);
	_cleanup_decref_ PyObject *pair = NULL;

	if (!loader || !name)
		return -1;
	pair = PyObject_CallMethod(loader, "load", "O", name);
	if (!pair || !PyArg_ParseTuple(pair, "OO", &s->module, &s->names))
		return -1;
	Py_INCREF(s->module);
	Py_INCREF(s->names);
	return 0;
}

static int say_loaded(struct script *s)
{
	_cleanup_decref_ PyObject *file = PyObject_GetAttrString(s->module, "__file__");
	const char *path = file && PyUnicode_Check(file) ? PyUnicode_AsUTF8(file) : NULL;

	PyErr_Clear();
	if (s->opts.quiet)
		return 0;
	return output__line("Loaded module: %s", path ? path : s->opts.script);
}

static int prepare(struct script *s)
{
	if (!s->opts.batch_output && output__line_buffered())
		return -1;
	return set_argv(&s->opts) || fork__prepare() ? -1 : 0;
}

/* --perf-map: what profilers are to see is set up around the import (tamis/perf_map.py). */
static int perf_map(struct script *s, const char *step, PyObject *arg)
{
	_cleanup_decref_ PyObject *module = NULL, *ret = NULL;

	if (!s->opts.perf_map)
		return 0;
	module = PyImport_ImportModule("tamis.perf_map");
	if (module)
		ret = PyObject_CallMethod(module, step, arg ? "O" : NULL, arg);
	return ret ? 0 : -1;
}

static int load(struct script *s, struct err *err)
{
	struct saved_signals saved;
	int ret;

	ignore_sigpipe();
	save_signals(&saved);
	s->inside = true;
	ret = prepare(s) || watchdog__arm() || perf_map(s, "_start", NULL) || import_script(s) ||
	      perf_map(s, "_compile", s->module) || say_loaded(s) || watchdog__arm();
	s->inside = false;
	restore_signals(&saved);
	if (!ret)
		return 0;
	script__raised(s, NULL);
	if (!s->failed)
		return SCRIPT_STOP;
	return err__set(err, ENOEXEC, "Failed to load Python module: %s", s->opts.script);
}

int script__load(struct script **ret, const struct script_opts *opts, struct err *err)
{
	struct script *s = calloc(1, sizeof(*s));
	int status;

	*ret = s;
	if (!s)
		return err__set(err, ENOMEM, "no memory for a script");
	s->opts = *opts;
	s->status = -1;
	s->sink = (struct session_sink){dispatch__records, dispatch__lost, s};
	if (opts->perf_map && PY_VERSION_HEX < 0x030c0000)
		return err__set(err, ENOTSUP, "--perf-map needs Python 3.12 or later, and this tamis has %s",
				PY_VERSION);
	status = interpreter__start(opts, err);
	s->started = Py_IsInitialized();
	if (!status) {
		watchdog__start(s);
		s->borrow.thread = PyThread_get_thread_ident();
		status = load(s, err);
	}
	if (s->started)
		leave(s);
	return status;
}

/* --- init --- */

/* tamis.tables: from here on it is this session's. */
static int set_tables(struct script *s)
{
	_cleanup_decref_ PyObject *module = PyImport_ImportModule("_tamis"), *tables = NULL;

	tables = module ? PyObject_GetAttrString(module, "_tables") : NULL;
	if (!tables)
		return -1;
	tables__set_origin(tables, s->origin);
	return 0;
}

static int init(struct script *s, struct err *err)
{
	struct saved_signals saved;
	int ret;

	save_signals(&saved);
	script__call(s, "__init__", NULL);
	if (watchdog__arm())
		script__raised(s, NULL);
	restore_signals(&saved);
	if (s->stopped || s->failed) {
		s->stopped = true;
		return SCRIPT_STOP;
	}
	s->inited = true;
	s->origin = session_names__origin(s->session);
	if (s->origin)
		s->origin->sized_dumps = s->opts.perf_prof;
	if (!s->origin || set_tables(s))
		return err__set(err, ENOMEM, "no memory for events");
	ret = handlers__find(s, err);
	return ret ? ret : handlers__needs(s, err);
}

int script__init(struct script *s, struct session *session, struct err *err)
{
	int ret;

	enter(s);
	s->session = session;
	ret = init(s, err);
	leave(s);
	return ret;
}

/* --- run --- */

const struct session_sink *script__sink(struct script *s)
{
	return &s->sink;
}

bool script__stopped(const struct script *s)
{
	return s->stopped;
}

int script__interval(struct script *s)
{
	enter(s);
	script__call(s, "__interval__", NULL);
	leave(s);
	return s->stopped ? SCRIPT_STOP : 0;
}

static void print_stat(struct script *s, int indent)
{
	_cleanup_decref_ PyObject *arg = PyLong_FromLong(indent);
	size_t nr_free, nr_kept;

	pevent__counts(&nr_free, &nr_kept);
	if (!arg || output__line("%*slive_events: %zu", indent, "", nr_kept))
		script__raised(s, NULL);
	else
		script__call(s, "__print_stat__", arg);
}

int script__print_stat(struct script *s, int indent)
{
	enter(s);
	print_stat(s, indent);
	leave(s);
	return s->stopped ? SCRIPT_STOP : 0;
}

void script__counts(const struct script *s, u64 *live_events, u64 *undelivered)
{
	size_t nr_free, nr_kept;

	pevent__counts(&nr_free, &nr_kept);
	*live_events = nr_kept;
	*undelivered = s->undelivered;
}

/* --- exit --- */

void script__exit(struct script *s)
{
	if (!s->started || s->exited)
		return;
	s->exited = true;
	enter(s);
	if (s->inited)
		script__call(s, "__exit__", NULL);
	script__say_repeats(s);
	leave(s);
	if (s->undelivered)
		log__say(s->opts.log, LOG_WARNING,
			 "%" PRIu64 " events were not handed to the script, which was still busy when "
			 "the run was to end", s->undelivered);
}

int script__status(const struct script *s)
{
	return s->status >= 0 ? s->status : s->failed ? 1 : -1;
}

static void drop(struct script *s)
{
	borrow__free(&s->borrow);
	handlers__free(s);
	if (s->origin)
		origin__close(s->origin);
	origin__put(s->origin);
	PyMem_Free(s->grouped);
	Py_CLEAR(s->repeats);
	Py_CLEAR(s->names);
	Py_CLEAR(s->module);
}

int script__free(struct script *s, struct err *err)
{
	int ret = 0;

	if (!s)
		return 0;
	watchdog__stop();
	if (s->started) {
		enter(s);
		drop(s);
		ret = output__flush();
		Py_FinalizeEx();
	}
	if (ret && !s->failed && ret != -EPIPE)
		err__set(err, -ret, "stdout: %s", strerror(-ret));
	else
		ret = 0;
	free(s);
	return ret;
}
