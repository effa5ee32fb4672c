// SPDX-License-Identifier: GPL-2.0-only
/* event_type.c - PerfEvent: a record as an object, borrowed first and its own if it is kept. */
#include <string.h>
#include "docstrings.h"
#include "pymod.h"
#include "../../bpf/record.h"

#define FREE_MAX 256 /* objects that wait to be used again */
#define BIT_LAST 63  /* of touched: for every slot from here on */

/* All that is global in pymod beside the static types; emptied when the module goes. */
static struct {
	struct pevent *v[FREE_MAX];
	size_t n;
	size_t kept;	/* events that own their bytes */
	bool closed;	/* the module is gone */
} pool;

/* --- values that were decoded --- */

static unsigned int bit_of(const struct slot *s)
{
	return s->index < BIT_LAST ? s->index : BIT_LAST;
}

static int make_cache(struct pevent *e)
{
	u32 room = e->kind->nr_slots;
	PyObject **cache;

	if (e->cache_room >= room)
		return 0;
	cache = PyMem_Realloc(e->cache, room * sizeof(*cache));
	if (!cache) {
		PyErr_NoMemory();
		return -1;
	}
	memset(cache + e->cache_room, 0, (room - e->cache_room) * sizeof(*cache));
	e->cache = cache;
	e->cache_room = room;
	return 0;
}

/*
 * Lists and dicts can be made to refer to their event: from then on the collector must see it.
 * Before, there is nothing that it could find.
 */
static void track(struct pevent *e, PyObject *value)
{
	bool mutable = PyList_CheckExact(value) || PyDict_CheckExact(value);

	if (mutable && !PyObject_GC_IsTracked((PyObject *)e))
		PyObject_GC_Track(e);
}

static int keep_value(struct pevent *e, const struct slot *s, PyObject *value)
{
	if (make_cache(e))
		return -1;
	track(e, value);
	Py_INCREF(value);
	Py_XSETREF(e->cache[s->index], value);
	e->touched |= 1ull << bit_of(s);
	return 0;
}

PyObject *pevent__value(struct pevent *e, const struct slot *s)
{
	PyObject *value;

	if (!s->cached)
		return s->get(e, s);
	if (e->touched & 1ull << bit_of(s) && e->cache[s->index]) {
		value = e->cache[s->index];
		Py_INCREF(value);
		return value;
	}
	value = s->get(e, s);
	if (value && keep_value(e, s, value))
		Py_CLEAR(value);
	return value;
}

static void forget_values(struct pevent *e)
{
	u64 touched = e->touched;
	u32 i;

	e->touched = 0;
	for (; touched & ~(1ull << BIT_LAST); touched &= touched - 1)
		Py_CLEAR(e->cache[__builtin_ctzll(touched)]);
	if (touched)
		for (i = BIT_LAST; i < e->cache_room; i++)
			Py_CLEAR(e->cache[i]);
}

/* --- bytes --- */

static const u8 no_bytes[8] __attribute__((aligned(8)));

static int own_bytes(struct pevent *e)
{
	void *copy = PyMem_Malloc(e->rec.size ? e->rec.size : 1);

	e->borrow = NULL;
	pool.kept++;
	if (!copy) {
		e->rec.data = no_bytes;
		e->rec.size = 0;
		e->raw_at = 0;
		PyErr_NoMemory();
		return -1;
	}
	memcpy(copy, e->rec.data, e->rec.size);
	e->rec.data = copy;
	return 0;
}

static void drop_bytes(struct pevent *e)
{
	if (e->borrow || !e->kind)
		return;
	pool.kept--;
	if (e->rec.data != no_bytes)
		PyMem_Free((void *)e->rec.data);
}

int pevent__settle(struct pevent *e)
{
	if (!e->borrow || e->borrow->thread == PyThread_get_thread_ident())
		return 0;
	return own_bytes(e);
}

/* --- life --- */

static struct pevent *take(void)
{
	struct pevent *e;

	if (pool.n) {
		e = pool.v[--pool.n];
		_Py_NewReference((PyObject *)e);
		return e;
	}
	e = PyObject_GC_New(struct pevent, &pevent_type);
	if (e)
		memset((char *)e + sizeof(e->ob_base), 0, sizeof(*e) - sizeof(e->ob_base));
	return e;
}

/* Empties it: no values, no bytes, no kind. */
static void reset(struct pevent *e)
{
	if (PyObject_GC_IsTracked((PyObject *)e))
		PyObject_GC_UnTrack(e);
	if (e->touched)
		forget_values(e);
	drop_bytes(e);
	Py_CLEAR(e->kind);
}

static void dealloc(PyObject *self)
{
	struct pevent *e = (struct pevent *)self;

	reset(e);
	if (pool.n < FREE_MAX && !pool.closed) {
		pool.v[pool.n++] = e;
		return;
	}
	PyMem_Free(e->cache);
	PyObject_GC_Del(e);
}

static int traverse(PyObject *self, visitproc visit, void *arg)
{
	struct pevent *e = (struct pevent *)self;
	u32 i;

	for (i = 0; e->touched && i < e->cache_room; i++)
		Py_VISIT(e->cache[i]);
	return 0;
}

static int clear(PyObject *self)
{
	forget_values((struct pevent *)self);
	return 0;
}

void pevent__use_free_list(bool use)
{
	pool.closed = !use;
	while (!use && pool.n) {
		struct pevent *e = pool.v[--pool.n];

		PyMem_Free(e->cache);
		PyObject_GC_Del(e);
	}
}

void pevent__counts(size_t *nr_free, size_t *nr_kept)
{
	*nr_free = pool.n;
	*nr_kept = pool.kept;
}

static void fill(struct pevent *e, struct kind *k, const struct record *rec, struct borrow *b)
{
	e->rec = *rec;
	e->borrow = b;
	e->raw_at = k->raw_at;
	Py_INCREF(k);
	e->kind = k;
}

struct pevent *pevent__copy(struct kind *k, const struct record *rec)
{
	struct pevent *e = take();

	if (!e)
		return NULL;
	fill(e, k, rec, NULL);
	if (own_bytes(e))
		Py_CLEAR(e);
	return e;
}

/* --- one batch --- */

struct pevent *borrow__event(struct borrow *b, struct kind *k, const struct record *rec)
{
	struct pevent *e = b->spare;

	if (e)
		b->spare = NULL;
	else
		e = take();
	if (!e)
		return NULL;
	fill(e, k, rec, b);
	return e;
}

static int remember(struct borrow *b, struct pevent *e)
{
	size_t room = b->room ? 2 * b->room : 64;
	struct pevent **v;

	if (b->n == b->room) {
		v = PyMem_Realloc(b->v, room * sizeof(*v));
		if (!v)
			return -1;
		b->v = v;
		b->room = room;
	}
	b->v[b->n++] = e;
	return 0;
}

void borrow__done(struct borrow *b, struct pevent *e)
{
	if (Py_REFCNT(e) == 1 && !b->spare) {
		reset(e);
		b->spare = e;
	} else if (Py_REFCNT(e) == 1) {
		Py_DECREF(e);
	} else if (remember(b, e)) {
		if (own_bytes(e))
			PyErr_Clear();
		Py_DECREF(e);
	}
}

PyObject *borrow__give(struct borrow *b, struct kind *k, const struct record *rec)
{
	struct pevent *e = borrow__event(b, k, rec);

	if (!e)
		return NULL;
	Py_INCREF(e);
	borrow__done(b, e);
	return (PyObject *)e;
}

/* A value's end can run code that makes further events of this batch: @n may grow. */
void borrow__end(struct borrow *b)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		struct pevent *e = b->v[i];

		if (Py_REFCNT(e) > 1 && e->borrow && own_bytes(e))
			PyErr_Clear();
		Py_DECREF(e);
	}
	b->n = 0;
}

void borrow__free(struct borrow *b)
{
	borrow__end(b);
	Py_CLEAR(b->spare);
	PyMem_Free(b->v);
	memset(b, 0, sizeof(*b));
}

/* --- the type --- */

static PyObject *getattro(PyObject *self, PyObject *name)
{
	struct pevent *e = (struct pevent *)self;
	const struct slot *s = kind__find(e->kind, name);
	PyObject *value;

	if (s)
		return pevent__value(e, s);
	if (PyErr_Occurred())
		return NULL;
	value = PyObject_GenericGetAttr(self, name);
	if (value || !PyErr_ExceptionMatches(PyExc_AttributeError))
		return value;
	PyErr_Clear();
	return errors__no_field(e->kind, name);
}

static Py_hash_t hash(PyObject *self)
{
	const struct record *rec = &((struct pevent *)self)->rec;
	const u8 *p = rec->data;
	u64 h = 0xcbf29ce484222325ull ^ rec->time;
	u32 i;

	for (i = 0; i < rec->size; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return (Py_hash_t)h == -1 ? -2 : (Py_hash_t)h;
}

static bool equal(const struct pevent *a, const struct pevent *b)
{
	return a->rec.size == b->rec.size && a->rec.time == b->rec.time &&
	       !memcmp(a->rec.data, b->rec.data, a->rec.size) &&
	       PyUnicode_Compare(a->kind->label, b->kind->label) == 0;
}

static PyObject *compare(PyObject *a, PyObject *b, int op)
{
	if ((op != Py_EQ && op != Py_NE) || !Py_IS_TYPE(b, &pevent_type))
		Py_RETURN_NOTIMPLEMENTED;
	return PyBool_FromLong(equal((struct pevent *)a, (struct pevent *)b) == (op == Py_EQ));
}

static PyObject *get_flag(PyObject *self, void *flag)
{
	return PyBool_FromLong(((struct pevent *)self)->rec.flags & (uintptr_t)flag);
}

static PyGetSetDef getset[] = {
	{"truncated", get_flag, NULL, DOC_PerfEvent_truncated, (void *)RECORD_TRUNCATED},
	{"unreadable", get_flag, NULL, DOC_PerfEvent_unreadable, (void *)RECORD_UNREADABLE},
	{"late", get_flag, NULL, DOC_PerfEvent_late, (void *)RECORD_LATE},
	{"start", pevent__start, NULL, DOC_PerfEvent_start, NULL},
	{NULL},
};

PyTypeObject pevent_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "tamis.PerfEvent",
	.tp_doc = DOC_PerfEvent,
	.tp_basicsize = sizeof(struct pevent),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.tp_dealloc = dealloc,
	.tp_traverse = traverse,
	.tp_clear = clear,
	.tp_free = PyObject_GC_Del,
	.tp_getattro = getattro,
	.tp_hash = hash,
	.tp_richcompare = compare,
	.tp_repr = pevent__repr,
	.tp_str = pevent__str,
	.tp_iter = pevent__iter,
	.tp_as_mapping = &pevent_mapping,
	.tp_as_sequence = &pevent_sequence,
	.tp_methods = pevent_methods,
	.tp_getset = getset,
};
