// SPDX-License-Identifier: GPL-2.0-only
/*
 * tables.c - what a session aggregates in the kernel, as plain Python values. The mapping that
 * scripts see is made of them by tamis/_table.py.
 */
#include <linux/perf_event.h>
#include <string.h>
#include <errno.h>
#include "../collect/table.h"
#include "../symbol/symbolizer.h"
#include "docstrings.h"
#include "pymod.h"
#include "session_names.h"

#define FRAMES_MAX 256 /* of a stack in a key */

struct tables {
	PyObject_HEAD
	struct origin *origin;	/* one reference; NULL: no session yet */
};

static struct session *session_of(PyObject *self)
{
	const struct origin *o = ((struct tables *)self)->origin;

	if (origin__ops(o))
		return o->ctx;
	PyErr_SetString(tamis_error, !o ? "there is no session yet" :
				     o->ops ? "the session belongs to another thread" :
					      "the session is closed");
	return NULL;
}

static struct table *table_of(PyObject *self, PyObject *index)
{
	struct session *session = session_of(self);
	size_t i = PyLong_AsSize_t(index);
	struct table *t;

	if (!session || PyErr_Occurred())
		return NULL;
	t = i < session__nr_events(session) ? session__table(session, i) : NULL;
	if (!t)
		PyErr_SetString(PyExc_IndexError, "no such table");
	return t;
}

/* --- which tables there are --- */

static PyObject *names_of(const struct event *e, size_t i)
{
	return Py_BuildValue("(nsszz)", (Py_ssize_t)i, e->label, e->handler,
			     e->spec ? e->spec->alias : NULL, e->format ? e->format->name : NULL);
}

static PyObject *names(PyObject *self, PyObject *unused)
{
	_cleanup_decref_ PyObject *list = PyList_New(0);
	struct session *session = NULL;
	size_t i;

	if (((struct tables *)self)->origin) {
		session = session_of(self);
		if (!session)
			return NULL;
	}
	for (i = 0; list && session && i < session__nr_events(session); i++) {
		_cleanup_decref_ PyObject *item = NULL;

		if (!session__table(session, i))
			continue;
		item = names_of(session__event(session, i), i);
		if (!item || PyList_Append(list, item))
			return NULL;
	}
	return_ptr(list);
}

static const char *const op_names[AGG_MAX_OP] = {
	[AGG_COUNT] = "count", [AGG_SUM] = "sum",   [AGG_MIN] = "min",	 [AGG_MAX] = "max",
	[AGG_AVG] = "avg",     [AGG_HIST] = "hist", [AGG_LHIST] = "lhist",
};

static PyObject *ops_of(const struct table *t)
{
	PyObject *list = PyList_New(0);
	int op;

	for (op = 0; list && op < AGG_MAX_OP; op++) {
		_cleanup_decref_ PyObject *name = NULL;

		if (!table__has(t, op))
			continue;
		name = PyUnicode_FromString(op_names[op]);
		if (!name || PyList_Append(list, name))
			Py_CLEAR(list);
	}
	return list;
}

static PyObject *parts_of(const struct table *t)
{
	size_t i, n = table__nr_parts(t);
	PyObject *tuple = PyTuple_New(n);

	for (i = 0; tuple && i < n; i++) {
		PyObject *name = PyUnicode_FromString(table__part_name(t, i));

		if (name)
			PyTuple_SET_ITEM(tuple, i, name);
		else
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *info(PyObject *self, PyObject *index)
{
	struct table *t = table_of(self, index);
	PyObject *parts, *ops;

	if (!t)
		return NULL;
	parts = parts_of(t);
	ops = parts ? ops_of(t) : NULL;
	return ops ? Py_BuildValue("(NNI)", parts, ops, table__top(t)) : NULL;
}

static PyObject *lost(PyObject *self, PyObject *index)
{
	struct table *t = table_of(self, index);

	return t ? PyLong_FromUnsignedLongLong(table__lost(t)) : NULL;
}

/* --- keys --- */

static PyObject *frame_text(const struct frame *f)
{
	struct strbuf b = {0};
	PyObject *text;

	frame__name(f, &b);
	if (f->symbol)
		strbuf__printf(&b, "+%#llx", (unsigned long long)f->offset);
	text = text__object(b.s ? b.s : "", b.len);
	strbuf__free(&b);
	return text;
}

/* A tuple, leaf first: hashable, and distinct for distinct addresses. */
static PyObject *stack_object(struct session *session, const struct key_part *p)
{
	struct symbolizer *symbolizer = session__symbolizer(session);
	struct frame frames[FRAMES_MAX];
	u64 chain[FRAMES_MAX + 1] = {
		(u64)(p->kind == PART_USTACK ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL)};
	u32 i, n = p->nr_ips < FRAMES_MAX ? p->nr_ips : FRAMES_MAX;
	PyObject *tuple;

	if (!p->ips)
		Py_RETURN_NONE;
	/* A user address that leads astray may look like one of the kernel's. */
	memcpy(chain + 1, p->ips, n * sizeof(*chain));
	n = symbolizer ? symbolizer__frames(symbolizer, p->process.tgid, 0, chain, n + 1, frames)
		       : 0;
	tuple = PyTuple_New(n);
	for (i = 0; tuple && i < n; i++) {
		PyObject *text = frame_text(&frames[i]);

		if (text)
			PyTuple_SET_ITEM(tuple, i, text);
		else
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *cgroup_object(struct session *session, const struct table *t, size_t part, u64 id)
{
	bool container = !strcmp(table__part_name(t, part), "_container");
	const char *name =
		container ? session__container(session, id) : session__cgroup(session, id);

	if (name)
		return text__object(name, strlen(name));
	if (container)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(id);
}

static PyObject *part_object(struct session *session, const struct table *t,
			     const struct key_part *p, size_t part)
{
	switch (p->kind) {
	case PART_INT:
		return PyLong_FromLongLong((s64)p->num);
	case PART_UINT:
		return PyLong_FromUnsignedLongLong(p->num);
	case PART_TEXT:
		return text__object(p->text, p->len);
	case PART_CGROUP:
		return cgroup_object(session, t, part, p->num);
	case PART_STACK:
	case PART_USTACK:
		return stack_object(session, p);
	default:
		Py_RETURN_NONE;
	}
}

static PyObject *key_object(struct session *session, const struct table *t, const struct row *r)
{
	size_t i, n = table__nr_parts(t);
	_cleanup_decref_ PyObject *tuple = NULL;

	if (n == 1)
		return part_object(session, t, &r->key[0], 0);
	tuple = PyTuple_New(n);
	for (i = 0; tuple && i < n; i++) {
		PyObject *part = part_object(session, t, &r->key[i], i);

		if (!part)
			return NULL;
		PyTuple_SET_ITEM(tuple, i, part);
	}
	return_ptr(tuple);
}

/* --- values --- */

static PyObject *number(u64 num, bool is_signed)
{
	return is_signed ? PyLong_FromLongLong((s64)num) : PyLong_FromUnsignedLongLong(num);
}

static PyObject *hist_object(const struct hist *h, bool is_signed)
{
	_cleanup_decref_ PyObject *list = PyList_New(h->nr);
	size_t i;

	for (i = 0; list && i < h->nr; i++) {
		const struct bucket *b = &h->buckets[i];
		PyObject *item = Py_BuildValue("(NNK)", number(b->low, is_signed),
					       number(b->high, is_signed),
					       (unsigned long long)b->count);

		if (!item)
			return NULL;
		PyList_SET_ITEM(list, i, item);
	}
	return_ptr(list);
}

static PyObject *op_object(const struct table *t, const struct row *r, enum agg_op op)
{
	bool is_signed = table__is_signed(t, op);

	switch (op) {
	case AGG_COUNT:
		return number(r->count, false);
	case AGG_SUM:
		return number(r->sum[AGG_SUM], is_signed);
	case AGG_MIN:
		return number(r->min, is_signed);
	case AGG_MAX:
		return number(r->max, is_signed);
	case AGG_AVG:
		return PyFloat_FromDouble(r->avg);
	case AGG_HIST:
		return hist_object(&r->hist, is_signed);
	default:
		return hist_object(&r->lhist, is_signed);
	}
}

/* A dict of what was asked for; the number of updates is always there. */
static PyObject *value_object(const struct table *t, const struct row *r)
{
	_cleanup_decref_ PyObject *dict = PyDict_New();
	int op;

	for (op = 0; dict && op < AGG_MAX_OP; op++) {
		_cleanup_decref_ PyObject *value = NULL;

		if (op != AGG_COUNT && !table__has(t, op))
			continue;
		value = op_object(t, r, op);
		if (!value || PyDict_SetItemString(dict, op_names[op], value))
			return NULL;
	}
	return_ptr(dict);
}

static PyObject *row_object(struct session *session, const struct table *t, const struct row *r)
{
	PyObject *key = key_object(session, t, r), *value = key ? value_object(t, r) : NULL;

	if (!value) {
		Py_XDECREF(key);
		return NULL;
	}
	return Py_BuildValue("(NN)", key, value);
}

static PyObject *rows_object(struct session *session, const struct table *t,
			     const struct snapshot *s)
{
	_cleanup_decref_ PyObject *list = PyList_New(s->nr);
	size_t i;

	for (i = 0; list && i < s->nr; i++) {
		PyObject *row = row_object(session, t, &s->rows[i]);

		if (!row)
			return NULL;
		PyList_SET_ITEM(list, i, row);
	}
	return_ptr(list);
}

/* rows(index, clear): waits for the kernel, so that other threads run meanwhile. */
static PyObject *rows(PyObject *self, PyObject *args)
{
	struct snapshot snapshot = {0};
	struct err err = {0};
	PyObject *index, *list;
	struct table *t;
	int clear, ret;

	if (!PyArg_ParseTuple(args, "Op", &index, &clear))
		return NULL;
	t = table_of(self, index);
	if (!t)
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	ret = table__snapshot(t, clear, &snapshot, &err);
	Py_END_ALLOW_THREADS
	if (ret)
		return errors__raise(&err);
	list = rows_object(session_of(self), t, &snapshot);
	snapshot__free(&snapshot);
	return list;
}

/* --- the type --- */

static void dealloc(PyObject *self)
{
	origin__put(((struct tables *)self)->origin);
	PyObject_Free(self);
}

static PyMethodDef methods[] = {
	{"names", names, METH_NOARGS, NULL},
	{"info", info, METH_O, NULL},
	{"rows", rows, METH_VARARGS, NULL},
	{"lost", lost, METH_O, NULL},
	{NULL},
};

PyTypeObject tables_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "_tamis._Tables",
	.tp_basicsize = sizeof(struct tables),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_dealloc = dealloc,
	.tp_methods = methods,
};

PyObject *tables__new(struct origin *origin)
{
	struct tables *t = PyObject_New(struct tables, &tables_type);

	if (t)
		t->origin = origin ? origin__get(origin) : NULL;
	return (PyObject *)t;
}

void tables__set_origin(PyObject *self, struct origin *origin)
{
	struct tables *t = (struct tables *)self;

	origin__put(t->origin);
	t->origin = origin__get(origin);
}
