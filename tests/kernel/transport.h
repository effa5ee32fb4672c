/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file transport.h - the bpf transport without a session: for its own kernel tests.
 *
 * Events are made by hand from their format; every record that arrives is handed to a function.
 */
#ifndef TAMIS_TESTS_TRANSPORT_H
#define TAMIS_TESTS_TRANSPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/base/log.h"
#include "user/collect/bpf_transport.h"
#include "user/event/event.h"
#include "user/event/record.h"
#include "user/filter/holes.h"
#include "user/scope/scope.h"

#define MAX_EVENTS 1024

struct rig {
	struct catalog *catalog;
	struct bpf_transport *t;
	struct event *events[MAX_EVENTS];
	struct event_spec specs[MAX_EVENTS];
	int nr;
	bool only_self;
	int marked;
	void (*fn)(struct rig *rig, const struct record *rec);
	u64 received[MAX_EVENTS], lost[MAX_EVENTS];
	void *ctx;
	struct log log;
	int notices; /**< lines logged */
};

static inline void must(int ret, const struct err *err)
{
	if (ret)
		fail_msg("%d: %s", ret, err->text);
}

static inline void print_line(void *ctx, enum log_level level, const char *line)
{
	struct rig *rig = ctx;

	(void)level;
	rig->notices++;
	fprintf(stderr, "notice: %s\n", line);
}

/** An event of the whole machine; change rig->specs[i] before rig__add(). */
static inline struct event *rig__event(struct rig *rig, const char *system, const char *name)
{
	struct err err = {0};
	struct event *e = calloc(1, sizeof(*e));

	assert_non_null(e);
	if (!rig->catalog)
		must(catalog__open(&rig->catalog, NULL, NULL, &err), &err);
	must(catalog__format(rig->catalog, system, name, &e->format, &err), &err);
	e->refs = 1;
	e->index = rig->nr;
	e->kind = SPEC_TRACEPOINT;
	e->transport = TRANSPORT_BPF;
	assert_true(asprintf(&e->label, "%s:%s", system, name) > 0);
	e->nr_fields = e->format->nr_fields;
	e->fields = calloc(e->nr_fields + 8, sizeof(*e->fields));
	memcpy(e->fields, e->format->fields, e->nr_fields * sizeof(*e->fields));
	e->task_context = true;
	e->spec = &rig->specs[rig->nr];
	rig->events[rig->nr++] = e;
	return e;
}

/** The pointer @name of @e is read as text too; the field is called @as. */
static inline void rig__ustring(struct event *e, const char *name, const char *as, int slot)
{
	struct field *f = &e->fields[e->nr_fields];

	*f = *event__field(e, name);
	f->name = as;
	f->where = FIELD_USER_TEXT;
	f->kind = FIELD_TEXT;
	f->slot = slot;
	e->nr_fields++;
}

static inline void rig__open(struct rig *rig, struct bpf_transport_opts *opts)
{
	struct err err = {0};
	int i;

	rig->log = (struct log){.level = LOG_DEBUG, .write = print_line, .ctx = rig};
	opts->log = &rig->log;
	must(bpf_transport__open(&rig->t, opts, &err), &err);
	for (i = 0; i < rig->nr; i++)
		must(bpf_transport__add(rig->t, rig->events[i], &err), &err);
}

/** Only what this process does: others on the machine may do the same things. */
static inline void rig__only_self(struct rig *rig, int event)
{
	struct code *c = &bpf_transport__holes(rig->t, rig->events[event])->filter;

	code__helper(c, BPF_FUNC_get_current_pid_tgid);
	code__mov(c, R1, R0);
	code__alu_imm(c, BPF_RSH, R1, 32);
	code__mov_imm(c, R0, 0);
	code__reject(c, BPF_JNE, R1, getpid());
	code__accept(c);
}

static inline void rig__start(struct rig *rig, struct bpf_transport_opts *opts)
{
	struct err err = {0};
	int i;

	rig__open(rig, opts);
	for (i = 0; i < rig->nr && rig->only_self; i++)
		rig__only_self(rig, i);
	must(bpf_transport__load(rig->t, &err), &err);
	must(bpf_transport__attach(rig->t, &err), &err);
}

static inline void count_loss(void *ctx, const struct loss *loss)
{
	struct rig *rig = ctx;

	rig->lost[loss->event->index] += loss->count;
}

static inline int rig__drain(struct rig *rig)
{
	static struct record recs[BATCH_MAX];
	static u64 ends[BATCH_MAX];
	struct loss_sink losses = {.fn = count_loss, .ctx = rig};
	int n, k, all = 0;
	size_t i;

	for (i = 0; i < bpf_transport__nr_streams(rig->t); i++) {
		struct stream *s = bpf_transport__stream(rig->t, i);

		while ((n = s->ops->peek(s, recs, ends, BATCH_MAX, &losses)) > 0) {
			for (k = 0; k < n; k++) {
				rig->received[recs[k].event->index]++;
				if (rig->fn)
					rig->fn(rig, &recs[k]);
			}
			s->ops->release(s, ends[n - 1]);
			all += n;
		}
	}
	return all;
}

/** Detaches and drains. */
static inline void rig__stop(struct rig *rig)
{
	bpf_transport__detach(rig->t, NULL, NULL);
	rig__drain(rig);
}

static inline struct event_stats rig__stats(struct rig *rig, int event)
{
	struct event_stats s = {0};

	bpf_transport__stats(rig->t, rig->events[event], &s);
	return s;
}

static inline void rig__free(struct rig *rig)
{
	int i;

	bpf_transport__close(rig->t);
	for (i = 0; i < rig->nr; i++)
		event__put(rig->events[i]);
	catalog__close(rig->catalog);
	free(rig);
}

static inline struct rig *rig__new(void)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	return rig;
}

/** The value of a field as text of its own. */
static inline char *rig__text(const struct record *rec, const char *field)
{
	const struct field *f = event__field(rec->event, field);
	struct value v;

	assert_non_null(f);
	v = field__read(f, rec);
	if (v.kind == VALUE_NONE)
		return NULL;
	assert_int_equal(v.kind, VALUE_TEXT);
	return strndup(v.ptr, v.len);
}

static inline s64 rig__number(const struct record *rec, const char *field)
{
	const struct field *f = event__field(rec->event, field);

	assert_non_null(f);
	return field__read(f, rec).num;
}

#endif
