// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_type.c - tamis.Session: a session of the collector in any interpreter.
 *
 * Records are copied from the rings once, a drain at a time, and handed out from the copy: an
 * iterator cannot hold a ring back for as long as its user likes.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <time.h>
#include "../collect/stream.h"
#include "docstrings.h"
#include "record_buffer.h"
#include "session_names.h"
#include "session_options.h"
#include "session_type.h"

#define WAIT_MS 500 /* between looks at Python's signals */

struct session_obj {
	PyObject_HEAD
	struct session_options so;
	struct session *session; /* NULL: closed */
	struct origin *origin;
	struct borrow borrow;	/* of the events out of @buffer */
	struct record_buffer buffer;
	size_t next;		/* of @buffer, to be handed out */
	u64 lost;
	pid_t pid;		/* a forked child leaves the kernel's side alone */
	bool busy;		/* a thread waits inside, without the interpreter's lock */
	bool drained;		/* nothing will come any more */
};

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

/* --- reading --- */

static int check_open(struct session_obj *s)
{
	if (s->session && s->pid == getpid() && !s->busy)
		return 0;
	PyErr_SetString(tamis_error, !s->session ? "the session is closed" :
				     s->busy     ? "the session is in use by another thread" :
						   "the session belongs to the parent process");
	return -1;
}

static int take_records(void *ctx, const struct record *recs, int n)
{
	return record_buffer__add(ctx, recs, n);
}

/* @ctx is the buffer, the first member behind which the count stands in the object. */
static void take_loss(void *ctx, const struct loss *loss)
{
	struct record_buffer *buffer = ctx;
	struct session_obj *s =
		(void *)((char *)buffer - offsetof(struct session_obj, buffer));

	s->lost += loss->count;
}

/* One wait, without the interpreter's lock. @return as session__poll() */
static int wait_once(struct session_obj *s, int timeout_ms, struct err *err)
{
	const struct session_sink sink = {take_records, take_loss, &s->buffer};
	int ret;

	s->busy = true;
	Py_BEGIN_ALLOW_THREADS
	ret = session__poll(s->session, timeout_ms, &sink, err);
	if (ret >= 0 && !ret && session__finished(s->session)) {
		session__detach(s->session, NULL, NULL);
		ret = session__drain(s->session, &sink, err);
		s->drained = true;
	}
	Py_END_ALLOW_THREADS
	s->busy = false;
	return ret;
}

/* The buffer is filled anew. @return 0; -1 with an exception */
static int refill(struct session_obj *s, int timeout_ms)
{
	struct err err = {0};
	int ret;

	borrow__end(&s->borrow);
	s->borrow.thread = s->origin->thread = PyThread_get_thread_ident();
	record_buffer__reset(&s->buffer);
	s->next = 0;
	if (s->drained)
		return 0;
	ret = wait_once(s, timeout_ms, &err);
	record_buffer__done(&s->buffer);
	if (PyErr_CheckSignals())
		return -1;
	if (ret >= 0 || ret == -EINTR)
		return 0;
	err__set(&err, -ret, "the session cannot be read: %s", strerror(-ret));
	errors__raise(&err);
	return -1;
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* Until there is a record, or there will be none, or the time is over. @return 0; -1 */
static int wait_until(struct session_obj *s, u64 deadline)
{
	u64 now = now_ms(), left;

	while (s->next >= s->buffer.n && !s->drained) {
		left = deadline > now ? deadline - now : 0;
		if (check_open(s) || refill(s, left < WAIT_MS ? left : WAIT_MS))
			return -1;
		now = now_ms();
		if (now >= deadline)
			break;
	}
	return 0;
}

/* @return 1: there is one; 0: the end; -1 */
static int wait_for_record(struct session_obj *s)
{
	if (wait_until(s, UINT64_MAX))
		return -1;
	return s->next < s->buffer.n;
}

static PyObject *next_event(PyObject *self)
{
	struct session_obj *s = (struct session_obj *)self;
	const struct record *rec;
	struct kind *k;

	if (check_open(s) || wait_for_record(s) <= 0)
		return NULL;
	rec = &s->buffer.recs[s->next++];
	k = origin__kind(s->origin, rec->event);
	return k ? borrow__give(&s->borrow, k, rec) : NULL;
}

/* --- poll: a list of what there is --- */

static PyObject *take_all(struct session_obj *s)
{
	_cleanup_decref_ PyObject *list = PyList_New(0);

	while (list && s->next < s->buffer.n) {
		_cleanup_decref_ PyObject *event = next_event((PyObject *)s);

		if (!event || PyList_Append(list, event))
			return NULL;
	}
	return_ptr(list);
}

static PyObject *poll(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"timeout", NULL};
	struct session_obj *s = (struct session_obj *)self;
	PyObject *timeout = Py_None;
	u64 deadline = UINT64_MAX;
	double seconds;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:poll", names, &timeout))
		return NULL;
	if (timeout != Py_None) {
		seconds = PyFloat_AsDouble(timeout);
		deadline = now_ms() + (seconds > 0 && seconds < 1e12 ? seconds * 1000 : 0);
	}
	if (PyErr_Occurred() || check_open(s) || wait_until(s, deadline))
		return NULL;
	return take_all(s);
}

/* --- batches: an iterator over the same session --- */

struct batches {
	PyObject_HEAD
	struct session_obj *session;
};

static size_t run_length(const struct session_obj *s)
{
	const struct record *recs = s->buffer.recs + s->next;
	size_t left = s->buffer.n - s->next, n = 1;

	while (n < left && n < BATCH_MAX && recs[n].event == recs[0].event)
		n++;
	return n;
}

static int by_event(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->event->index != y->event->index)
		return x->event->index < y->event->index ? -1 : 1;
	/* equal events keep their order: their bytes were copied in it */
	return x->data < y->data ? -1 : x->data > y->data;
}

/* A batch is borrowed by Python for as long as it likes: it gets its own bytes at once. */
static PyObject *next_batch(PyObject *self)
{
	struct session_obj *s = ((struct batches *)self)->session;
	PyObject *batch;
	struct kind *k;
	size_t n;

	if (check_open(s))
		return NULL;
	if (s->next >= s->buffer.n) {
		if (wait_for_record(s) <= 0)
			return NULL;
		qsort(s->buffer.recs, s->buffer.n, sizeof(*s->buffer.recs), by_event);
	}
	n = run_length(s);
	k = origin__kind(s->origin, s->buffer.recs[s->next].event);
	batch = k ? batch__new(&s->borrow, k, s->buffer.recs + s->next, n) : NULL;
	s->next += n;
	if (batch) {
		Py_INCREF(batch);
		batch__end(batch);
	}
	return batch;
}

static void batches_dealloc(PyObject *self)
{
	Py_DECREF(((struct batches *)self)->session);
	PyObject_Free(self);
}

PyTypeObject batches_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "_tamis._Batches",
	.tp_basicsize = sizeof(struct batches),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_dealloc = batches_dealloc,
	.tp_iter = PyObject_SelfIter,
	.tp_iternext = next_batch,
};

static PyObject *batches(PyObject *self, PyObject *unused)
{
	struct batches *b = PyObject_New(struct batches, &batches_type);

	if (b) {
		Py_INCREF(self);
		b->session = (struct session_obj *)self;
	}
	return (PyObject *)b;
}

/* --- the rest --- */

static PyObject *fileno_of(PyObject *self, PyObject *unused)
{
	struct session_obj *s = (struct session_obj *)self;

	return check_open(s) ? NULL : PyLong_FromLong(session__fd(s->session));
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
	_cleanup_decref_ PyObject *dict = check_open(s) ? NULL : PyDict_New();
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

	if (s->busy && check_open(s))
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
	{"poll", (PyCFunction)(void (*)(void))poll, METH_VARARGS | METH_KEYWORDS,
	 DOC_Session_poll},
	{"batches", batches, METH_NOARGS, DOC_Session_batches},
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
	.tp_iternext = next_event,
	.tp_methods = methods,
	.tp_getset = getset,
};
