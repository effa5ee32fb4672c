// SPDX-License-Identifier: GPL-2.0-only
/* event_fields.c - values of tracepoint-like events: who and when, own fields, extras, frames. */
#include <linux/perf_event.h>
#include <string.h>
#include "../event/sample.h"
#include "pymod.h"

/* In the order of common_fields[]. */
enum { COMMON_TYPE, COMMON_FLAGS, COMMON_PREEMPT_COUNT, COMMON_PID };

PyObject *text__object(const void *text, size_t len)
{
	return PyUnicode_DecodeUTF8(text, len, "surrogateescape");
}

PyObject *value__object(const struct value *v)
{
	switch (v->kind) {
	case VALUE_INT:
		return PyLong_FromLongLong((s64)v->num);
	case VALUE_UINT:
		return PyLong_FromUnsignedLongLong(v->num);
	case VALUE_TEXT:
		return text__object(v->ptr, v->len);
	case VALUE_BYTES:
	case VALUE_ARRAY:
		return PyBytes_FromStringAndSize(v->ptr, v->len);
	default:
		Py_RETURN_NONE;
	}
}

static PyObject *get_field(struct pevent *e, const struct slot *s)
{
	const struct value v = field__read(s->field, &e->rec);

	return value__object(&v);
}

static PyObject *int_object(const u8 *p, u32 size, bool is_signed)
{
	u64 num = 0;

	memcpy(&num, p, size);
	if (!is_signed)
		return PyLong_FromUnsignedLongLong(num);
	num <<= 64 - 8 * size;
	return PyLong_FromLongLong((s64)num >> (64 - 8 * size));
}

/* The commonest field, without the detour: 4 signed bytes at a fixed place. */
static PyObject *get_s32(struct pevent *e, const struct slot *s)
{
	u32 len;
	s32 num;
	const u8 *raw = pevent__raw(e, &len);

	if (!raw || s->field->offset + sizeof(num) > len)
		return get_field(e, s);
	memcpy(&num, raw + s->field->offset, sizeof(num));
	return PyLong_FromLong(num);
}

static PyObject *get_int(struct pevent *e, const struct slot *s)
{
	u32 len;
	const u8 *raw = pevent__raw(e, &len);

	if (!raw || (u64)s->field->offset + s->field->size > len)
		return get_field(e, s);
	return int_object(raw + s->field->offset, s->field->size, s->field->is_signed);
}

void field__slot(struct slot *s, const struct event *event, const struct field *f)
{
	bool fixed = f->kind == FIELD_INT && f->where == FIELD_STATIC && f->size &&
		     f->size <= sizeof(u64);

	s->get = !fixed ? get_field : f->size == 4 && f->is_signed ? get_s32 : get_int;
	s->cached = f->kind != FIELD_INT;
}

/* The kernel does not show a bpf program the flags and the preempt count. */
PyObject *get_common(struct pevent *e, const struct slot *s)
{
	bool in_bpf = s->what == COMMON_TYPE || s->what == COMMON_PID;

	if (!in_bpf && e->rec.event->transport != TRANSPORT_PERF)
		Py_RETURN_NONE;
	return get_int(e, s);
}

/* A bpf program runs once an event; a perf sample says for how many it stands. */
static PyObject *period(const struct pevent *e)
{
	struct sample_parts parts;

	if (e->rec.event->transport != TRANSPORT_PERF)
		return PyLong_FromLong(1);
	sample__parse_until(&e->rec.event->sample, e->rec.data, e->rec.size, PERF_SAMPLE_PERIOD,
			    &parts);
	return PyLong_FromUnsignedLongLong(parts.has & PERF_SAMPLE_PERIOD ? parts.period : 1);
}

static PyObject *realtime(const struct pevent *e)
{
	const struct wall_clock *clock = e->rec.event->clock;

	return PyLong_FromUnsignedLongLong(e->rec.time + (clock ? clock->offset : 0));
}

static PyObject *host_id(const struct pevent *e, enum head_field which)
{
	u32 tgid, tid;

	record__host_ids(&e->rec, &tgid, &tid);
	return PyLong_FromUnsignedLong(which == HEAD_HOSTPID ? tgid : tid);
}

PyObject *get_head(struct pevent *e, const struct slot *s)
{
	switch ((enum head_field)s->what) {
	case HEAD_PID:
		return PyLong_FromUnsignedLong(e->rec.tgid);
	case HEAD_TID:
		return PyLong_FromUnsignedLong(e->rec.tid);
	case HEAD_TIME:
		return PyLong_FromUnsignedLongLong(e->rec.time);
	case HEAD_CPU:
		return PyLong_FromLong(e->rec.cpu);
	case HEAD_PERIOD:
		return period(e);
	case HEAD_REALTIME:
		return realtime(e);
	case HEAD_EVENT:
		Py_INCREF(e->kind->label);
		return e->kind->label;
	default:
		return host_id(e, s->what);
	}
}

static PyObject *text_or_none(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return text__object(text, strlen(text));
}

static PyObject *comm(struct pevent *e, const char *carried)
{
	const struct origin_ops *ops = origin__ops(e->kind->origin);

	if (carried)
		return text__object(carried, strnlen(carried, 16));
	return text_or_none(ops && ops->comm ? ops->comm(e->kind->origin->ctx, e->rec.tid) : NULL);
}

/* A path or a name for a cgroup's id; None where nobody can tell any more. */
static PyObject *cgroup(struct pevent *e, const u64 *id, bool container)
{
	const struct origin_ops *ops = origin__ops(e->kind->origin);
	const char *(*name)(void *ctx, u64 id) = NULL;

	if (!id)
		Py_RETURN_NONE;
	if (ops)
		name = container ? ops->container : ops->cgroup;
	return text_or_none(name ? name(e->kind->origin->ctx, *id) : NULL);
}

static PyObject *u32_or_none(const u32 *num)
{
	if (!num)
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLong(*num);
}

PyObject *get_extra(struct pevent *e, const struct slot *s)
{
	switch ((enum extra)s->what) {
	case EXTRA_COMM:
		return comm(e, record__extra(&e->rec, EXTRA_COMM));
	case EXTRA_CGROUP:
		return cgroup(e, record__extra(&e->rec, EXTRA_CGROUP), false);
	case EXTRA_CONTAINER:
		return cgroup(e, record__extra(&e->rec, EXTRA_CGROUP), true);
	default:
		return u32_or_none(record__extra(&e->rec, s->what));
	}
}

/* What keep= kept of the event that began the interval: fields called "start.NAME". */
PyObject *pevent__start(PyObject *self, void *unused)
{
	struct pevent *e = (struct pevent *)self;
	_cleanup_decref_ PyObject *dict = PyDict_New();
	unsigned int i;

	for (i = 0; dict && i < e->kind->nr_listed; i++) {
		const struct slot *s = &e->kind->slots[i];
		_cleanup_decref_ PyObject *value = NULL;

		if (!s->field || !s->field->kept)
			continue;
		value = pevent__value(e, s);
		if (!value || PyDict_SetItemString(dict, s->field->name + 6, value))
			return NULL;
	}
	return_ptr(dict);
}
