// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "column.h"

struct column {
	PyObject_HEAD
	u8 *bytes;		/* owned */
	char format[16];
	Py_ssize_t item;	/* bytes of one element */
	int ndim;
	Py_ssize_t shape[2], strides[2];
};

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
	struct column *c = (struct column *)self;

	if (flags & PyBUF_WRITABLE) {
		PyErr_SetString(PyExc_BufferError, "a column is read-only");
		return -1;
	}
	*view = (Py_buffer){
		.buf = c->bytes,
		.obj = self,
		.len = c->shape[0] * c->strides[0],
		.itemsize = c->item,
		.readonly = 1,
		.ndim = c->ndim,
		.format = flags & PyBUF_FORMAT ? c->format : NULL,
		.shape = c->shape,
		.strides = c->strides,
	};
	Py_INCREF(self);
	return 0;
}

static void dealloc(PyObject *self)
{
	PyMem_RawFree(((struct column *)self)->bytes);
	PyObject_Free(self);
}

static PyBufferProcs buffer = {.bf_getbuffer = get_buffer};

PyTypeObject column_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "_tamis._Column",
	.tp_basicsize = sizeof(struct column),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_dealloc = dealloc,
	.tp_as_buffer = &buffer,
};

/* @per elements of @item bytes in each of @n rows; zeroed. */
static struct column *new_column(const char *format, size_t item, size_t n, size_t per, int ndim)
{
	struct column *c = PyObject_New(struct column, &column_type);

	if (!c)
		return NULL;
	c->bytes = PyMem_RawCalloc(n * per * item + 1, 1);
	snprintf(c->format, sizeof(c->format), "%s", format);
	c->item = item;
	c->ndim = ndim;
	c->shape[0] = n;
	c->shape[1] = per;
	c->strides[0] = per * item;
	c->strides[1] = item;
	if (!c->bytes) {
		Py_DECREF(c);
		PyErr_NoMemory();
		return NULL;
	}
	return c;
}

static struct column *ints(u32 size, bool is_signed, size_t n)
{
	return new_column(int_format(size, is_signed), size, n, 1, 1);
}

static PyObject *view_of(struct column *c)
{
	PyObject *view = c ? PyMemoryView_FromObject((PyObject *)c) : NULL;

	Py_XDECREF(c);
	return view;
}

/* --- integers at a fixed place of the raw record --- */

static bool is_fixed(const struct kind *k, const struct field *f)
{
	return k->raw_at && f->kind == FIELD_INT && f->where == FIELD_STATIC &&
	       int_format(f->size, f->is_signed);
}

static void gather_fixed(struct column *c, u32 at, u32 size, const struct record *recs, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const u8 *from = (const u8 *)recs[i].data + at;

		if (at + size > recs[i].size)
			continue;
		switch (size) {
		case 4:
			memcpy(c->bytes + 4 * i, from, 4);
			break;
		case 8:
			memcpy(c->bytes + 8 * i, from, 8);
			break;
		default:
			memcpy(c->bytes + size * i, from, size);
		}
	}
}

/* --- any other field --- */

static size_t widest(const struct field *f, const struct record *recs, size_t n)
{
	size_t i, width = f->where == FIELD_STATIC ? f->size : 0;

	for (i = 0; f->where != FIELD_STATIC && i < n; i++) {
		const struct value v = field__read(f, &recs[i]);

		width = v.kind != VALUE_NONE && v.len > width ? v.len : width;
	}
	return width;
}

static void copy_value(u8 *to, size_t room, const struct field *f, const struct record *rec)
{
	const struct value v = field__read(f, rec);

	if (v.kind == VALUE_INT || v.kind == VALUE_UINT)
		memcpy(to, &v.num, room);
	else if (v.kind != VALUE_NONE)
		memcpy(to, v.ptr, v.len < room ? v.len : room);
}

static struct column *column_for(const struct field *f, const struct record *recs, size_t n)
{
	u32 elem = f->kind == FIELD_ARRAY ? f->elem_size : 1;
	const char *format = int_format(elem, f->kind == FIELD_ARRAY && f->is_signed);
	size_t width;
	char text[16];

	if (f->kind == FIELD_INT)
		return ints(f->size && f->size <= 8 ? f->size : 8, f->is_signed, n);
	width = widest(f, recs, n);
	if (f->kind != FIELD_TEXT)
		return new_column(format ? format : "B", format ? elem : 1, n,
				  format ? width / elem : width, 2);
	width = width ? width : 1;
	snprintf(text, sizeof(text), "%us", (unsigned int)width);
	return new_column(text, width, n, 1, 1);
}

static PyObject *gather_field(struct kind *k, const struct field *f, const struct record *recs,
			      size_t n)
{
	struct column *c = column_for(f, recs, n);
	size_t i;

	if (!c)
		return NULL;
	if (is_fixed(k, f))
		gather_fixed(c, k->raw_at + f->offset, f->size, recs, n);
	else
		for (i = 0; i < n; i++)
			copy_value(c->bytes + i * c->strides[0], c->strides[0], f, &recs[i]);
	return view_of(c);
}

/* --- the head --- */

static PyObject *gather_head(enum head_field what, const struct record *recs, size_t n)
{
	struct column *c = what == HEAD_TIME ? ints(8, false, n) :
			   what == HEAD_CPU  ? ints(2, false, n) :
					       ints(4, false, n);
	size_t i;

	for (i = 0; c && i < n; i++) {
		if (what == HEAD_TIME)
			((u64 *)c->bytes)[i] = recs[i].time;
		else if (what == HEAD_CPU)
			((u16 *)c->bytes)[i] = recs[i].cpu;
		else
			((u32 *)c->bytes)[i] = what == HEAD_PID ? recs[i].tgid : recs[i].tid;
	}
	return view_of(c);
}

/* --- everything else, through the values that events show --- */

static PyObject *values_of(struct kind *k, const struct slot *s, const struct record *recs, size_t n)
{
	_cleanup_decref_ PyObject *list = PyList_New(n);
	struct borrow b = {.thread = PyThread_get_thread_ident()};
	size_t i;

	for (i = 0; list && i < n; i++) {
		struct pevent *e = borrow__event(&b, k, &recs[i]);
		PyObject *value = e ? pevent__value(e, s) : NULL;

		if (e)
			borrow__done(&b, e);
		if (!value) {
			Py_CLEAR(list);
			break;
		}
		PyList_SET_ITEM(list, i, value);
	}
	borrow__free(&b);
	return_ptr(list);
}

static PyObject *ints_of(PyObject *list)
{
	Py_ssize_t i, n = PyList_GET_SIZE(list);
	struct column *c = ints(8, false, n);

	for (i = 0; c && i < n; i++) {
		PyObject *num = PyList_GET_ITEM(list, i);

		if (num != Py_None)
			((u64 *)c->bytes)[i] = PyLong_AsUnsignedLongLongMask(num);
	}
	if (PyErr_Occurred())
		Py_CLEAR(c);
	return view_of(c);
}

static const char *bytes_of(PyObject *text, PyObject **keep, Py_ssize_t *len)
{
	*len = 0;
	*keep = text == Py_None ? NULL : PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
	if (!*keep)
		return NULL;
	*len = PyBytes_GET_SIZE(*keep);
	return PyBytes_AS_STRING(*keep);
}

static PyObject *texts_of(PyObject *list)
{
	Py_ssize_t i, len, width = 1, n = PyList_GET_SIZE(list);
	struct column *c;
	char format[16];

	for (i = 0; i < n; i++) {
		PyObject *text = PyList_GET_ITEM(list, i);

		len = text == Py_None ? 0 : 4 * PyUnicode_GetLength(text);
		width = len > width ? len : width;
	}
	snprintf(format, sizeof(format), "%us", (unsigned int)width);
	c = new_column(format, width, n, 1, 1);
	for (i = 0; c && i < n; i++) {
		_cleanup_decref_ PyObject *keep = NULL;
		const char *bytes = bytes_of(PyList_GET_ITEM(list, i), &keep, &len);

		if (bytes)
			memcpy(c->bytes + i * width, bytes, len);
	}
	return view_of(c);
}

static bool all_are(PyObject *list, int (*check)(PyObject *o))
{
	Py_ssize_t i;

	for (i = 0; i < PyList_GET_SIZE(list); i++)
		if (PyList_GET_ITEM(list, i) != Py_None && !check(PyList_GET_ITEM(list, i)))
			return false;
	return true;
}

static int is_int(PyObject *o)
{
	return PyLong_Check(o);
}

static int is_text(PyObject *o)
{
	return PyUnicode_Check(o);
}

static PyObject *gather_values(struct kind *k, const struct slot *s, const struct record *recs,
			       size_t n)
{
	_cleanup_decref_ PyObject *list = values_of(k, s, recs, n);

	if (!list)
		return NULL;
	if (all_are(list, is_int))
		return ints_of(list);
	if (all_are(list, is_text))
		return texts_of(list);
	return PyErr_Format(PyExc_TypeError, "%U of %U has no column: read it from each event",
			    s->name, k->label);
}

PyObject *column__gather(struct kind *k, const struct slot *s, const struct record *recs, size_t n)
{
	bool common = s->field && s->get == get_common;

	if (s->field && !common)
		return gather_field(k, s->field, recs, n);
	if (s->get == get_head && s->what <= HEAD_CPU)
		return gather_head(s->what, recs, n);
	return gather_values(k, s, recs, n);
}
