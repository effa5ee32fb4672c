// SPDX-License-Identifier: GPL-2.0-only
/* event_text.c - a PerfEvent as text: repr, str, JSON, and as the trace command prints it. */
#include <string.h>
#include "../base/strbuf.h"
#include "pymod.h"

#define LABEL_SHOWN 128 /* characters of an event's name in a repr */

PyObject *pevent__repr(PyObject *self)
{
	const struct pevent *e = (struct pevent *)self;
	_cleanup_decref_ PyObject *label = PyUnicode_Substring(e->kind->label, 0, LABEL_SHOWN);

	if (!label)
		return NULL;
	return PyUnicode_FromFormat("<PerfEvent %U cpu=%u pid=%u time=%llu>", label,
				    (unsigned int)e->rec.cpu, (unsigned int)e->rec.tgid,
				    (unsigned long long)e->rec.time);
}

PyObject *pevent__str(PyObject *self)
{
	_cleanup_decref_ PyObject *dict = pevent__to_dict(self, NULL);

	return dict ? PyObject_Str(dict) : NULL;
}

/* --- JSON; one strict object, ASCII only --- */

static int json_value(struct strbuf *out, PyObject *value);

static void json_char(struct strbuf *out, Py_UCS4 c)
{
	if (c == '"' || c == '\\')
		strbuf__printf(out, "\\%c", (char)c);
	else if (c >= ' ' && c < 127)
		strbuf__putc(out, c);
	else if (c < 0x10000)
		strbuf__printf(out, "\\u%04x", c);
	else
		strbuf__printf(out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
}

static int json_text(struct strbuf *out, PyObject *text)
{
	Py_ssize_t i, n = PyUnicode_GetLength(text);

	strbuf__putc(out, '"');
	for (i = 0; i < n; i++)
		json_char(out, PyUnicode_ReadChar(text, i));
	strbuf__putc(out, '"');
	return 0;
}

static int json_bytes(struct strbuf *out, PyObject *bytes)
{
	const u8 *p = (const u8 *)PyBytes_AS_STRING(bytes);
	Py_ssize_t i, n = PyBytes_GET_SIZE(bytes);

	strbuf__putc(out, '"');
	for (i = 0; i < n; i++)
		strbuf__printf(out, "%02x", p[i]);
	strbuf__putc(out, '"');
	return 0;
}

static int json_list(struct strbuf *out, PyObject *list)
{
	Py_ssize_t i;

	strbuf__putc(out, '[');
	for (i = 0; i < PyList_GET_SIZE(list); i++) {
		if (i)
			strbuf__puts(out, ", ");
		if (json_value(out, PyList_GET_ITEM(list, i)))
			return -1;
	}
	strbuf__putc(out, ']');
	return 0;
}

static int json_dict(struct strbuf *out, PyObject *dict)
{
	PyObject *key, *value;
	Py_ssize_t pos = 0;
	const char *comma = "";

	strbuf__putc(out, '{');
	while (PyDict_Next(dict, &pos, &key, &value)) {
		strbuf__puts(out, comma);
		comma = ", ";
		json_text(out, key);
		strbuf__puts(out, ": ");
		if (json_value(out, value))
			return -1;
	}
	strbuf__putc(out, '}');
	return 0;
}

static int json_other(struct strbuf *out, PyObject *value)
{
	_cleanup_decref_ PyObject *text = PyObject_Str(value);
	const char *s = text ? PyUnicode_AsUTF8(text) : NULL;

	if (s)
		strbuf__puts(out, s);
	return s ? 0 : -1;
}

static int json_value(struct strbuf *out, PyObject *value)
{
	if (value == Py_None)
		strbuf__puts(out, "null");
	else if (PyBool_Check(value))
		strbuf__puts(out, value == Py_True ? "true" : "false");
	else if (PyUnicode_Check(value))
		return json_text(out, value);
	else if (PyBytes_Check(value))
		return json_bytes(out, value);
	else if (PyList_Check(value))
		return json_list(out, value);
	else if (PyDict_Check(value))
		return json_dict(out, value);
	else
		return json_other(out, value);
	return 0;
}

static void guard_strbuf(struct strbuf *b)
{
	strbuf__free(b);
}

PyObject *pevent__to_json(PyObject *self, PyObject *unused)
{
	_cleanup_decref_ PyObject *dict = pevent__to_dict(self, NULL);
	_cleanup_(guard_strbuf) struct strbuf out = {0};

	if (!dict || json_dict(&out, dict))
		return NULL;
	return out.failed ? PyErr_NoMemory() : PyUnicode_FromStringAndSize(out.s, out.len);
}

/* --- print --- */

static int write_stdout(const struct strbuf *text)
{
	PyObject *out = PySys_GetObject("stdout");
	_cleanup_decref_ PyObject *str = text__object(text->s ? text->s : "", text->len);

	if (!str)
		return -1;
	return !out || out == Py_None ? 0 : PyFile_WriteObject(str, out, Py_PRINT_RAW);
}

PyObject *pevent__print(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"timestamp", "callchain", NULL};
	_cleanup_(guard_strbuf) struct strbuf out = {0};
	int timestamp = 1, callchain = 1;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|pp:print", names, &timestamp, &callchain))
		return NULL;
	if (print__event(&out, (struct pevent *)self, timestamp, callchain))
		return NULL;
	if (out.failed)
		return PyErr_NoMemory();
	if (write_stdout(&out))
		return NULL;
	Py_RETURN_NONE;
}
