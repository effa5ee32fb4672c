// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "../base/array.h"
#include "session_options.h"

static int push(struct session_options *so, char *word)
{
	if (word && !array__push(so->argv, so->argc, so->room, word))
		return 0;
	free(word);
	PyErr_NoMemory();
	return -1;
}

/* "--name" or "--name=VALUE" */
static int push_option(struct session_options *so, const char *name, const char *value)
{
	char *word = NULL, *c;

	if (asprintf(&word, value ? "--%s=%s" : "--%s", name, value) < 0)
		word = NULL;
	for (c = word; c && *c && *c != '='; c++)
		if (*c == '_')
			*c = '-';
	/* with_= is --with */
	if (c && c > word + 2 && c[-1] == '-')
		memmove(c - 1, c, strlen(c) + 1);
	return push(so, word);
}

static const char *text_of(PyObject *value, PyObject **keep)
{
	*keep = PyObject_Str(value);
	return *keep ? PyUnicode_AsUTF8(*keep) : NULL;
}

static int push_value(struct session_options *so, const char *name, PyObject *value)
{
	_cleanup_decref_ PyObject *keep = NULL;
	const char *text = text_of(value, &keep);

	return text ? push_option(so, name, text) : -1;
}

static bool is_list(PyObject *value)
{
	return PyList_Check(value) || PyTuple_Check(value);
}

/* Of these each may be given many times; other lists are one value with commas. */
static bool is_repeated(const char *name)
{
	static const char *const names[] = {"cgroup", "cgroups", "container", "presets"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static int push_list(struct session_options *so, const char *name, PyObject *list)
{
	_cleanup_decref_ PyObject *fast = PySequence_Fast(list, "a list"), *joined = NULL;
	_cleanup_decref_ PyObject *texts = PyList_New(0), *comma = PyUnicode_FromString(",");
	Py_ssize_t i;

	for (i = 0; fast && texts && i < PySequence_Fast_GET_SIZE(fast); i++) {
		PyObject *item = PySequence_Fast_GET_ITEM(fast, i);
		_cleanup_decref_ PyObject *text = PyObject_Str(item);

		if (is_repeated(name) ? push_value(so, name, item) :
					!text || PyList_Append(texts, text))
			return -1;
	}
	if (is_repeated(name))
		return fast ? 0 : -1;
	joined = texts && comma ? PyUnicode_Join(comma, texts) : NULL;
	return joined ? push_value(so, name, joined) : -1;
}

static int push_keyword(struct session_options *so, PyObject *key, PyObject *value)
{
	const char *name = PyUnicode_AsUTF8(key);

	if (!name)
		return -1;
	if (!strcmp(name, "workload") || value == Py_None || value == Py_False)
		return 0;
	if (value == Py_True)
		return push_option(so, name, NULL);
	return is_list(value) ? push_list(so, name, value) : push_value(so, name, value);
}

static int push_events(struct session_options *so, PyObject *args)
{
	Py_ssize_t i;

	for (i = 0; i < PyTuple_GET_SIZE(args); i++) {
		PyObject *event = PyTuple_GET_ITEM(args, i);

		if (!PyUnicode_Check(event)) {
			PyErr_SetString(PyExc_TypeError, "events are strings, as behind -e");
			return -1;
		}
		if (push_value(so, "event", event))
			return -1;
	}
	return 0;
}

static int push_workload(struct session_options *so, PyObject *kwargs)
{
	PyObject *list = kwargs ? PyDict_GetItemString(kwargs, "workload") : NULL;
	_cleanup_decref_ PyObject *fast = NULL;
	Py_ssize_t i;

	if (!list || list == Py_None)
		return 0;
	fast = PySequence_Fast(list, "workload= is a list of words");
	if (!fast || push(so, strdup("--")))
		return -1;
	for (i = 0; i < PySequence_Fast_GET_SIZE(fast); i++) {
		_cleanup_decref_ PyObject *keep = NULL;
		const char *word = text_of(PySequence_Fast_GET_ITEM(fast, i), &keep);

		if (!word || push(so, strdup(word)))
			return -1;
	}
	return 0;
}

static int make_argv(struct session_options *so, PyObject *args, PyObject *kwargs)
{
	PyObject *key, *value;
	Py_ssize_t pos = 0;

	if (push(so, strdup("Session")) || push_events(so, args))
		return -1;
	while (kwargs && PyDict_Next(kwargs, &pos, &key, &value))
		if (push_keyword(so, key, value))
			return -1;
	if (push_workload(so, kwargs) || array__push(so->argv, so->argc, so->room, NULL))
		return -1;
	so->argc--;
	return 0;
}

int session_options__parse(struct session_options *so, PyObject *args, PyObject *kwargs)
{
	struct err err = {0};

	if (make_argv(so, args, kwargs))
		return -1;
	if (!options__parse(&so->o, OPT_SESSION | OPT_SCOPE, false, so->argc, so->argv, &err) &&
	    !options__add_preset_dirs(&so->o, &err)) {
		options__finish(&so->o);
		return 0;
	}
	errors__raise(&err);
	return -1;
}

void session_options__free(struct session_options *so)
{
	size_t i;

	options__free(&so->o);
	for (i = 0; i < so->argc; i++)
		free(so->argv[i]);
	free(so->argv);
}
