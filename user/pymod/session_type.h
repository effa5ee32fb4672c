/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file session_type.h - tamis.Session: its life in session_type.c, its events in session_read.c.
 */
#ifndef TAMIS_PYMOD_SESSION_TYPE_H
#define TAMIS_PYMOD_SESSION_TYPE_H

#include "record_buffer.h"
#include "session_names.h"
#include "session_options.h"

struct session_obj {
	PyObject_HEAD
	struct session_options so;
	struct session *session; /* NULL: closed */
	struct origin *origin;
	struct borrow borrow;	/* of the events out of @buffer */
	struct record_buffer buffer;
	size_t next;		/* of @buffer, to be handed out */
	u64 lost;
	pid_t pid;		/* a forked child leaves the kernel's side alone */
	bool busy;		/* a thread waits inside, without the interpreter's lock */
	bool drained;		/* nothing will come any more */
};

extern PyTypeObject session_type, batches_type;

/** May this thread use it now? @return 0; -1 with an exception */
int session_obj__check(struct session_obj *s);
/** Waits for an event. @return NULL without an exception: there will be none */
PyObject *session_obj__next(PyObject *self);
PyObject *session_obj__poll(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *session_obj__batches(PyObject *self, PyObject *unused);

#endif
