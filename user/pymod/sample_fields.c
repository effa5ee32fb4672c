// SPDX-License-Identifier: GPL-2.0-only
/* sample_fields.c - values of sampling sources: one field or more for each part of a sample. */
#include <linux/perf_event.h>
#include "../event/sample.h"
#include "pymod.h"

static void parse(struct pevent *e, u64 want, struct sample_parts *parts)
{
	sample__parse_until(&e->rec.event->sample, e->rec.data, e->rec.size, want, parts);
}

/* The parts that are one number, and where sample__parse() leaves them. */
static const struct {
	u64 bit;
	u32 at, size;
} numbers[] = {
#define NUMBER(bit, member)                                                                        \
	{PERF_SAMPLE_##bit, offsetof(struct sample_parts, member),                                 \
	 sizeof(((struct sample_parts *)0)->member)}
	NUMBER(IDENTIFIER, identifier), NUMBER(IP, ip),
	NUMBER(TIME, time),		NUMBER(ADDR, addr),
	NUMBER(ID, id),			NUMBER(STREAM_ID, stream_id),
	NUMBER(CPU, cpu),		NUMBER(PERIOD, period),
	NUMBER(WEIGHT, weight),		NUMBER(WEIGHT_STRUCT, weight),
	NUMBER(DATA_SRC, data_src),	NUMBER(TRANSACTION, transaction),
	NUMBER(PHYS_ADDR, phys_addr),	NUMBER(CGROUP, cgroup),
	NUMBER(DATA_PAGE_SIZE, data_page_size), NUMBER(CODE_PAGE_SIZE, code_page_size),
#undef NUMBER
};

static PyObject *get_number(struct pevent *e, const struct slot *s)
{
	struct sample_parts parts;
	u64 num = 0;

	parse(e, numbers[s->what].bit, &parts);
	if (!(parts.has & numbers[s->what].bit))
		Py_RETURN_NONE;
	memcpy(&num, (const u8 *)&parts + numbers[s->what].at, numbers[s->what].size);
	return PyLong_FromUnsignedLongLong(num);
}

static PyObject *get_pid(struct pevent *e, const struct slot *s)
{
	struct sample_parts parts;

	parse(e, PERF_SAMPLE_TID, &parts);
	if (!(parts.has & PERF_SAMPLE_TID))
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLong(s->what ? parts.tid : parts.pid);
}

static PyObject *get_raw(struct pevent *e, const struct slot *s)
{
	struct sample_parts parts;

	parse(e, PERF_SAMPLE_RAW, &parts);
	if (!(parts.has & PERF_SAMPLE_RAW))
		Py_RETURN_NONE;
	return PyBytes_FromStringAndSize(parts.raw, parts.raw_size);
}

/* As perf-prof has it: u64 nr, then nr entries of three u64. */
static PyObject *get_branches(struct pevent *e, const struct slot *s)
{
	struct sample_parts parts;
	PyObject *bytes;
	size_t size;

	parse(e, PERF_SAMPLE_BRANCH_STACK, &parts);
	if (!(parts.has & PERF_SAMPLE_BRANCH_STACK))
		Py_RETURN_NONE;
	size = parts.nr_branches * sizeof(*parts.branches);
	bytes = PyBytes_FromStringAndSize(NULL, sizeof(u64) + size);
	if (!bytes)
		return NULL;
	memcpy(PyBytes_AS_STRING(bytes), &parts.nr_branches, sizeof(u64));
	memcpy(PyBytes_AS_STRING(bytes) + sizeof(u64), parts.branches, size);
	return bytes;
}

static PyObject *dump(struct pevent *e, const void *bytes, u64 size)
{
	const struct origin *o = e->kind->origin;
	size_t head = o && o->sized_dumps ? sizeof(size) : 0;
	PyObject *object = PyBytes_FromStringAndSize(NULL, head + size);

	if (!object)
		return NULL;
	memcpy(PyBytes_AS_STRING(object), &size, head);
	memcpy(PyBytes_AS_STRING(object) + head, bytes, size);
	return object;
}

static PyObject *get_stack(struct pevent *e, const struct slot *s)
{
	struct sample_parts parts;

	parse(e, s->what, &parts);
	if (!(parts.has & s->what))
		Py_RETURN_NONE;
	if (s->what == PERF_SAMPLE_AUX)
		return dump(e, parts.aux, parts.aux_size);
	return dump(e, parts.stack_user, parts.stack_user_size);
}

/* --- dicts --- */

/* Steals @value. */
static int put(PyObject *dict, const char *name, PyObject *value)
{
	int ret = value ? PyDict_SetItemString(dict, name, value) : -1;

	Py_XDECREF(value);
	return ret;
}

static int put_u64(PyObject *dict, const char *name, u64 num)
{
	return put(dict, name, PyLong_FromUnsignedLongLong(num));
}

static int put_regs(PyObject *dict, const struct sample_regs *regs)
{
	u64 mask = regs->words ? regs->mask : 0;
	unsigned int i;

	if (put_u64(dict, "abi", regs->abi))
		return -1;
	for (i = 0; mask; mask &= mask - 1, i++) {
		const char *name = sample__reg_name(sample__arch(), __builtin_ctzll(mask));

		if (put_u64(dict, name, regs->words[i]))
			return -1;
	}
	return 0;
}

static PyObject *get_regs(struct pevent *e, const struct slot *s)
{
	_cleanup_decref_ PyObject *dict = pevent__settle(e) ? NULL : PyDict_New();
	struct sample_parts parts;

	if (!dict)
		return NULL;
	parse(e, s->what, &parts);
	if (!(parts.has & s->what))
		Py_RETURN_NONE;
	if (put_regs(dict, s->what == PERF_SAMPLE_REGS_USER ? &parts.regs_user : &parts.regs_intr))
		return NULL;
	return_ptr(dict);
}

static int put_times(PyObject *dict, u64 format, const struct sample_parts *parts)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED &&
	    put_u64(dict, "time_enabled", parts->time_enabled))
		return -1;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING &&
	    put_u64(dict, "time_running", parts->time_running))
		return -1;
	return 0;
}

static int put_ids(PyObject *dict, u64 format, const struct sample_count *count)
{
	if (format & PERF_FORMAT_ID && put_u64(dict, "id", count->id))
		return -1;
	if (format & SAMPLE_FORMAT_LOST && put_u64(dict, "lost", count->lost))
		return -1;
	return 0;
}

static PyObject *counter(u64 format, const struct sample_count *count)
{
	_cleanup_decref_ PyObject *dict = PyDict_New();

	if (!dict || put_u64(dict, "value", count->value) || put_ids(dict, format, count))
		return NULL;
	return_ptr(dict);
}

static PyObject *counters(const struct sample_layout *layout, const struct sample_parts *parts)
{
	_cleanup_decref_ PyObject *list = PyList_New(parts->read_nr);
	u64 i;

	for (i = 0; list && i < parts->read_nr; i++) {
		const struct sample_count count = sample__count(layout, parts, i);
		PyObject *dict = counter(layout->read_format, &count);

		if (!dict)
			return NULL;
		PyList_SET_ITEM(list, i, dict);
	}
	return_ptr(list);
}

static int put_single(PyObject *dict, const struct sample_layout *layout,
		      const struct sample_parts *parts)
{
	const struct sample_count count = sample__count(layout, parts, 0);

	return put_u64(dict, "value", count.value) ||
	       put_times(dict, layout->read_format, parts) ||
	       put_ids(dict, layout->read_format, &count);
}

static int put_group(PyObject *dict, const struct sample_layout *layout,
		     const struct sample_parts *parts)
{
	return put_u64(dict, "nr", parts->read_nr) ||
	       put_times(dict, layout->read_format, parts) ||
	       put(dict, "cntr", counters(layout, parts));
}

static PyObject *get_read(struct pevent *e, const struct slot *s)
{
	const struct sample_layout *layout = &e->rec.event->sample;
	_cleanup_decref_ PyObject *dict = pevent__settle(e) ? NULL : PyDict_New();
	struct sample_parts parts;
	int ret;

	if (!dict)
		return NULL;
	parse(e, PERF_SAMPLE_READ, &parts);
	if (!(parts.has & PERF_SAMPLE_READ) || !parts.read_nr)
		Py_RETURN_NONE;
	if (layout->read_format & PERF_FORMAT_GROUP)
		ret = put_group(dict, layout, &parts);
	else
		ret = put_single(dict, layout, &parts);
	if (ret)
		return NULL;
	return_ptr(dict);
}

/* --- which of them a source has --- */

typedef int (*add_fn)(struct kind *k, const char *name, const struct slot *s);

static int add_ids(struct kind *k, add_fn add)
{
	const struct slot pid = {.get = get_pid}, tid = {.get = get_pid, .what = 1};

	return add(k, "pid", &pid) || add(k, "tid", &tid) ? -1 : 0;
}

static int add_number(struct kind *k, add_fn add, u64 bit)
{
	struct slot s = {.get = get_number};

	for (s.what = 0; s.what < ARRAY_SIZE(numbers); s.what++)
		if (numbers[s.what].bit == bit)
			return add(k, sample__part_name(bit), &s);
	return 0;
}

static int add_part(struct kind *k, add_fn add, u64 bit)
{
	struct slot s = {.what = bit, .cached = true};

	switch (bit) {
	case PERF_SAMPLE_TID:
		return add_ids(k, add);
	case PERF_SAMPLE_CALLCHAIN:
		s.get = get_callchain;
		break;
	case PERF_SAMPLE_RAW:
		s.get = get_raw;
		break;
	case PERF_SAMPLE_READ:
		s.get = get_read;
		break;
	case PERF_SAMPLE_REGS_USER:
	case PERF_SAMPLE_REGS_INTR:
		s.get = get_regs;
		break;
	case PERF_SAMPLE_BRANCH_STACK:
		s.get = get_branches;
		break;
	case PERF_SAMPLE_STACK_USER:
	case PERF_SAMPLE_AUX:
		s.get = get_stack;
		break;
	default:
		return add_number(k, add, bit);
	}
	return add(k, sample__part_name(bit), &s);
}

int sample_fields__add(struct kind *k, add_fn add)
{
	u64 type = k->event->sample.sample_type;

	for (; type; type &= type - 1)
		if (add_part(k, add, type & -type))
			return -1;
	return 0;
}
