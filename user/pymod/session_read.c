// SPDX-License-Identifier: GPL-2.0-only
/*
 * session_read.c - the events of a tamis.Session: one by one, in lists, in batches.
 *
 * Records are copied from the rings once, a drain at a time, and handed out from the copy: an
 * iterator cannot hold a ring back for as long as its user likes.
 */
#include <errno.h>
#include "../base/clock.h"
#include "../collect/stream.h"
#include "session_type.h"

#define WAIT_MS 500 /* between looks at Python's signals */

int session_obj__check(struct session_obj *s)
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
	return clock__ns(CLOCK_MONOTONIC) / 1000000;
}

/* Until there is a record, or there will be none, or the time is over. @return 0; -1 */
static int wait_until(struct session_obj *s, u64 deadline)
{
	u64 now = now_ms(), left;

	while (s->next >= s->buffer.n && !s->drained) {
		left = deadline > now ? deadline - now : 0;
		if (session_obj__check(s) || refill(s, left < WAIT_MS ? left : WAIT_MS))
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

PyObject *session_obj__next(PyObject *self)
{
	struct session_obj *s = (struct session_obj *)self;
	const struct record *rec;
	struct kind *k;

	if (session_obj__check(s) || wait_for_record(s) <= 0)
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
		_cleanup_decref_ PyObject *event = session_obj__next((PyObject *)s);

		if (!event || PyList_Append(list, event))
			return NULL;
	}
	return_ptr(list);
}

PyObject *session_obj__poll(PyObject *self, PyObject *args, PyObject *kwargs)
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
	if (PyErr_Occurred() || session_obj__check(s) || wait_until(s, deadline))
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

	if (session_obj__check(s))
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

PyObject *session_obj__batches(PyObject *self, PyObject *unused)
{
	struct batches *b = PyObject_New(struct batches, &batches_type);

	if (b) {
		Py_INCREF(self);
		b->session = (struct session_obj *)self;
	}
	return (PyObject *)b;
}
