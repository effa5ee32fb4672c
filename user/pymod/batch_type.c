// SPDX-License-Identifier: GPL-2.0-only
/* batch_type.c - Batch: up to 4096 events of one kind, as columns or one by one. */
#include <string.h>
#include "column.h"
#include "docstrings.h"

struct batch {
	PyObject_HEAD
	struct kind *kind;	/* one reference */
	struct borrow *borrow;	/* NULL: the records are in own */
	const struct record *recs;
	size_t n;
	void *own;		/* records, then their bytes */
};

PyObject *batch__new(struct borrow *b, struct kind *k, const struct record *recs, size_t n)
{
	struct batch *batch = PyObject_New(struct batch, &batch_type);

	if (!batch)
		return NULL;
	Py_INCREF(k);
	batch->kind = k;
	batch->borrow = b;
	batch->recs = recs;
	batch->n = n;
	batch->own = NULL;
	return (PyObject *)batch;
}

static size_t room_for(const struct record *rec)
{
	return (rec->size + 7) & ~7ull;
}

static void copy_records(struct batch *b)
{
	struct record *recs = b->own;
	u8 *at = (u8 *)(recs + b->n);
	size_t i;

	memcpy(recs, b->recs, b->n * sizeof(*recs));
	for (i = 0; i < b->n; i++) {
		recs[i].data = memcpy(at, recs[i].data, recs[i].size);
		at += room_for(&recs[i]);
	}
	b->recs = recs;
}

/* Without memory the batch is empty from here on: better than a crash. */
static void own_records(struct batch *b)
{
	size_t i, size = b->n * sizeof(*b->recs);

	for (i = 0; i < b->n; i++)
		size += room_for(&b->recs[i]);
	b->own = PyMem_Malloc(size + 1);
	if (b->own)
		copy_records(b);
	else
		b->n = 0;
	b->borrow = NULL;
}

void batch__end(PyObject *self)
{
	if (Py_REFCNT(self) > 1)
		own_records((struct batch *)self);
	Py_DECREF(self);
}

static void dealloc(PyObject *self)
{
	struct batch *b = (struct batch *)self;

	PyMem_Free(b->own);
	Py_DECREF(b->kind);
	PyObject_Free(b);
}

/* --- events --- */

static Py_ssize_t length(PyObject *self)
{
	return ((struct batch *)self)->n;
}

static PyObject *item(PyObject *self, Py_ssize_t i)
{
	struct batch *b = (struct batch *)self;

	if (i < 0 || (size_t)i >= b->n) {
		PyErr_SetString(PyExc_IndexError, "batch index out of range");
		return NULL;
	}
	if (b->borrow)
		return borrow__give(b->borrow, b->kind, &b->recs[i]);
	return (PyObject *)pevent__copy(b->kind, &b->recs[i]);
}

static PyObject *slice_of(PyObject *self, PyObject *slice)
{
	Py_ssize_t start, stop, step, i, n;
	_cleanup_decref_ PyObject *list = NULL;

	if (PySlice_Unpack(slice, &start, &stop, &step))
		return NULL;
	n = PySlice_AdjustIndices(length(self), &start, &stop, step);
	list = PyList_New(n);
	for (i = 0; list && i < n; i++) {
		PyObject *event = item(self, start + i * step);

		if (!event)
			return NULL;
		PyList_SET_ITEM(list, i, event);
	}
	return_ptr(list);
}

static PyObject *column(struct batch *b, PyObject *name)
{
	const struct slot *s = kind__find(b->kind, name);

	if (s)
		return column__gather(b->kind, s, b->recs, b->n);
	return PyErr_Occurred() ? NULL : errors__no_field(b->kind, name);
}

static PyObject *subscript(PyObject *self, PyObject *key)
{
	Py_ssize_t i;

	if (PyUnicode_Check(key))
		return column((struct batch *)self, key);
	if (PySlice_Check(key))
		return slice_of(self, key);
	i = PyNumber_AsSsize_t(key, PyExc_IndexError);
	if (i == -1 && PyErr_Occurred())
		return NULL;
	return item(self, i < 0 ? i + length(self) : i);
}

/* --- all of it --- */

static PyObject *keys(PyObject *self, PyObject *unused)
{
	const struct kind *k = ((struct batch *)self)->kind;
	PyObject *list = PyList_New(k->nr_listed);
	unsigned int i;

	for (i = 0; list && i < k->nr_listed; i++) {
		Py_INCREF(k->slots[i].name);
		PyList_SET_ITEM(list, i, k->slots[i].name);
	}
	return list;
}

static PyObject *values_of(PyObject *self, PyObject *name)
{
	Py_ssize_t i, n = length(self);
	_cleanup_decref_ PyObject *list = PyList_New(n);

	for (i = 0; list && i < n; i++) {
		_cleanup_decref_ PyObject *event = item(self, i);
		PyObject *value = event ? PyObject_GetItem(event, name) : NULL;

		if (!value)
			return NULL;
		PyList_SET_ITEM(list, i, value);
	}
	return_ptr(list);
}

static PyObject *to_dict(PyObject *self, PyObject *unused)
{
	const struct kind *k = ((struct batch *)self)->kind;
	_cleanup_decref_ PyObject *dict = PyDict_New();
	unsigned int i;

	for (i = 0; dict && i < k->nr_listed; i++) {
		_cleanup_decref_ PyObject *list = values_of(self, k->slots[i].name);

		if (!list || PyDict_SetItem(dict, k->slots[i].name, list))
			return NULL;
	}
	return_ptr(dict);
}

static PyObject *to_numpy(PyObject *self, PyObject *unused)
{
	_cleanup_decref_ PyObject *helper = PyImport_ImportModule("tamis._columns");

	return helper ? PyObject_CallMethod(helper, "structured", "O", self) : NULL;
}

static PyObject *repr(PyObject *self)
{
	const struct batch *b = (struct batch *)self;

	return PyUnicode_FromFormat("<Batch %U of %zu events>", b->kind->label, b->n);
}

static PyMethodDef methods[] = {
	{"keys", keys, METH_NOARGS, DOC_Batch_keys},
	{"to_dict", to_dict, METH_NOARGS, DOC_Batch_to_dict},
	{"to_numpy", to_numpy, METH_NOARGS, DOC_Batch_to_numpy},
	{NULL},
};

static PyMappingMethods mapping = {.mp_length = length, .mp_subscript = subscript};
static PySequenceMethods sequence = {.sq_length = length, .sq_item = item};

PyTypeObject batch_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "tamis.Batch",
	.tp_doc = DOC_Batch,
	.tp_basicsize = sizeof(struct batch),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_dealloc = dealloc,
	.tp_repr = repr,
	.tp_iter = PySeqIter_New,
	.tp_as_mapping = &mapping,
	.tp_as_sequence = &sequence,
	.tp_methods = methods,
};
