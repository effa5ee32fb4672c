// SPDX-License-Identifier: GPL-2.0-only
/* functions.c - what the module offers without a session: parse(), events(), symbolize(). */
#include <string.h>
#include "../data_dirs.h"
#include "../event/catalog.h"
#include "../symbol/symbolizer.h"
#include "functions.h"

/* --- parse --- */

/* Steals @value. None is left out: only what was written is in the dict. */
static int put(PyObject *dict, const char *name, PyObject *value)
{
	int ret = !value ? -1 : value == Py_None ? 0 : PyDict_SetItemString(dict, name, value);

	Py_XDECREF(value);
	return ret;
}

static PyObject *text(const char *s)
{
	if (!s)
		Py_RETURN_NONE;
	return text__object(s, strlen(s));
}

static PyObject *flag(bool set)
{
	PyObject *value = set ? Py_True : Py_None;

	Py_INCREF(value);
	return value;
}

static PyObject *count(u64 n)
{
	if (!n)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLongLong(n);
}

static PyObject *list(const struct spec_list *l)
{
	PyObject *list;
	size_t i;

	if (!l->n)
		Py_RETURN_NONE;
	list = PyList_New(l->n);
	for (i = 0; list && i < l->n; i++)
		PyList_SET_ITEM(list, i, text(l->v[i].s));
	return list;
}

static const char *kind_name(enum spec_kind kind)
{
	static const char *const names[] = {
		[SPEC_TRACEPOINT] = "tracepoint", [SPEC_SOURCE] = "source",
		[SPEC_FENTRY] = "fentry",	  [SPEC_FEXIT] = "fexit",
		[SPEC_KPROBE] = "kprobe",	  [SPEC_KRETPROBE] = "kretprobe",
		[SPEC_UPROBE] = "uprobe",	  [SPEC_URETPROBE] = "uretprobe",
		[SPEC_USDT] = "usdt",
	};

	return names[kind];
}

static int put_ops(PyObject *dict, const struct event_spec *s)
{
	static const char *const names[AGG_MAX_OP] = {"count", "sum",  "min",  "max",
						      "avg",   "hist", "lhist"};
	int op;

	for (op = 0; op < AGG_MAX_OP; op++)
		if (s->ops[op] &&
		    put(dict, names[op], op == AGG_COUNT ? flag(true) : text(s->op[op].s)))
			return -1;
	return 0;
}

static PyObject *spec_object(const struct event_spec *s)
{
	_cleanup_decref_ PyObject *dict = PyDict_New();

	if (!dict || put(dict, "text", text(s->text)) || put(dict, "kind", text(kind_name(s->kind))) ||
	    put(dict, "system", text(s->system)) || put(dict, "name", text(s->name)) ||
	    put(dict, "file", text(s->file)) || put(dict, "offset", count(s->offset)) ||
	    put(dict, "filter", text(s->filter.s)) || put(dict, "options", text(s->options.s)) ||
	    put(dict, "alias", text(s->alias)) || put(dict, "cpus", text(s->cpus)) ||
	    put(dict, "preset", text(s->preset)) || put(dict, "stack", flag(s->stack)) ||
	    put(dict, "ustring", list(&s->ustring)) || put(dict, "by", list(&s->by)) ||
	    put(dict, "key", list(&s->key)) || put(dict, "keep", list(&s->keep)) ||
	    put(dict, "since", text(s->since)) || put(dict, "emit", flag(s->emit)) ||
	    put(dict, "maxlen", count(s->maxlen)) || put(dict, "sample", count(s->sample)) ||
	    put(dict, "rate", count(s->rate)) || put(dict, "top", count(s->top)) ||
	    put(dict, "entries", count(s->entries)) || put_ops(dict, s))
		return NULL;
	return_ptr(dict);
}

static PyObject *specs_object(const struct event_specs *specs)
{
	_cleanup_decref_ PyObject *list = PyList_New(specs->n);
	size_t i;

	for (i = 0; list && i < specs->n; i++) {
		PyObject *spec = spec_object(specs->v[i]);

		if (!spec)
			return NULL;
		PyList_SET_ITEM(list, i, spec);
	}
	return_ptr(list);
}

PyObject *functions__parse(PyObject *module, PyObject *event)
{
	const char *asked = PyUnicode_AsUTF8(event);
	const char *dirs[3] = {NULL};
	char own[256], installed[256];
	struct event_specs specs = {0};
	struct err err = {0};
	PyObject *ret = NULL;
	size_t n = 0;

	if (!asked)
		return NULL;
	if (user_dir("presets", own, sizeof(own)))
		dirs[n++] = own;
	if (data_dir("presets", installed, sizeof(installed)))
		dirs[n++] = installed;
	if (spec__parse(&specs, asked, dirs, NULL, &err))
		errors__raise(&err);
	else
		ret = specs_object(&specs);
	spec__free(&specs);
	return ret;
}

/* --- events --- */

static int add_name(void *list, const char *system, const char *name)
{
	_cleanup_decref_ PyObject *full = PyUnicode_FromFormat("%s:%s", system, name);

	return full ? PyList_Append(list, full) : -1;
}

static PyObject *list_events(struct catalog *catalog, const char *glob)
{
	_cleanup_decref_ PyObject *list = PyList_New(0);
	const char *colon = strchr(glob, ':');
	struct err err = {0};
	char system[256];

	snprintf(system, sizeof(system), "%.*s", colon ? (int)(colon - glob) : 1,
		 colon ? glob : "*");
	if (!list || !catalog__each(catalog, system, colon ? colon + 1 : glob, add_name, list, &err))
		return_ptr(list);
	return errors__raise(&err);
}

PyObject *functions__events(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"glob", "tracefs", NULL};
	const char *glob = "*:*", *tracefs = NULL;
	struct catalog *catalog = NULL;
	struct err err = {0};
	PyObject *ret;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|sz:events", names, &glob, &tracefs))
		return NULL;
	if (catalog__open(&catalog, tracefs, NULL, &err))
		return errors__raise(&err);
	ret = list_events(catalog, glob);
	catalog__close(catalog);
	return ret;
}

/* --- symbolize --- */

static u64 *addresses_of(PyObject *addrs, Py_ssize_t *n)
{
	_cleanup_decref_ PyObject *fast = PySequence_Fast(addrs, "addrs is a list of ints");
	u64 *ips;
	Py_ssize_t i;

	if (!fast)
		return NULL;
	*n = PySequence_Fast_GET_SIZE(fast);
	ips = PyMem_Calloc(*n + 1, sizeof(*ips));
	for (i = 0; ips && i < *n; i++)
		ips[i] = PyLong_AsUnsignedLongLongMask(PySequence_Fast_GET_ITEM(fast, i));
	if (ips && !PyErr_Occurred())
		return ips;
	PyMem_Free(ips);
	return NULL;
}

/* One by one: these are addresses of code, not a chain whose upper ones are return addresses. */
static PyObject *name_all(struct symbolizer *symbolizer, u32 pid, const u64 *ips, Py_ssize_t n)
{
	_cleanup_decref_ PyObject *list = PyList_New(n);
	Py_ssize_t i;

	for (i = 0; list && i < n; i++) {
		struct frame frame = {.addr = ips[i]};
		PyObject *object;

		symbolizer__frames(symbolizer, pid, 0, &ips[i], 1, &frame);
		object = callchain__frame(&frame);
		if (!object)
			return NULL;
		PyList_SET_ITEM(list, i, object);
	}
	return_ptr(list);
}

PyObject *functions__symbolize(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"pid", "addrs", NULL};
	struct symbolizer *symbolizer = NULL;
	struct err err = {0};
	PyObject *addrs, *ret;
	unsigned int pid;
	Py_ssize_t n;
	u64 *ips;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "IO:symbolize", names, &pid, &addrs))
		return NULL;
	ips = addresses_of(addrs, &n);
	if (!ips)
		return NULL;
	if (symbolizer__new(&symbolizer, NULL, NULL, &err))
		ret = errors__raise(&err);
	else
		ret = name_all(symbolizer, pid, ips, n);
	symbolizer__free(symbolizer);
	PyMem_Free(ips);
	return ret;
}
