// SPDX-License-Identifier: GPL-2.0-only
/* raised.c - what scripts raise: one traceback, then the run ends, or goes on and counts. */
#include <string.h>
#include "../base/log.h"
#include "embed.h"

/* --- sys.exit() --- */

/* As the interpreter does it: a number is the status, None is 0, anything else is printed. */
static int exit_status(PyObject *value)
{
	_cleanup_decref_ PyObject *code = PyObject_GetAttrString(value, "code");

	if (!code || code == Py_None)
		return 0;
	if (PyLong_Check(code))
		return PyLong_AsLong(code) & 0xff;
	PySys_FormatStderr("%S\n", code);
	return 1;
}

static void exited(struct script *s)
{
	PyObject *type, *value, *traceback;

	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	s->status = exit_status(value);
	s->stopped = true;
	PyErr_Clear();
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(traceback);
}

/* --- errors --- */

static void print(struct pevent *event)
{
	PyErr_PrintEx(0);
	if (event)
		PySys_FormatStderr("while handling %R\n", event);
}

static PyTracebackObject *innermost(PyObject *traceback)
{
	PyTracebackObject *tb = (PyTracebackObject *)traceback;

	while (tb && tb->tb_next)
		tb = tb->tb_next;
	return tb;
}

/* "ValueError at file.py:12": what makes two errors the same. */
static PyObject *describe(PyObject *type, PyObject *traceback)
{
	const PyTracebackObject *tb = innermost(traceback);
	_cleanup_decref_ PyObject *code = tb ? (PyObject *)PyFrame_GetCode(tb->tb_frame) : NULL;
	_cleanup_decref_ PyObject *file =
		code ? PyObject_GetAttrString(code, "co_filename") : PyUnicode_FromString("?");
	_cleanup_decref_ PyObject *line =
		tb ? PyObject_GetAttrString((PyObject *)tb, "tb_lineno") : PyLong_FromLong(0);

	if (!file || !line)
		return NULL;
	return PyUnicode_FromFormat("%s at %U:%S", ((PyTypeObject *)type)->tp_name, file, line);
}

/* @return was it printed before? */
static bool count(struct script *s, PyObject *type, PyObject *traceback)
{
	_cleanup_decref_ PyObject *what = describe(type, traceback), *number = NULL;
	PyObject *known;

	if (!s->repeats)
		s->repeats = PyDict_New();
	if (!what || !s->repeats) {
		PyErr_Clear();
		return false;
	}
	known = PyDict_GetItem(s->repeats, what);
	number = PyLong_FromLongLong(known ? PyLong_AsLongLong(known) + 1 : 0);
	if (!number || PyDict_SetItem(s->repeats, what, number))
		PyErr_Clear();
	return known;
}

static bool is_loader(const PyTracebackObject *tb)
{
	_cleanup_decref_ PyObject *code = (PyObject *)PyFrame_GetCode(tb->tb_frame);
	_cleanup_decref_ PyObject *file = PyObject_GetAttrString(code, "co_filename");
	const char *path = file && PyUnicode_Check(file) ? PyUnicode_AsUTF8(file) : NULL;

	if (!path)
		PyErr_Clear();
	return path && (strstr(path, "/tamis/_load.py") || strstr(path, "<frozen importlib"));
}

/* How tamis came to import the script tells its author nothing. Steals and returns. */
static PyObject *without_loader(PyObject *traceback)
{
	while (traceback && is_loader((PyTracebackObject *)traceback)) {
		PyObject *next = (PyObject *)((PyTracebackObject *)traceback)->tb_next;

		Py_XINCREF(next);
		Py_DECREF(traceback);
		traceback = next;
	}
	return traceback;
}

static void count_or_print(struct script *s, struct pevent *event)
{
	PyObject *type, *value, *traceback;
	bool known;

	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	traceback = without_loader(traceback);
	PyException_SetTraceback(value, traceback ? traceback : Py_None);
	known = count(s, type, traceback);
	PyErr_Restore(type, value, traceback);
	if (known)
		PyErr_Clear();
	else
		print(event);
}

void script__raised(struct script *s, struct pevent *event)
{
	int broken;

	if (PyErr_ExceptionMatches(PyExc_SystemExit)) {
		exited(s);
		return;
	}
	if (s->interrupted && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
		PyErr_Clear();
		s->stopped |= !s->inited;
		return;
	}
	broken = output__broken();
	if (broken > 0) {
		s->stopped = true;
		return;
	}
	s->failed = true;
	if (!s->opts.on_error_continue || broken)
		s->stopped = true;
	count_or_print(s, event);
}

void script__say_repeats(struct script *s)
{
	PyObject *what, *number;
	Py_ssize_t pos = 0;

	while (s->repeats && PyDict_Next(s->repeats, &pos, &what, &number)) {
		const char *text = PyUnicode_AsUTF8(what);
		long long n = PyLong_AsLongLong(number);

		if (text && n > 0)
			log__say(s->opts.log, LOG_WARNING, "%lld more: %s", n, text);
	}
	PyErr_Clear();
}

/* --- callbacks --- */

void script__call(struct script *s, const char *name, PyObject *arg)
{
	_cleanup_decref_ PyObject *fn = script__function(s, name), *ret = NULL;

	if (!fn && !PyErr_Occurred())
		return;
	s->calls++;
	s->inside = true;
	if (fn)
		ret = PyObject_CallFunctionObjArgs(fn, arg, NULL);
	s->inside = false;
	if (!ret)
		script__raised(s, NULL);
}
