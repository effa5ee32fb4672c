/* SPDX-License-Identifier: GPL-2.0-only */
/* made.h - events and records made by hand, for tests that read them. */
#ifndef TAMIS_TESTS_MADE_H
#define TAMIS_TESTS_MADE_H

#include <stdlib.h>
#include <string.h>
#include "user/base/err.h"
#include "user/event/event_fields.h"
#include "user/event/record.h"
#include "user/event/spec.h"
#include "bpf/record.h"

#define MADE_RAW 128 /* where the raw record of a made record begins */

struct made {
	struct event *event;
	struct event_specs specs;
	struct record rec;
	u64 bytes[1024];
	u32 raw_size;
};

static inline u8 *made__raw(struct made *m)
{
	return (u8 *)m->bytes + MADE_RAW;
}

/* An event of the bpf transport; @spec as behind -e, NULL: "SYSTEM:NAME". */
static inline void made__init(struct made *m, const char *system, const char *name,
			      const char *format, const char *spec)
{
	struct err err = {0};
	char text[128];
	size_t i;

	memset(m, 0, sizeof(*m));
	snprintf(text, sizeof(text), "%s:%s", system, name);
	assert_int_equal(spec__parse(&m->specs, spec ? spec : text, NULL, NULL, &err), 0);
	m->event = calloc(1, sizeof(*m->event));
	assert_non_null(m->event);
	m->event->refs = 1;
	m->event->spec = m->specs.v[m->specs.n - 1];
	m->event->transport = TRANSPORT_BPF;
	assert_int_equal(event_format__parse(&m->event->format, system, name, format,
					     strlen(format), &err), 0);
	assert_int_equal(event_fields__make(m->event, NULL, &err), 0);
	m->event->label = strdup(text);
	m->event->layout.raw = MADE_RAW;
	for (i = 0; i < LAYOUT_VALUES; i++)
		m->event->layout.value[i] = 32 + 8 * (i % 4);
	for (i = 0; i < LAYOUT_TEXTS; i++)
		m->event->layout.text[i] = 64 + 4 * i;
	m->raw_size = m->event->format->size;
	m->rec = (struct record){.data = m->bytes, .event = m->event, .tgid = 12, .tid = 34,
				 .cpu = 1, .time = 1234567890123456789ull % 1000000000000ull};
	m->rec.size = MADE_RAW + m->raw_size;
}

static inline void made__free(struct made *m)
{
	event__put(m->event);
	spec__free(&m->specs);
}

static inline void made__set(struct made *m, const char *field, u64 value)
{
	const struct field *f = event_format__field(m->event->format, field);

	assert_non_null(f);
	memcpy(made__raw(m) + f->offset, &value, f->room < 8 ? f->room : 8);
}

static inline void made__bytes(struct made *m, const char *field, const void *p, size_t n)
{
	const struct field *f = event_format__field(m->event->format, field);

	assert_non_null(f);
	memcpy(made__raw(m) + f->offset, p, n);
}

/* Payload behind the raw record so far; @return its offset in it. */
static inline u32 made__append(struct made *m, const void *p, size_t n)
{
	u32 at = m->raw_size;

	memcpy(made__raw(m) + at, p, n);
	m->raw_size += (n + 7) & ~7u;
	m->rec.size = MADE_RAW + m->raw_size;
	return at;
}

static inline void made__dynamic(struct made *m, const char *field, const void *p, size_t n)
{
	const struct field *f = event_format__field(m->event->format, field);
	u32 at = made__append(m, p, n);

	if (f->where == FIELD_REL_LOC)
		at -= f->offset + 4;
	made__set(m, field, at | n << 16);
}

/* User text number @slot; NULL: could not be read. */
static inline void made__text(struct made *m, u16 slot, const char *s)
{
	u32 loc = RECORD_NO_TEXT;

	if (s)
		loc = (MADE_RAW + made__append(m, s, strlen(s) + 1)) | (u32)(strlen(s) + 1) << 16;
	memcpy((u8 *)m->bytes + m->event->layout.text[slot], &loc, sizeof(loc));
}

static inline struct value made__read(const struct made *m, const char *field)
{
	const struct field *f = event__field(m->event, field);

	assert_non_null(f);
	return field__read(f, &m->rec);
}

#endif
