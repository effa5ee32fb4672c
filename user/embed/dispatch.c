// SPDX-License-Identifier: GPL-2.0-only
/* dispatch.c - a drained batch of records, handed to the script's handlers one by one or whole. */
#include "../base/clock.h"
#include "../collect/stream.h"
#include "embed.h"

/* --- the end of a run --- */

/* Once asked to stop, a script gets what is left for a while, not for as long as it likes. */
static bool out_of_time(struct script *s)
{
	u64 at = s->opts.stopped_at ? *s->opts.stopped_at : 0;

	if (s->interrupted)
		return true;
	return at && clock__ns(CLOCK_MONOTONIC) > at + SCRIPT_DRAIN_MS * 1000000ull;
}

static bool at_end(struct script *s)
{
	return s->stopped || out_of_time(s);
}

/* --- one by one --- */

static struct handler *handler_of(struct script *s, const struct record *rec)
{
	struct handler *h = &s->handlers[rec->event->index];

	if (!h->kind || h->kind->event != rec->event)
		h->kind = origin__kind(s->origin, rec->event);
	return h;
}

static void call(struct script *s, struct handler *h, const struct record *rec)
{
	struct pevent *event = borrow__event(&s->borrow, h->kind, rec);
	PyObject *args[2] = {NULL, (PyObject *)event}, *ret;

	if (!event) {
		script__raised(s, NULL);
		return;
	}
	s->calls++;
	ret = PyObject_Vectorcall(h->call, args + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
	if (ret)
		Py_DECREF(ret);
	else
		script__raised(s, event);
	borrow__done(&s->borrow, event);
}

/* --- whole --- */

static void call_batch(struct script *s, struct handler *h, const struct record *recs, size_t n)
{
	PyObject *batch = batch__new(&s->borrow, h->kind, recs, n), *ret;

	s->calls++;
	ret = batch ? PyObject_CallOneArg(h->batch, batch) : NULL;
	if (!ret)
		script__raised(s, NULL);
	Py_XDECREF(ret);
	if (batch)
		batch__end(batch);
}

static bool all_of_one(const struct record *recs, int n)
{
	int i;

	for (i = 1; i < n; i++)
		if (recs[i].event != recs[0].event)
			return false;
	return true;
}

/* The records of @event among @recs, in order, gathered in s->grouped. */
static size_t group(struct script *s, const struct event *event, const struct record *recs, int n)
{
	size_t nr = 0;
	int i;

	for (i = 0; i < n; i++)
		if (recs[i].event == event)
			s->grouped[nr++] = recs[i];
	return nr;
}

static int make_room(struct script *s)
{
	if (!s->grouped)
		s->grouped = PyMem_Malloc(BATCH_MAX * sizeof(*s->grouped));
	if (s->grouped)
		return 0;
	PyErr_NoMemory();
	script__raised(s, NULL);
	return -1;
}

/* Every kind that wants batches, in the order in which it first came. */
static void call_batches(struct script *s, const struct record *recs, int n)
{
	size_t index;

	if (make_room(s))
		return;
	for (index = 0; index < s->nr_handlers && !s->stopped; index++) {
		struct handler *h = &s->handlers[index];
		size_t nr = h->batch && h->kind ? group(s, h->kind->event, recs, n) : 0;

		if (nr && out_of_time(s))
			s->undelivered += nr;
		else if (nr)
			call_batch(s, h, s->grouped, nr);
	}
}

/* --- the sink --- */

static void deliver(struct script *s, const struct record *recs, int n)
{
	bool batches = false;
	int i;

	for (i = 0; i < n; i++) {
		struct handler *h = handler_of(s, &recs[i]);

		if (at_end(s)) {
			if (!s->stopped)
				s->undelivered += n - i;
			return;
		}
		if (!h->kind)
			script__raised(s, NULL);
		else if (h->batch)
			batches = true;
		else if (h->call)
			call(s, h, &recs[i]);
	}
	if (batches)
		call_batches(s, recs, n);
}

int dispatch__records(void *ctx, const struct record *recs, int n)
{
	struct script *s = ctx;
	struct handler *h;

	PyEval_RestoreThread(s->thread);
	s->inside = true;
	h = n ? handler_of(s, &recs[0]) : NULL;
	if (h && h->batch && h->kind && !at_end(s) && all_of_one(recs, n))
		call_batch(s, h, recs, n);
	else
		deliver(s, recs, n);
	s->inside = false;
	borrow__end(&s->borrow);
	s->thread = PyEval_SaveThread();
	return s->stopped ? SCRIPT_STOP : 0;
}

/* Without --order nothing is known of the records around a gap. */
void dispatch__lost(void *ctx, const struct loss *loss)
{
	struct script *s = ctx;
	_cleanup_decref_ PyObject *fn = NULL, *ret = NULL;
	u64 before = s->opts.order ? loss->before : 0, after = s->opts.order ? loss->after : 0;

	PyEval_RestoreThread(s->thread);
	fn = script__function(s, "__lost__");
	if (fn)
		ret = PyObject_CallFunction(fn, "KK", (unsigned long long)before,
					    (unsigned long long)after);
	if ((fn || PyErr_Occurred()) && !ret)
		script__raised(s, NULL);
	Py_CLEAR(fn);
	Py_CLEAR(ret);
	s->thread = PyEval_SaveThread();
}
