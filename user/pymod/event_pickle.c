// SPDX-License-Identifier: GPL-2.0-only
/*
 * event_pickle.c - events that travel to other processes, and events made for tests.
 *
 * A pickled event is its kind (shared by all events of one pickle), its head and its bytes. A
 * pickled kind is what struct event says. Layouts travel as bytes, checked by their size.
 */
#include <string.h>
#include "pymod.h"

/* --- kinds, out --- */

static PyObject *field_object(const struct field *f)
{
	return Py_BuildValue("(ssiiIIIIiII)", f->name, f->type, f->kind, f->where, f->offset,
			     f->room, f->size, f->elem_size, (int)f->is_signed,
			     (unsigned int)f->slot, (unsigned int)f->kept);
}

static PyObject *fields_object(const struct event *event)
{
	_cleanup_decref_ PyObject *tuple = PyTuple_New(event->nr_fields);
	size_t i;

	for (i = 0; tuple && i < event->nr_fields; i++) {
		PyObject *field = field_object(&event->fields[i]);

		if (!field)
			return NULL;
		PyTuple_SET_ITEM(tuple, i, field);
	}
	return_ptr(tuple);
}

PyObject *kind__reduce(PyObject *self, PyObject *unused)
{
	const struct event *event = ((struct kind *)self)->event;
	const struct event_format *format = event->format;
	_cleanup_decref_ PyObject *module = PyImport_ImportModule("_tamis");
	_cleanup_decref_ PyObject *restore =
		module ? PyObject_GetAttrString(module, "_restore_kind") : NULL;
	PyObject *fields = restore ? fields_object(event) : NULL;

	if (!fields)
		return NULL;
	return Py_BuildValue("(O(zzzzz#iiIiNy#y#L))", restore, event->label, event->handler,
			     format ? format->system : NULL, format ? format->name : NULL,
			     format ? format->text : NULL,
			     (Py_ssize_t)(format && format->text ? strlen(format->text) : 0),
			     event->kind, event->transport, event->with, (int)event->index, fields,
			     (const char *)&event->layout, (Py_ssize_t)sizeof(event->layout),
			     (const char *)&event->sample, (Py_ssize_t)sizeof(event->sample),
			     (long long)(event->clock ? event->clock->offset : 0));
}

/* --- kinds, in --- */

static char *copy_text(const char *s)
{
	return s ? strdup(s) : NULL;
}

static int restore_field(struct field *f, PyObject *tuple, char **strings, const char *end)
{
	const char *name, *type;
	int kind, where, is_signed;
	unsigned int slot, kept;

	if (!PyTuple_Check(tuple) ||
	    !PyArg_ParseTuple(tuple, "ssiiIIIIiII", &name, &type, &kind, &where, &f->offset,
			      &f->room, &f->size, &f->elem_size, &is_signed, &slot, &kept))
		return -1;
	if (*strings + strlen(name) + strlen(type) + 2 > end)
		return -1;
	f->name = strcpy(*strings, name);
	f->type = strcpy(*strings + strlen(name) + 1, type);
	*strings += strlen(name) + strlen(type) + 2;
	f->kind = kind;
	f->where = where;
	f->is_signed = is_signed;
	f->slot = slot;
	f->kept = kept;
	return 0;
}

static size_t strings_size(PyObject *fields)
{
	Py_ssize_t i;
	size_t size = 0;
	const char *name, *type;

	for (i = 0; i < PyTuple_GET_SIZE(fields); i++) {
		PyObject *f = PyTuple_GET_ITEM(fields, i);

		name = PyTuple_Check(f) && PyTuple_GET_SIZE(f) > 1 ?
			       PyUnicode_AsUTF8(PyTuple_GET_ITEM(f, 0)) :
			       NULL;
		type = name ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(f, 1)) : NULL;
		if (!type)
			return 0;
		size += strlen(name) + strlen(type) + 2;
	}
	return size + 1;
}

static int restore_fields(struct event *event, PyObject *fields, char **strings)
{
	size_t n = PyTuple_GET_SIZE(fields), size = strings_size(fields), i;
	char *at;

	if (!size)
		return -1;
	at = *strings = PyMem_RawCalloc(1, size);
	event->fields = calloc(n + 1, sizeof(*event->fields));
	if (!*strings || !event->fields)
		return -1;
	for (i = 0; i < n; i++)
		if (restore_field(&event->fields[i], PyTuple_GET_ITEM(fields, i), &at,
				  *strings + size))
			return -1;
	event->nr_fields = n;
	return 0;
}

static int restore_clock(struct event *event, long long offset)
{
	event->clock = calloc(1, sizeof(*event->clock));
	if (!event->clock)
		return -1;
	event->clock->refs = 1;
	event->clock->offset = offset;
	return 0;
}

/* Without the text of the format nothing is lost but the kernel's own way to print it. */
static int restore_format(struct event *event, const char *system, const char *name,
			  const char *text, Py_ssize_t len)
{
	struct err err = {0};

	if (!text || !system || !name)
		return 0;
	if (event_format__parse(&event->format, system, name, text, len, &err)) {
		errors__raise(&err);
		return -1;
	}
	return 0;
}

static int fill_event(struct event *event, PyObject *args, char **strings)
{
	const char *label, *handler, *system, *name, *text, *layout, *sample;
	Py_ssize_t text_len, layout_len, sample_len;
	int kind, transport, index;
	unsigned int with;
	PyObject *fields;
	long long offset;

	if (!PyArg_ParseTuple(args, "zzzzz#iiIiO!y#y#L", &label, &handler, &system, &name, &text,
			      &text_len, &kind, &transport, &with, &index, &PyTuple_Type, &fields,
			      &layout, &layout_len, &sample, &sample_len, &offset))
		return -1;
	if (layout_len != sizeof(event->layout) || sample_len != sizeof(event->sample) || !label) {
		PyErr_SetString(PyExc_ValueError, "pickled by another version of tamis");
		return -1;
	}
	event->refs = 1;
	event->label = copy_text(label);
	event->handler = copy_text(handler);
	event->kind = kind;
	event->transport = transport;
	event->with = with;
	event->index = index;
	memcpy(&event->layout, layout, sizeof(event->layout));
	memcpy(&event->sample, sample, sizeof(event->sample));
	if (restore_format(event, system, name, text, text_len) ||
	    restore_fields(event, fields, strings) || restore_clock(event, offset))
		return -1;
	return 0;
}

/* A kind that no session knows; @strings are its own from here on. */
static PyObject *detached_kind(struct event *event, char *strings)
{
	struct kind *k = kind__new(event, NULL);

	if (k)
		k->strings = strings;
	else
		PyMem_RawFree(strings);
	return (PyObject *)k;
}

PyObject *pymod__restore_kind(PyObject *module, PyObject *args)
{
	struct event *event = calloc(1, sizeof(*event));
	char *strings = NULL;
	PyObject *kind = NULL;

	if (!event)
		return PyErr_NoMemory();
	event->refs = 1;
	if (!fill_event(event, args, &strings))
		kind = detached_kind(event, strings);
	else
		PyMem_RawFree(strings);
	event__put(event);
	if (!kind && !PyErr_Occurred())
		PyErr_SetString(PyExc_ValueError, "not a pickled event");
	return kind;
}

/* --- events --- */

PyObject *pevent__reduce(PyObject *self, PyObject *unused)
{
	const struct pevent *e = (struct pevent *)self;
	_cleanup_decref_ PyObject *module = PyImport_ImportModule("_tamis");
	_cleanup_decref_ PyObject *restore =
		module ? PyObject_GetAttrString(module, "_restore") : NULL;

	if (!restore)
		return NULL;
	return Py_BuildValue("(O(OKIIIIy#))", restore, e->kind, (unsigned long long)e->rec.time,
			     e->rec.tgid, e->rec.tid, (unsigned int)e->rec.cpu,
			     (unsigned int)e->rec.flags, (const char *)e->rec.data,
			     (Py_ssize_t)e->rec.size);
}

PyObject *pymod__restore(PyObject *module, PyObject *args)
{
	unsigned int tgid, tid, cpu, flags;
	unsigned long long time;
	struct record rec = {0};
	struct kind *k;
	Py_ssize_t size;
	const char *data;

	if (!PyArg_ParseTuple(args, "O!KIIIIy#", &kind_type, &k, &time, &tgid, &tid, &cpu, &flags,
			      &data, &size))
		return NULL;
	rec = (struct record){.time = time, .data = data, .event = k->event, .size = size,
			      .tgid = tgid, .tid = tid, .cpu = cpu, .flags = flags};
	return (PyObject *)pevent__copy(k, &rec);
}
