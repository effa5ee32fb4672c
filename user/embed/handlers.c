// SPDX-License-Identifier: GPL-2.0-only
/* handlers.c - which function of the script gets which event, and what the script reads of it. */
#include <errno.h>
#include <string.h>
#include "../base/log.h"
#include "../base/suggest.h"
#include "embed.h"

/*
 * Looked for in the module's own names: every module has a method-wrapper `__init__`, which is no
 * callback.
 */
PyObject *script__function(struct script *s, const char *name)
{
	PyObject *fn = PyDict_GetItemString(PyModule_GetDict(s->module), name);

	if (!fn)
		return NULL;
	if (!PyCallable_Check(fn))
		return PyErr_Format(PyExc_TypeError, "%s of %s is not callable", name,
				    s->opts.script);
	Py_INCREF(fn);
	return fn;
}

/* --- one event --- */

static PyObject *own_batch(struct script *s, const struct event *event)
{
	char name[512];

	snprintf(name, sizeof(name), "%s__batch", event->handler);
	return script__function(s, name);
}

/* The more particular wins: the event's own handlers, then those for all; whole batches first. */
static void find(struct script *s, struct handler *h, const struct event *event)
{
	h->batch = own_batch(s, event);
	if (!h->batch && !PyErr_Occurred())
		h->call = script__function(s, event->handler);
	if (!h->batch && !h->call && !PyErr_Occurred())
		h->batch = script__function(s, "__batch__");
	if (!h->batch && !h->call && !PyErr_Occurred())
		h->call = script__function(s, "__sample__");
}

/* --- names that look like handlers --- */

static bool is_wanted(struct script *s, const char *name)
{
	size_t i, n;

	for (i = 0; i < s->nr_handlers; i++) {
		const char *handler = session__event(s->session, i)->handler;

		n = strlen(handler);
		if (!strncmp(name, handler, n) && (!name[n] || !strcmp(name + n, "__batch")))
			return true;
	}
	return false;
}

/* "sys__name" with one parameter, made in this script. */
static bool looks_like_handler(const char *name, PyObject *value)
{
	const char *sep = strstr(name, "__");
	PyCodeObject *code;
	bool one;

	if (!sep || sep == name || !sep[2] || !PyFunction_Check(value))
		return false;
	code = (PyCodeObject *)PyFunction_GetCode(value);
	one = code->co_argcount == 1 && !code->co_kwonlyargcount;
	return one && *name != '_';
}

static void warn(struct script *s, const char *name)
{
	const char *handlers[64], *near = NULL;
	size_t i, n = s->nr_handlers < 64 ? s->nr_handlers : 64;

	for (i = 0; i < n; i++)
		handlers[i] = session__event(s->session, i)->handler;
	if (suggest__nearest(name, handlers, n, &near, 1) > 0)
		log__once(s->opts.log, LOG_WARNING,
			  "%s() is no handler of an event that was asked for; near: %s()", name,
			  near);
	else
		log__once(s->opts.log, LOG_WARNING,
			  "%s() is no handler of an event that was asked for", name);
}

static void warn_about_names(struct script *s)
{
	PyObject *key, *value;
	Py_ssize_t pos = 0;

	while (PyDict_Next(PyModule_GetDict(s->module), &pos, &key, &value)) {
		const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;

		if (name && looks_like_handler(name, value) && !is_wanted(s, name))
			warn(s, name);
	}
	PyErr_Clear();
}

/* --- all events --- */

int handlers__find(struct script *s, struct err *err)
{
	size_t i;

	s->nr_handlers = session__nr_events(s->session);
	s->handlers = calloc(s->nr_handlers + 1, sizeof(*s->handlers));
	if (!s->handlers)
		return err__set(err, ENOMEM, "no memory for %zu events", s->nr_handlers);
	for (i = 0; i < s->nr_handlers; i++) {
		find(s, &s->handlers[i], session__event(s->session, i));
		if (PyErr_Occurred()) {
			script__raised(s, NULL);
			return SCRIPT_STOP;
		}
	}
	if (!s->opts.perf_prof)
		warn_about_names(s);
	return 0;
}

void handlers__free(struct script *s)
{
	size_t i;

	for (i = 0; i < s->nr_handlers && s->handlers; i++) {
		Py_XDECREF(s->handlers[i].call);
		Py_XDECREF(s->handlers[i].batch);
	}
	free(s->handlers);
	s->handlers = NULL;
	s->nr_handlers = 0;
}

/* --- what the script reads --- */

static bool names_it(struct script *s, const char *name)
{
	_cleanup_decref_ PyObject *text = PyUnicode_FromString(name);

	return text && s->names && PyAnySet_Check(s->names) && PySet_Contains(s->names, text) == 1;
}

static u32 extras_named(struct script *s)
{
	static const char *const extras[EXTRA_MAX] = {
		[EXTRA_COMM] = "_comm",	  [EXTRA_PPID] = "_ppid",     [EXTRA_UID] = "_uid",
		[EXTRA_NSPID] = "_nspid", [EXTRA_NSTID] = "_nstid",   [EXTRA_CGROUP] = "_cgroup",
		[EXTRA_CONTAINER] = "_container",
	};
	enum extra which;
	u32 with = 0;

	for (which = 0; which < EXTRA_MAX; which++)
		if (names_it(s, extras[which]))
			with |= 1u << which;
	return with;
}

/* perf-prof's scripts count on common_flags; of code that cannot be looked at the worst is assumed. */
static bool reads_flags(struct script *s)
{
	if (names_it(s, "common_flags") || names_it(s, "common_preempt_count"))
		return true;
	return s->opts.perf_prof && !(s->names && PyAnySet_Check(s->names));
}

int handlers__needs(struct script *s, struct err *err)
{
	u32 with = extras_named(s);
	bool named = names_it(s, ".print");
	bool flags = reads_flags(s);
	size_t i;
	int ret = 0;

	for (i = 0; i < s->nr_handlers && !ret; i++) {
		if (!s->handlers[i].call && !s->handlers[i].batch)
			continue;
		if (named) /* event.print() */
			session__need_names(s->session);
		if (with)
			session__need_extras(s->session, i, with);
		if (flags && session__event(s->session, i)->kind == SPEC_TRACEPOINT)
			ret = session__need_perf(s->session, i, err);
	}
	return ret;
}
