// SPDX-License-Identifier: GPL-2.0-only
/* session_type.c - tamis.Session: a session of the collector in any interpreter. */
#include <bpf/libbpf.h>
#include "docstrings.h"
#include "session_type.h"

/* --- notices go where Python's own go --- */

static void write_log(void *ctx, enum log_level level, const char *line)
{
	PyGILState_STATE state = PyGILState_Ensure();
	PyObject *type, *value, *traceback;
	_cleanup_decref_ PyObject *logging = NULL, *logger = NULL, *ret = NULL;

	PyErr_Fetch(&type, &value, &traceback);
	logging = PyImport_ImportModule("logging");
	logger = logging ? PyObject_CallMethod(logging, "getLogger", "s", "tamis") : NULL;
	if (logger)
		ret = PyObject_CallMethod(logger, level >= LOG_WARNING ? "warning" :
					  level == LOG_NOTICE ? "info" : "debug", "ss", "%s", line);
	if (!ret)
		PyErr_Clear();
	PyErr_Restore(type, value, traceback);
	Py_CLEAR(ret);
	Py_CLEAR(logger);
	Py_CLEAR(logging);
	PyGILState_Release(state);
}

/* What libbpf has to say about a failure is in our own message. */
static int drop_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

/* --- life --- */

static void close_session(struct session_obj *s)
{
	struct session *session = s->session;

	s->session = NULL;
	borrow__end(&s->borrow);
	if (s->origin)
		origin__close(s->origin);
	if (!session || s->pid != getpid())
		return;
	Py_BEGIN_ALLOW_THREADS
	session__close(session);
	Py_END_ALLOW_THREADS
}

static void dealloc(PyObject *self)
{
	struct session_obj *s = (struct session_obj *)self;
	PyObject *type, *value, *traceback;

	PyErr_Fetch(&type, &value, &traceback);
	close_session(s);
	PyErr_Restore(type, value, traceback);
	origin__put(s->origin);
	borrow__free(&s->borrow);
	record_buffer__free(&s->buffer);
	session_options__free(&s->so);
	Py_TYPE(self)->tp_free(self);
}

static int open_session(struct session_obj *s)
{
	struct err err = {0};
	int ret;

	libbpf_set_print(drop_libbpf);
	Py_BEGIN_ALLOW_THREADS
	ret = session__open(&s->session, &s->so.o.session, &err);
	if (!ret)
		ret = session__attach(s->session, &err);
	Py_END_ALLOW_THREADS
	if (!ret)
		return 0;
	errors__raise(&err);
	return -1;
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct session_obj *s = (struct session_obj *)type->tp_alloc(type, 0);

	if (!s)
		return NULL;
	s->pid = getpid();
	s->so.o.log.write = write_log;
	if (session_options__parse(&s->so, args, kwargs) || open_session(s))
		goto fail;
	s->origin = session_names__origin(s->session);
	if (s->origin)
		return (PyObject *)s;
fail:
	Py_DECREF(s);
	return NULL;
}

/* --- the type --- */

static PyObject *fileno_of(PyObject *self, PyObject *unused)
{
	struct session_obj *s = (struct session_obj *)self;

	return session_obj__check(s) ? NULL : PyLong_FromLong(session__fd(s->session));
}

static PyObject *stats_object(const struct event_stats *st)
{
	return Py_BuildValue("{sKsKsKsKsKsKsKsKsKsKsKsKsKsKsKsKsKsKsK}", "delivered", st->delivered,
			     "lost", event_stats__lost(st), "ring_full", st->ring_full, "missed",
			     st->missed, "fired", st->fired, "out_of_scope", st->out_of_scope,
			     "rejected", st->rejected, "own", st->own, "cut", st->cut, "unreadable",
			     st->unreadable, "strict_dropped", st->strict_dropped, "rate_limited",
			     st->rate_limited, "late", st->late, "agg_full", st->agg_full,
			     "stack_full", st->stack_full, "unmatched", st->unmatched,
			     "overwritten", st->overwritten, "starts_full", st->starts_full,
			     "open_starts", st->open_starts);
}

static PyObject *stats(PyObject *self, PyObject *unused)
{
	struct session_obj *s = (struct session_obj *)self;
	_cleanup_decref_ PyObject *dict = session_obj__check(s) ? NULL : PyDict_New();
	size_t i;

	for (i = 0; dict && i < session__nr_events(s->session); i++) {
		_cleanup_decref_ PyObject *one = NULL;
		struct event_stats st;

		session__stats(s->session, i, &st);
		one = stats_object(&st);
		if (!one || PyDict_SetItemString(dict, session__event(s->session, i)->label, one))
			return NULL;
	}
	return_ptr(dict);
}

static PyObject *close_method(PyObject *self, PyObject *unused)
{
	struct session_obj *s = (struct session_obj *)self;

	if (s->busy && session_obj__check(s))
		return NULL;
	close_session(s);
	Py_RETURN_NONE;
}

static PyObject *enter(PyObject *self, PyObject *unused)
{
	Py_INCREF(self);
	return self;
}

static PyObject *leave(PyObject *self, PyObject *args)
{
	return close_method(self, NULL);
}

static PyObject *get_closed(PyObject *self, void *unused)
{
	return PyBool_FromLong(!((struct session_obj *)self)->session);
}

static PyObject *get_lost(PyObject *self, void *unused)
{
	return PyLong_FromUnsignedLongLong(((struct session_obj *)self)->lost);
}

static PyObject *get_tables(PyObject *self, void *unused)
{
	_cleanup_decref_ PyObject *module = PyImport_ImportModule("tamis._table");
	PyObject *source = module ? tables__new(((struct session_obj *)self)->origin) : NULL;

	return source ? PyObject_CallMethod(module, "Tables", "N", source) : NULL;
}

static PyObject *repr(PyObject *self)
{
	const struct session_obj *s = (struct session_obj *)self;

	if (!s->session)
		return PyUnicode_FromString("<Session closed>");
	return PyUnicode_FromFormat("<Session of %zu events>", session__nr_events(s->session));
}

static PyMethodDef methods[] = {
	{"poll", (PyCFunction)(void (*)(void))session_obj__poll, METH_VARARGS | METH_KEYWORDS,
	 DOC_Session_poll},
	{"batches", session_obj__batches, METH_NOARGS, DOC_Session_batches},
	{"stats", stats, METH_NOARGS, DOC_Session_stats},
	{"fileno", fileno_of, METH_NOARGS, DOC_Session_fileno},
	{"close", close_method, METH_NOARGS, DOC_Session_close},
	{"__enter__", enter, METH_NOARGS, NULL},
	{"__exit__", leave, METH_VARARGS, NULL},
	{NULL},
};

static PyGetSetDef getset[] = {
	{"closed", get_closed, NULL, DOC_Session_closed, NULL},
	{"lost", get_lost, NULL, DOC_Session_lost, NULL},
	{"tables", get_tables, NULL, DOC_Session_tables, NULL},
	{NULL},
};

PyTypeObject session_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "tamis.Session",
	.tp_doc = DOC_Session,
	.tp_basicsize = sizeof(struct session_obj),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_new = new,
	.tp_dealloc = dealloc,
	.tp_repr = repr,
	.tp_iter = PyObject_SelfIter,
	.tp_iternext = session_obj__next,
	.tp_methods = methods,
	.tp_getset = getset,
};
