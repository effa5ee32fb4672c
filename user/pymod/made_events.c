// SPDX-License-Identifier: GPL-2.0-only
/*
 * made_events.c - events without a kernel, for tests of this module. Internal: `_make_kind`,
 * `_make_event` and `_deliver` may change at any time.
 */
#include <linux/perf_event.h>
#include <string.h>
#include "pymod.h"
#include "../../bpf/record.h"

/* --- kinds --- */

struct made {
	const char *format, *system, *name, *label;
	Py_ssize_t format_len;
	unsigned long long sample_type, read_format, regs_user, regs_intr;
	int perf;
	unsigned int with;
	long long clock;
};

static int make_names(struct event *event, const struct made *m)
{
	char label[512];

	if (m->format)
		snprintf(label, sizeof(label), "%s:%s", m->system, m->name);
	else
		snprintf(label, sizeof(label), "%s", m->name);
	event->label = strdup(m->label ? m->label : label);
	event->handler = strdup(m->name);
	event->clock = calloc(1, sizeof(*event->clock));
	if (!event->label || !event->handler || !event->clock) {
		PyErr_NoMemory();
		return -1;
	}
	event->clock->refs = 1;
	event->clock->offset = m->clock;
	return 0;
}

static int make_fields(struct event *event, const struct made *m)
{
	struct err err = {0};
	size_t n;

	if (!m->format)
		return 0;
	if (event_format__parse(&event->format, m->system, m->name, m->format, m->format_len, &err)) {
		errors__raise(&err);
		return -1;
	}
	n = event->format->nr_fields;
	event->fields = calloc(n + 1, sizeof(*event->fields));
	if (!event->fields) {
		PyErr_NoMemory();
		return -1;
	}
	memcpy(event->fields, event->format->fields, n * sizeof(*event->fields));
	event->nr_fields = n;
	return 0;
}

static void make_layout(struct event *event, const struct made *m)
{
	event->kind = m->format ? SPEC_TRACEPOINT : SPEC_SOURCE;
	event->transport = m->perf || !m->format ? TRANSPORT_PERF : TRANSPORT_BPF;
	event->with = m->with;
	event->layout.raw = sizeof(struct record_head);
	event->sample.sample_type = m->sample_type;
	event->sample.read_format = m->read_format;
	event->sample.regs_user = m->regs_user;
	event->sample.regs_intr = m->regs_intr;
}

static PyObject *make_kind(const struct made *m)
{
	struct event *event = calloc(1, sizeof(*event));
	PyObject *kind = NULL;

	if (!event)
		return PyErr_NoMemory();
	event->refs = 1;
	make_layout(event, m);
	if (!make_names(event, m) && !make_fields(event, m))
		kind = (PyObject *)kind__new(event, NULL);
	event__put(event);
	return kind;
}

PyObject *pymod__make_kind(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"format",      "system",    "name",	 "label", "sample_type",
				"read_format", "regs_user", "regs_intr", "perf",  "with_extras",
				"clock",       NULL};
	struct made m = {.system = "test", .name = "event"};

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|z#sszKKKKpIL:_make_kind", names, &m.format,
					 &m.format_len, &m.system, &m.name, &m.label,
					 &m.sample_type, &m.read_format, &m.regs_user, &m.regs_intr,
					 &m.perf, &m.with, &m.clock))
		return NULL;
	return make_kind(&m);
}

/* --- records --- */

struct made_head {
	unsigned long long time;
	unsigned int pid, tid, cpu, flags;
};

/* A record of the bpf transport around @raw, or a sample as it is; malloc'ed for ASan's sake. */
static void *make_bytes(const struct kind *k, const struct made_head *h, const void *raw,
			size_t len, const void *chain, size_t chain_len, u32 *size)
{
	size_t room = (len + 7) & ~7ull;
	struct record_head *head;
	u8 *bytes;

	*size = sizeof(*head) + (chain_len ? room + chain_len : len);
	bytes = calloc(1, *size + 1);
	if (!bytes)
		return NULL;
	head = (struct record_head *)bytes;
	*head = (struct record_head){.time = h->time, .tgid = h->pid, .tid = h->tid, .size = *size,
				     .cpu = h->cpu, .flags = h->flags,
				     .chain = chain_len ? (sizeof(*head) + room) / 8 : 0};
	memcpy(bytes + sizeof(*head), raw, len);
	if (chain_len)
		memcpy(bytes + sizeof(*head) + room, chain, chain_len);
	return bytes;
}

static void *copy_bytes(const void *raw, size_t len, u32 *size)
{
	void *bytes = malloc(len + 1);

	*size = len;
	return bytes ? memcpy(bytes, raw, len) : NULL;
}

static int make_record(struct record *rec, struct kind *k, const struct made_head *h,
		       const Py_buffer *raw, const Py_buffer *chain)
{
	*rec = (struct record){.time = h->time, .event = k->event, .tgid = h->pid, .tid = h->tid,
			       .cpu = h->cpu, .flags = h->flags};
	if (k->event->transport == TRANSPORT_PERF)
		rec->data = copy_bytes(raw->buf, raw->len, &rec->size);
	else
		rec->data = make_bytes(k, h, raw->buf, raw->len, chain->buf, chain->len, &rec->size);
	if (!rec->data)
		PyErr_NoMemory();
	return rec->data ? 0 : -1;
}

static void guard_buffer(Py_buffer *b)
{
	if (b->obj)
		PyBuffer_Release(b);
}

PyObject *pymod__make_event(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"kind", "raw", "pid", "tid", "time", "cpu", "flags", "callchain",
				NULL};
	_cleanup_(guard_buffer) Py_buffer raw = {0}, chain = {0};
	struct made_head h = {0};
	struct pevent *e = NULL;
	struct record rec;
	struct kind *k;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!y*|IIKIIy*:_make_event", names,
					 &kind_type, &k, &raw, &h.pid, &h.tid, &h.time, &h.cpu,
					 &h.flags, &chain))
		return NULL;
	if (!make_record(&rec, k, &h, &raw, &chain)) {
		e = pevent__copy(k, &rec);
		free((void *)rec.data);
	}
	return (PyObject *)e;
}

/* --- delivery, as a session does it --- */

struct delivery {
	struct kind *kind;
	struct record *recs;
	size_t n;
	struct borrow borrow;
};

static void deliver_each(struct delivery *d, PyObject *handler)
{
	size_t i;

	for (i = 0; i < d->n && !PyErr_Occurred(); i++) {
		struct pevent *e = borrow__event(&d->borrow, d->kind, &d->recs[i]);

		if (!e)
			return;
		Py_XDECREF(PyObject_CallOneArg(handler, (PyObject *)e));
		borrow__done(&d->borrow, e);
	}
}

static void deliver_batch(struct delivery *d, PyObject *handler)
{
	PyObject *batch = batch__new(&d->borrow, d->kind, d->recs, d->n);

	if (!batch)
		return;
	Py_XDECREF(PyObject_CallOneArg(handler, batch));
	batch__end(batch);
}

/* What was borrowed is overwritten and freed: whoever still looks at it is found out. */
static void end_delivery(struct delivery *d)
{
	PyObject *type, *value, *traceback;
	size_t i;

	PyErr_Fetch(&type, &value, &traceback);
	borrow__end(&d->borrow);
	borrow__free(&d->borrow);
	PyErr_Restore(type, value, traceback);
	for (i = 0; i < d->n; i++) {
		memset((void *)d->recs[i].data, 0xdd, d->recs[i].size);
		free((void *)d->recs[i].data);
	}
	free(d->recs);
}

static int make_delivery(struct delivery *d, PyObject *raws)
{
	Py_ssize_t i;

	d->recs = calloc(PyList_GET_SIZE(raws) + 1, sizeof(*d->recs));
	d->borrow.thread = PyThread_get_thread_ident();
	for (i = 0; d->recs && i < PyList_GET_SIZE(raws); i++) {
		const struct made_head h = {.time = i + 1, .pid = 100 + i, .tid = 200 + i};
		_cleanup_(guard_buffer) Py_buffer raw = {0}, chain = {0};

		if (PyObject_GetBuffer(PyList_GET_ITEM(raws, i), &raw, PyBUF_SIMPLE) ||
		    make_record(&d->recs[i], d->kind, &h, &raw, &chain))
			return -1;
		d->n++;
	}
	return d->recs ? 0 : -1;
}

PyObject *pymod__deliver(PyObject *module, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"kind", "raws", "handler", "batch", NULL};
	struct delivery d = {0};
	PyObject *raws, *handler;
	int batch = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!O|p:_deliver", names, &kind_type,
					 &d.kind, &PyList_Type, &raws, &handler, &batch))
		return NULL;
	if (!make_delivery(&d, raws))
		(batch ? deliver_batch : deliver_each)(&d, handler);
	end_delivery(&d);
	if (PyErr_Occurred())
		return NULL;
	Py_RETURN_NONE;
}
