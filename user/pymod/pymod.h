/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file pymod.h - the objects behind the module `_tamis`, for the files of pymod/ and embed/.
 *
 * Everything here needs the interpreter's lock. Functions that return an object return a new
 * reference, or NULL with a Python exception set; `int` functions return 0, or -1 with one set.
 */
#ifndef TAMIS_PYMOD_PYMOD_H
#define TAMIS_PYMOD_PYMOD_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "../base/err.h"
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "../event/record.h"

#if PY_VERSION_HEX < 0x03090000
#error "tamis needs CPython 3.9 or later"
#endif
#ifdef Py_GIL_DISABLED
#error "tamis does not support free-threaded builds of CPython; choose another with make PYTHON="
#endif

static inline void guard_decref(void *p)
{
	Py_XDECREF(*(PyObject **)p);
}

/** Drops the reference when the scope ends; NULL is fine. */
#define _cleanup_decref_ _cleanup_(guard_decref)

struct frame;
struct kind;
struct pevent;
struct symbolizer;

/* --- origin.c: what events ask of the session that they came from --- */

/** Filled in by whoever owns a session; every function may be NULL. */
struct origin_ops {
	/** Command name of a thread; NULL: not known. */
	const char *(*comm)(void *ctx, u32 tid);
	/** Path of a cgroup, and name of a container (NULL: none), by cgroup id. */
	const char *(*cgroup)(void *ctx, u64 id);
	const char *(*container)(void *ctx, u64 id);
	/** Names for addresses; NULL: none. */
	struct symbolizer *(*symbolizer)(void *ctx);
};

/** Outlives its session for as long as events of it are kept. */
struct origin {
	int refs;
	const struct origin_ops *ops; /**< NULL once the session is closed */
	void *ctx;
	bool sized_dumps;	/**< stack_user and aux begin with their u64 size, as in perf-prof */
	unsigned long thread;	/**< that the session belongs to: it alone may ask */
	struct kind **kinds;	/**< by event index, made when first seen; one reference each */
	size_t nr_kinds;
};

struct origin *origin__new(const struct origin_ops *ops, void *ctx);
struct origin *origin__get(struct origin *o);
/** NULL is fine. */
void origin__put(struct origin *o);
/** What may be asked of the session now, by this thread; NULL: nothing. */
const struct origin_ops *origin__ops(const struct origin *o);
/** The session ends: nothing is asked of it any more. Kept events stay readable. */
void origin__close(struct origin *o);
/** The kind of @event, borrowed from @o. NULL with an exception set: out of memory */
struct kind *origin__kind(struct origin *o, struct event *event);

/* --- kind.c: the names of one event and how each is read --- */

struct slot {
	PyObject *name;		/**< interned */
	PyObject *(*get)(struct pevent *e, const struct slot *s);
	const struct field *field; /**< own and common fields; else NULL */
	u64 what;		/**< EXTRA_*, PERF_SAMPLE_*, ...: what @get takes */
	u16 index;		/**< in kind->slots */
	bool cached;		/**< decoded once, then kept with the event */
};

struct name_entry {
	PyObject *name;
	const struct slot *slot;
};

/** What all events of one `-e` have in common. A Python object, so that pickle shares it. */
struct kind {
	PyObject_HEAD
	struct event *event;	/**< one reference */
	struct origin *origin;	/**< one reference; NULL: restored from a pickle */
	char *strings;		/**< of the fields of a restored event */
	PyObject *label;	/**< `_event` */
	struct slot *slots;	/**< the listed ones first, in the order of keys() */
	unsigned int nr_slots, nr_listed;
	struct name_entry *table; /**< open addressing by the name's address */
	size_t mask;
	PyObject *by_value;	/**< dict of name -> index in slots */
	u32 raw_at;		/**< of the raw record in every record; 0: differs */
};

extern PyTypeObject kind_type;

/** Steals nothing; takes references of @event and @origin (maybe NULL). */
struct kind *kind__new(struct event *event, struct origin *origin);
const struct slot *kind__find_value(const struct kind *k, PyObject *name);

/** @return NULL without an exception if the event has no such field */
static inline const struct slot *kind__find(const struct kind *k, PyObject *name)
{
	size_t i = ((uintptr_t)name >> 4) & k->mask;

	for (; k->table[i].name; i = (i + 1) & k->mask)
		if (k->table[i].name == name)
			return k->table[i].slot;
	return PyUnicode_CHECK_INTERNED(name) ? NULL : kind__find_value(k, name);
}

/** The listed slots of a sampling source: one or more for each part of its samples. */
int sample_fields__add(struct kind *k, int (*add)(struct kind *k, const char *name, const struct slot *s));

/* --- event_type.c: PerfEvent --- */

/**
 * One event. Its bytes are borrowed from a ring until borrow__end(), then its own; both look the
 * same to everything but event_type.c.
 */
struct pevent {
	PyObject_HEAD
	struct record rec;	/**< rec.event is kind->event */
	struct kind *kind;	/**< one reference */
	struct borrow *borrow;	/**< NULL: rec.data is its own */
	PyObject **cache;	/**< decoded values by slot index; its memory stays with the object */
	u32 cache_room;
	u32 raw_at;		/**< of the raw record in rec.data; 0: not yet looked for */
	u64 touched;		/**< bits of cache that are set; the last one is for all beyond */
};

extern PyTypeObject pevent_type;

/** The events made of one batch. Zeroed is empty. */
struct borrow {
	struct pevent **v;	/**< one reference each */
	size_t n, room;
	struct pevent *spare;	/**< emptied, for the next event */
	unsigned long thread;	/**< that ends the batch */
};

/** An event over borrowed bytes, for the caller alone: give it to borrow__done(). */
struct pevent *borrow__event(struct borrow *b, struct kind *k, const struct record *rec);
/** Steals @e: kept if somebody else refers to it, else used again. */
void borrow__done(struct borrow *b, struct pevent *e);
/** The same in one call, for events whose user is a script: a new reference. */
PyObject *borrow__give(struct borrow *b, struct kind *k, const struct record *rec);
/** The bytes are about to go: what is still referenced gets its own. */
void borrow__end(struct borrow *b);
/** After the last end. */
void borrow__free(struct borrow *b);

/** An event with a copy of the bytes. */
struct pevent *pevent__copy(struct kind *k, const struct record *rec);
/** Own bytes now, if another thread than the one that ends the batch is about to take its time. */
int pevent__settle(struct pevent *e);
PyObject *pevent__value(struct pevent *e, const struct slot *s);
/** Events in the free list, and events that keep their bytes; for tests and statistics. */
void pevent__counts(size_t *nr_free, size_t *nr_kept);
/** The module comes, or goes and the free list with it. */
void pevent__use_free_list(bool use);

/** The raw record; NULL: the sample has none. */
static inline const u8 *pevent__raw(struct pevent *e, u32 *len)
{
	const u8 *raw;

	if (!e->raw_at) {
		raw = record__raw(&e->rec, len);
		e->raw_at = raw ? raw - (const u8 *)e->rec.data : 0;
		return raw;
	}
	/* a pickle may claim any layout */
	*len = e->rec.size > e->raw_at ? e->rec.size - e->raw_at : 0;
	return (const u8 *)e->rec.data + e->raw_at;
}

/* --- event_fields.c --- */

PyObject *value__object(const struct value *v);
PyObject *text__object(const void *text, size_t len);
/** @return the function that reads @f of records of @event, and whether to keep what it returns */
void field__slot(struct slot *s, const struct event *event, const struct field *f);
PyObject *get_head(struct pevent *e, const struct slot *s);
PyObject *get_extra(struct pevent *e, const struct slot *s);
PyObject *get_common(struct pevent *e, const struct slot *s);
PyObject *pevent__start(PyObject *self, void *unused);

/* --- callchain.c --- */

/** Is it one of the PERF_CONTEXT_* words between the addresses? */
bool callchain__is_mark(u64 ip);
/** One frame as the dict that scripts see. */
PyObject *callchain__frame(const struct frame *f);
PyObject *get_callchain(struct pevent *e, const struct slot *s);

enum head_field {
	HEAD_PID, HEAD_TID, HEAD_TIME, HEAD_CPU, HEAD_PERIOD, HEAD_REALTIME, HEAD_EVENT,
	HEAD_HOSTPID, HEAD_HOSTTID,
};

int print__event(struct strbuf *out, struct pevent *e, bool timestamp, bool callchain);

/* --- event_methods.c, event_text.c, event_pickle.c --- */

extern PyMethodDef pevent_methods[];
extern PyMappingMethods pevent_mapping;
extern PySequenceMethods pevent_sequence;
extern PyTypeObject pevent_iter_type;
PyObject *pevent__iter(PyObject *self);
PyObject *pevent__to_dict(PyObject *self, PyObject *unused);
PyObject *pevent__array(PyObject *self, PyObject *name);
/** The struct format of one integer of @size bytes. */
const char *int_format(u32 size, bool is_signed);

PyObject *pevent__repr(PyObject *self);
PyObject *pevent__str(PyObject *self);
PyObject *pevent__print(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *pevent__to_json(PyObject *self, PyObject *unused);

PyObject *pevent__reduce(PyObject *self, PyObject *unused);
PyObject *kind__reduce(PyObject *self, PyObject *unused);
PyObject *pymod__restore(PyObject *module, PyObject *args);
PyObject *pymod__restore_kind(PyObject *module, PyObject *args);

/* --- made_events.c --- */

PyObject *pymod__make_kind(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *pymod__make_event(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *pymod__deliver(PyObject *module, PyObject *args, PyObject *kwargs);

/* --- batch_type.c, column.c --- */

extern PyTypeObject batch_type, column_type;

/** Records of one kind, borrowed until batch__end(). */
PyObject *batch__new(struct borrow *b, struct kind *k, const struct record *recs, size_t n);
/** Steals @batch: if somebody still refers to it, its records get their own bytes. */
void batch__end(PyObject *batch);

/* --- tables.c --- */

extern PyTypeObject tables_type;

/** @origin maybe NULL: set later. */
PyObject *tables__new(struct origin *origin);
void tables__set_origin(PyObject *tables, struct origin *origin);

/* --- errors.c --- */

extern PyObject *tamis_error, *tamis_field_error;

int errors__add(PyObject *module);
/** Raises tamis.Error with the message and errno of @err. @return NULL */
PyObject *errors__raise(const struct err *err);
/** "sched:sched_switch has no field 'x'" @return NULL */
PyObject *errors__no_field(const struct kind *k, PyObject *name);

/* --- module.c --- */

PyMODINIT_FUNC PyInit__tamis(void);

#endif
