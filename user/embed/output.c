// SPDX-License-Identifier: GPL-2.0-only
/* output.c - sys.stdout: line buffered, and what is done when it cannot be written any more. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <unistd.h>
#include "embed.h"

int output__line_buffered(void)
{
	static const char *const names[] = {"stdout", "stderr"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		PyObject *file = PySys_GetObject(names[i]);
		_cleanup_decref_ PyObject *method = NULL, *kwargs = NULL, *none = NULL, *ret = NULL;

		if (!file || file == Py_None)
			continue;
		method = PyObject_GetAttrString(file, "reconfigure");
		kwargs = Py_BuildValue("{sO}", "line_buffering", Py_True);
		none = PyTuple_New(0);
		if (method && kwargs && none)
			ret = PyObject_Call(method, none, kwargs);
		if (!ret)
			return -1;
	}
	return 0;
}

int output__line(const char *fmt, ...)
{
	PyObject *out = PySys_GetObject("stdout");
	_cleanup_decref_ PyObject *text = NULL;
	char line[4200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	strcat(line, "\n");
	if (!out || out == Py_None)
		return 0;
	text = text__object(line, strlen(line));
	return text ? PyFile_WriteObject(text, out, Py_PRINT_RAW) : -1;
}

static bool reader_is_gone(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

/* What is still buffered, and what else the script prints, goes nowhere. */
static void give_up(void)
{
	_cleanup_close_ int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDOUT_FILENO);
}

static int errno_of_exception(void)
{
	PyObject *type, *value, *traceback;
	_cleanup_decref_ PyObject *number = NULL;
	int code = EIO;

	PyErr_Fetch(&type, &value, &traceback);
	PyErr_NormalizeException(&type, &value, &traceback);
	number = value ? PyObject_GetAttrString(value, "errno") : NULL;
	if (number && PyLong_Check(number))
		code = PyLong_AsLong(number);
	PyErr_Clear();
	Py_XDECREF(type);
	Py_XDECREF(value);
	Py_XDECREF(traceback);
	return code;
}

int output__flush(void)
{
	PyObject *out = PySys_GetObject("stdout");
	_cleanup_decref_ PyObject *ret = NULL;
	int code;

	if (!out || out == Py_None)
		return 0;
	ret = PyObject_CallMethod(out, "flush", NULL);
	if (ret)
		return 0;
	code = errno_of_exception();
	give_up();
	return -code;
}

int output__broken(void)
{
	PyObject *type, *value, *traceback;
	bool gone;
	int ret;

	if (!PyErr_ExceptionMatches(PyExc_OSError))
		return 0;
	PyErr_Fetch(&type, &value, &traceback);
	gone = reader_is_gone();
	ret = output__flush() ? -1 : 0;
	if (gone) {
		ret = 1;
		Py_XDECREF(type);
		Py_XDECREF(value);
		Py_XDECREF(traceback);
	} else {
		PyErr_Restore(type, value, traceback);
	}
	return ret;
}
