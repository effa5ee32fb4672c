// SPDX-License-Identifier: GPL-2.0-only
/* kind.c - one event of a session as its objects see it: names, and how each is read. */
#include "pymod.h"

#define SLOTS_GROW 32

static int add_slot(struct kind *k, const char *name, const struct slot *what)
{
	struct slot *s;

	if (k->nr_slots % SLOTS_GROW == 0) {
		s = PyMem_Realloc(k->slots, (k->nr_slots + SLOTS_GROW) * sizeof(*s));
		if (!s) {
			PyErr_NoMemory();
			return -1;
		}
		k->slots = s;
	}
	s = &k->slots[k->nr_slots];
	*s = *what;
	s->index = k->nr_slots;
	s->name = PyUnicode_InternFromString(name);
	if (!s->name)
		return -1;
	k->nr_slots++;
	return 0;
}

static int add_head(struct kind *k, const char *name, enum head_field what)
{
	const struct slot s = {.get = get_head, .what = what};

	return add_slot(k, name, &s);
}

static int add_field(struct kind *k, const struct field *f)
{
	struct slot s = {.field = f};

	field__slot(&s, k->event, f);
	return add_slot(k, f->name, &s);
}

static int add_ids(struct kind *k)
{
	return add_head(k, "_pid", HEAD_PID) || add_head(k, "_tid", HEAD_TID) ||
	       add_head(k, "_time", HEAD_TIME) || add_head(k, "_cpu", HEAD_CPU);
}

static int add_callchain(struct kind *k)
{
	const struct slot s = {.get = get_callchain, .cached = true};

	return add_slot(k, "_callchain", &s);
}

static int add_common(struct kind *k)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(common_fields); i++) {
		const struct slot s = {.get = get_common, .field = &common_fields[i], .what = i};

		if (add_slot(k, common_fields[i].name, &s))
			return -1;
	}
	return 0;
}

/* What every tracepoint-like event has before its own fields, in the contract's order. */
static int add_tracepoint(struct kind *k)
{
	size_t i;

	if (add_ids(k) || add_head(k, "_period", HEAD_PERIOD) || add_common(k) ||
	    add_head(k, "_realtime", HEAD_REALTIME) || add_callchain(k) ||
	    add_head(k, "_event", HEAD_EVENT))
		return -1;
	for (i = 0; i < k->event->nr_fields; i++)
		if (add_field(k, &k->event->fields[i]))
			return -1;
	return 0;
}

static int add_source(struct kind *k)
{
	return add_ids(k) || add_head(k, "_realtime", HEAD_REALTIME) ||
	       add_head(k, "_event", HEAD_EVENT) || sample_fields__add(k, add_slot);
}

static const char *const extra_names[EXTRA_MAX] = {
	[EXTRA_COMM] = "_comm",	  [EXTRA_PPID] = "_ppid",     [EXTRA_UID] = "_uid",
	[EXTRA_NSPID] = "_nspid", [EXTRA_NSTID] = "_nstid",   [EXTRA_CGROUP] = "_cgroup",
	[EXTRA_CONTAINER] = "_container",
};

static int add_extras(struct kind *k, bool captured)
{
	enum extra which;

	for (which = 0; which < EXTRA_MAX; which++) {
		const struct slot s = {.get = get_extra, .what = which, .cached = true};

		if (captured != !!(k->event->with & 1u << which))
			continue;
		if (add_slot(k, extra_names[which], &s))
			return -1;
	}
	return 0;
}

/* Can be read, but are not fields: not in keys(). */
static int add_unlisted(struct kind *k)
{
	if (add_extras(k, false) || add_head(k, "_hostpid", HEAD_HOSTPID) ||
	    add_head(k, "_hosttid", HEAD_HOSTTID))
		return -1;
	return k->event->kind == SPEC_SOURCE ? add_callchain(k) : 0;
}

static int add_slots(struct kind *k)
{
	if (k->event->kind == SPEC_SOURCE ? add_source(k) : add_tracepoint(k))
		return -1;
	if (add_extras(k, true))
		return -1;
	k->nr_listed = k->nr_slots;
	return add_unlisted(k);
}

static void enter(struct kind *k, const struct slot *s)
{
	size_t i = ((uintptr_t)s->name >> 4) & k->mask;

	while (k->table[i].name)
		i = (i + 1) & k->mask;
	k->table[i].name = s->name;
	k->table[i].slot = s;
}

static int enter_value(struct kind *k, const struct slot *s)
{
	_cleanup_decref_ PyObject *index = PyLong_FromLong(s->index);

	return index ? PyDict_SetItem(k->by_value, s->name, index) : -1;
}

/* The first of two slots of one name wins: a source may have a part that is called as the head. */
static int make_table(struct kind *k)
{
	unsigned int i;
	size_t size = 16;

	while (size < 2 * k->nr_slots)
		size *= 2;
	k->mask = size - 1;
	k->table = PyMem_Calloc(size, sizeof(*k->table));
	k->by_value = PyDict_New();
	if (!k->table || !k->by_value) {
		PyErr_NoMemory();
		return -1;
	}
	for (i = 0; i < k->nr_slots; i++) {
		const struct slot *s = &k->slots[i];
		int known = PyDict_Contains(k->by_value, s->name);

		if (known < 0 || (!known && enter_value(k, s)))
			return -1;
		if (!known)
			enter(k, s);
	}
	return 0;
}

struct kind *kind__new(struct event *event, struct origin *origin)
{
	struct kind *k = PyObject_New(struct kind, &kind_type);

	if (!k)
		return NULL;
	memset((char *)k + sizeof(k->ob_base), 0, sizeof(*k) - sizeof(k->ob_base));
	k->event = event__get(event);
	k->origin = origin ? origin__get(origin) : NULL;
	k->raw_at = event->transport == TRANSPORT_PERF ? 0 : event->layout.raw;
	k->label = text__object(event->label, strlen(event->label));
	if (!k->label || add_slots(k) || make_table(k))
		Py_CLEAR(k);
	return k;
}

const struct slot *kind__find_value(const struct kind *k, PyObject *name)
{
	PyObject *index = PyDict_GetItemWithError(k->by_value, name);

	return index ? &k->slots[PyLong_AsLong(index)] : NULL;
}

static void dealloc(PyObject *self)
{
	struct kind *k = (struct kind *)self;
	unsigned int i;

	for (i = 0; i < k->nr_slots; i++)
		Py_DECREF(k->slots[i].name);
	PyMem_Free(k->slots);
	PyMem_Free(k->table);
	Py_XDECREF(k->by_value);
	Py_XDECREF(k->label);
	event__put(k->event);
	origin__put(k->origin);
	PyMem_RawFree(k->strings);
	PyObject_Free(k);
}

static PyMethodDef methods[] = {
	{"__reduce__", kind__reduce, METH_NOARGS, NULL},
	{NULL},
};

PyTypeObject kind_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "_tamis._Kind",
	.tp_basicsize = sizeof(struct kind),
	.tp_dealloc = dealloc,
	.tp_methods = methods,
	.tp_flags = Py_TPFLAGS_DEFAULT,
};
