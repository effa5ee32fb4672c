// SPDX-License-Identifier: GPL-2.0-only
/* help.c - `tamis python -e EVENT help`: a ready script, written by tamis/_help.py. */
#include <errno.h>
#include "embed.h"

static const char *python_type(const struct field *f)
{
	switch (f->kind) {
	case FIELD_INT:
		return "int";
	case FIELD_TEXT:
		return "str";
	default:
		return "bytes";
	}
}

static int add_field(PyObject *list, const char *name, const char *type, const char *c_type)
{
	_cleanup_decref_ PyObject *field = Py_BuildValue("(sss)", name, type, c_type);

	return field ? PyList_Append(list, field) : -1;
}

static PyObject *fields_of(const struct event *event)
{
	_cleanup_decref_ PyObject *list = PyList_New(0);
	size_t i;

	for (i = 0; list && i < event->nr_fields; i++) {
		const struct field *f = &event->fields[i];

		if (add_field(list, f->name, python_type(f), f->type ? f->type : ""))
			return NULL;
	}
	return_ptr(list);
}

/* (label, handler, as written, is it a source?, [(field, Python type, C type)]) of each event */
static PyObject *events_of(struct session *session)
{
	_cleanup_decref_ PyObject *list = PyList_New(0);
	size_t i;

	for (i = 0; list && i < session__nr_events(session); i++) {
		const struct event *event = session__event(session, i);
		PyObject *fields = fields_of(event);
		_cleanup_decref_ PyObject *item = NULL;

		if (fields)
			item = Py_BuildValue("(sssON)", event->label, event->handler,
					     event->spec ? event->spec->text : event->label,
					     event->kind == SPEC_SOURCE ? Py_True : Py_False,
					     fields);
		if (!item || PyList_Append(list, item))
			return NULL;
	}
	return_ptr(list);
}

static int write_help(struct session *session, bool perf_prof, struct strbuf *out)
{
	_cleanup_decref_ PyObject *module = PyImport_ImportModule("tamis._help");
	_cleanup_decref_ PyObject *events = module ? events_of(session) : NULL, *text = NULL;
	const char *s = NULL;

	if (events)
		text = PyObject_CallMethod(module, "script", "OO", events,
					   perf_prof ? Py_True : Py_False);
	if (text)
		s = PyUnicode_AsUTF8(text);
	if (s)
		strbuf__puts(out, s);
	return s ? 0 : -1;
}

int script__help(const struct script_opts *opts, struct session *session, struct strbuf *out,
		 struct err *err)
{
	int ret = interpreter__start(opts, err);

	if (!ret && write_help(session, opts->perf_prof, out)) {
		PyErr_PrintEx(0);
		ret = err__set(err, EINVAL, "the help script cannot be written");
	}
	if (Py_IsInitialized())
		Py_FinalizeEx();
	return ret;
}
