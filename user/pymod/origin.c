// SPDX-License-Identifier: GPL-2.0-only
#include "pymod.h"

struct origin *origin__new(const struct origin_ops *ops, void *ctx)
{
	struct origin *o = PyMem_Calloc(1, sizeof(*o));

	if (!o) {
		PyErr_NoMemory();
		return NULL;
	}
	o->refs = 1;
	o->ops = ops;
	o->ctx = ctx;
	o->thread = PyThread_get_thread_ident();
	return o;
}

struct origin *origin__get(struct origin *o)
{
	o->refs++;
	return o;
}

void origin__put(struct origin *o)
{
	if (!o || --o->refs)
		return;
	PyMem_Free(o->kinds);
	PyMem_Free(o);
}

/* A session belongs to one thread at a time; events travel, and then go without its names. */
const struct origin_ops *origin__ops(const struct origin *o)
{
	if (!o || !o->ops || o->thread != PyThread_get_thread_ident())
		return NULL;
	return o->ops;
}

/* The kinds hold the origin and the origin the kinds: this is where the circle is opened. */
void origin__close(struct origin *o)
{
	size_t i;

	o->ops = NULL;
	for (i = 0; i < o->nr_kinds; i++)
		Py_CLEAR(o->kinds[i]);
}

static int make_room(struct origin *o, size_t nr)
{
	struct kind **kinds = PyMem_Realloc(o->kinds, nr * sizeof(*kinds));

	if (!kinds) {
		PyErr_NoMemory();
		return -1;
	}
	memset(kinds + o->nr_kinds, 0, (nr - o->nr_kinds) * sizeof(*kinds));
	o->kinds = kinds;
	o->nr_kinds = nr;
	return 0;
}

struct kind *origin__kind(struct origin *o, struct event *event)
{
	struct kind *k = event->index < o->nr_kinds ? o->kinds[event->index] : NULL;

	if (k && k->event == event)
		return k;
	if (event->index >= o->nr_kinds && make_room(o, event->index + 1))
		return NULL;
	k = kind__new(event, o);
	if (k)
		Py_XSETREF(o->kinds[event->index], k);
	return k;
}
