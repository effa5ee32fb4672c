// SPDX-License-Identifier: GPL-2.0-only
/* callchain.c - call chains as lists of dicts; names come from the session, if it has any. */
#include <linux/perf_event.h>
#include "../symbol/record_frames.h"
#include "pymod.h"

#define FRAMES_MAX 1024 /* of a chain that is shown; the kernel's limit is 127 unless raised */

bool callchain__is_mark(u64 ip)
{
	return ip >= PERF_CONTEXT_MAX;
}

/* Addresses without names: which side of the line a mark leaves us on. */
static u32 bare_frames(const u64 *ips, u32 n, struct frame *out)
{
	bool kernel = n && (s64)ips[0] < 0;
	u32 i, nr = 0;

	for (i = 0; i < n && nr < FRAMES_MAX; i++) {
		if (callchain__is_mark(ips[i]))
			kernel = ips[i] == PERF_CONTEXT_KERNEL;
		else
			out[nr++] = (struct frame){.addr = ips[i], .kernel = kernel};
	}
	return nr;
}

static PyObject *name_or(const char *name, const char *other)
{
	name = name ? name : other;
	return text__object(name, strlen(name));
}

PyObject *callchain__frame(const struct frame *f)
{
	return Py_BuildValue("{sKsNsKsOsN}", "addr", (unsigned long long)f->addr, "symbol",
			     name_or(f->symbol, "Unknown"), "offset", (unsigned long long)f->offset,
			     "kernel", f->kernel ? Py_True : Py_False, "dso",
			     name_or(f->dso, "Unknown"));
}

static PyObject *list_of(const struct frame *frames, u32 n)
{
	_cleanup_decref_ PyObject *list = PyList_New(n);
	u32 i;

	for (i = 0; list && i < n; i++) {
		PyObject *frame = callchain__frame(&frames[i]);

		if (!frame)
			return NULL;
		PyList_SET_ITEM(list, i, frame);
	}
	return_ptr(list);
}

static struct symbolizer *symbolizer_of(const struct pevent *e)
{
	const struct origin_ops *ops = origin__ops(e->kind->origin);

	return ops && ops->symbolizer ? ops->symbolizer(e->kind->origin->ctx) : NULL;
}

/* Of the record itself where it can be named: its stack may have to be unwound. */
static u32 name_frames(struct pevent *e, struct frame *out, u32 max)
{
	struct symbolizer *symbolizer = symbolizer_of(e);
	const u64 *ips;
	u32 n;

	if (symbolizer)
		return record_frames__named(symbolizer, &e->rec, out, max);
	n = record__callchain(&e->rec, &ips);
	return n ? bare_frames(ips, n < max ? n : max, out) : 0;
}

PyObject *get_callchain(struct pevent *e, const struct slot *s)
{
	_cleanup_free_ struct frame *frames = NULL;

	if (pevent__settle(e))
		return NULL;
	frames = malloc(FRAMES_MAX * sizeof(*frames));
	if (!frames)
		return PyErr_NoMemory();
	return list_of(frames, name_frames(e, frames, FRAMES_MAX));
}
