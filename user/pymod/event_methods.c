// SPDX-License-Identifier: GPL-2.0-only
/* event_methods.c - a PerfEvent as a mapping: [], in, len, keys, iteration, typed arrays. */
#include <string.h>
#include "docstrings.h"
#include "pymod.h"

static PyObject *subscript(PyObject *self, PyObject *name)
{
	struct pevent *e = (struct pevent *)self;
	const struct slot *s = PyUnicode_Check(name) ? kind__find(e->kind, name) : NULL;

	if (s)
		return pevent__value(e, s);
	return PyErr_Occurred() ? NULL : errors__no_field(e->kind, name);
}

static Py_ssize_t length(PyObject *self)
{
	return ((struct pevent *)self)->kind->nr_listed;
}

static int contains(PyObject *self, PyObject *name)
{
	const struct kind *k = ((struct pevent *)self)->kind;
	const struct slot *s = PyUnicode_Check(name) ? kind__find(k, name) : NULL;

	if (!s)
		return PyErr_Occurred() ? -1 : 0;
	return s->index < k->nr_listed;
}

/* get(name, default=None); the usual call has no keywords and takes no detour. */
static PyObject *get(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
	struct pevent *e = (struct pevent *)self;
	Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
	PyObject *other = n + named > 1 ? args[1] : Py_None;
	const struct slot *s;

	if (n < 1 || n + named > 2 || named > 1 ||
	    (named && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, 0), "default"))) {
		PyErr_SetString(PyExc_TypeError, "get() takes a name and a default");
		return NULL;
	}
	s = PyUnicode_Check(args[0]) ? kind__find(e->kind, args[0]) : NULL;
	if (s)
		return pevent__value(e, s);
	if (PyErr_Occurred())
		return NULL;
	Py_INCREF(other);
	return other;
}

/* --- lists of all fields --- */

static PyObject *name_of(struct pevent *e, const struct slot *s)
{
	Py_INCREF(s->name);
	return s->name;
}

static PyObject *pair_of(struct pevent *e, const struct slot *s)
{
	PyObject *value = pevent__value(e, s);

	return value ? Py_BuildValue("(ON)", s->name, value) : NULL;
}

static PyObject *list_of(PyObject *self, PyObject *(*make)(struct pevent *e, const struct slot *s))
{
	struct pevent *e = (struct pevent *)self;
	unsigned int i, n = e->kind->nr_listed;
	_cleanup_decref_ PyObject *list = PyList_New(n);

	for (i = 0; list && i < n; i++) {
		PyObject *item = make(e, &e->kind->slots[i]);

		if (!item)
			return NULL;
		PyList_SET_ITEM(list, i, item);
	}
	return_ptr(list);
}

static PyObject *keys(PyObject *self, PyObject *unused)
{
	return list_of(self, name_of);
}

static PyObject *values(PyObject *self, PyObject *unused)
{
	return list_of(self, pevent__value);
}

static PyObject *items(PyObject *self, PyObject *unused)
{
	return list_of(self, pair_of);
}

/* --- arrays --- */

const char *int_format(u32 size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? "b" : "B";
	case 2:
		return is_signed ? "h" : "H";
	case 4:
		return is_signed ? "i" : "I";
	case 8:
		return is_signed ? "q" : "Q";
	default:
		return NULL;
	}
}

static PyObject *typed_view(const struct field *f, const struct value *v)
{
	const char *format = f->kind == FIELD_ARRAY ? int_format(f->elem_size, f->is_signed) : "B";
	_cleanup_decref_ PyObject *bytes = PyBytes_FromStringAndSize(v->ptr, v->len);
	_cleanup_decref_ PyObject *view = bytes ? PyMemoryView_FromObject(bytes) : NULL;

	return view ? PyObject_CallMethod(view, "cast", "s", format ? format : "B") : NULL;
}

static PyObject *array_of(struct pevent *e, const struct slot *s)
{
	const struct value v = field__read(s->field, &e->rec);

	if (v.kind == VALUE_NONE)
		Py_RETURN_NONE;
	return typed_view(s->field, &v);
}

PyObject *pevent__array(PyObject *self, PyObject *name)
{
	struct pevent *e = (struct pevent *)self;
	const struct slot *s = PyUnicode_Check(name) ? kind__find(e->kind, name) : NULL;

	if (!s)
		return PyErr_Occurred() ? NULL : errors__no_field(e->kind, name);
	if (!s->field || s->field->kind == FIELD_INT)
		return PyErr_Format(PyExc_TypeError, "%U of %U is not an array", name,
				    e->kind->label);
	return array_of(e, s);
}

static PyObject *list_of_array(struct pevent *e, const struct slot *s)
{
	_cleanup_decref_ PyObject *view = array_of(e, s);

	if (!view || view == Py_None)
		return_ptr(view);
	return PyObject_CallMethod(view, "tolist", NULL);
}

PyObject *pevent__to_dict(PyObject *self, PyObject *unused)
{
	struct pevent *e = (struct pevent *)self;
	_cleanup_decref_ PyObject *dict = PyDict_New();
	unsigned int i;

	for (i = 0; dict && i < e->kind->nr_listed; i++) {
		const struct slot *s = &e->kind->slots[i];
		bool array = s->field && s->field->kind == FIELD_ARRAY;
		_cleanup_decref_ PyObject *value = array ? list_of_array(e, s) : pevent__value(e, s);

		if (!value || PyDict_SetItem(dict, s->name, value))
			return NULL;
	}
	return_ptr(dict);
}

/* --- iteration over (name, value); nothing is decoded ahead --- */

struct pevent_iter {
	PyObject_HEAD
	struct pevent *event;	/* NULL: at the end */
	unsigned int next;
};

static int iter_traverse(PyObject *self, visitproc visit, void *arg)
{
	Py_VISIT(((struct pevent_iter *)self)->event);
	return 0;
}

static int iter_clear(PyObject *self)
{
	Py_CLEAR(((struct pevent_iter *)self)->event);
	return 0;
}

static void iter_dealloc(PyObject *self)
{
	PyObject_GC_UnTrack(self);
	iter_clear(self);
	PyObject_GC_Del(self);
}

static PyObject *iter_next(PyObject *self)
{
	struct pevent_iter *it = (struct pevent_iter *)self;

	if (!it->event)
		return NULL;
	if (it->next < it->event->kind->nr_listed)
		return pair_of(it->event, &it->event->kind->slots[it->next++]);
	Py_CLEAR(it->event);
	return NULL;
}

PyTypeObject pevent_iter_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "_tamis._FieldIterator",
	.tp_basicsize = sizeof(struct pevent_iter),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.tp_dealloc = iter_dealloc,
	.tp_traverse = iter_traverse,
	.tp_clear = iter_clear,
	.tp_iter = PyObject_SelfIter,
	.tp_iternext = iter_next,
};

PyObject *pevent__iter(PyObject *self)
{
	struct pevent_iter *it = PyObject_GC_New(struct pevent_iter, &pevent_iter_type);

	if (!it)
		return NULL;
	Py_INCREF(self);
	it->event = (struct pevent *)self;
	it->next = 0;
	PyObject_GC_Track(it);
	return (PyObject *)it;
}

/* --- copies --- */

static PyObject *copy(PyObject *self, PyObject *unused)
{
	struct pevent *e = (struct pevent *)self;

	return (PyObject *)pevent__copy(e->kind, &e->rec);
}

PyMappingMethods pevent_mapping = {
	.mp_length = length,
	.mp_subscript = subscript,
};

PySequenceMethods pevent_sequence = {
	.sq_contains = contains,
};

PyMethodDef pevent_methods[] = {
	{"get", (PyCFunction)(void (*)(void))get, METH_FASTCALL | METH_KEYWORDS, DOC_PerfEvent_get},
	{"keys", keys, METH_NOARGS, DOC_PerfEvent_keys},
	{"values", values, METH_NOARGS, DOC_PerfEvent_values},
	{"items", items, METH_NOARGS, DOC_PerfEvent_items},
	{"array", pevent__array, METH_O, DOC_PerfEvent_array},
	{"to_dict", pevent__to_dict, METH_NOARGS, DOC_PerfEvent_to_dict},
	{"to_json", pevent__to_json, METH_NOARGS, DOC_PerfEvent_to_json},
	{"print", (PyCFunction)(void (*)(void))pevent__print, METH_VARARGS | METH_KEYWORDS,
	 DOC_PerfEvent_print},
	{"__copy__", copy, METH_NOARGS, NULL},
	{"__deepcopy__", copy, METH_O, NULL},
	{"__reduce__", pevent__reduce, METH_NOARGS, NULL},
	{NULL},
};
