// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>
#include "parts.h"
#include "../../bpf/record.h"

#define COMM_SIZE 16

static const struct format_opts defaults;

/* Names are C identifiers: nothing in them needs an escape. */
static void put_name(struct strbuf *b, const char *name)
{
	strbuf__add(b, ",\"", 2);
	strbuf__puts(b, name);
	strbuf__add(b, "\":", 2);
}

static void put_number(struct strbuf *b, const struct format_opts *opts, const char *name, u64 n)
{
	if (!format__shows(opts, name))
		return;
	put_name(b, name);
	format__number(b, n, false);
}

static void put_cgroup(struct strbuf *b, u64 id, bool container, const struct format_opts *opts)
{
	const char *name = opts->cgroup ? opts->cgroup(opts->ctx, id, container) : NULL;

	if (name)
		format__json_string(b, name, strlen(name));
	else if (container && opts->cgroup)
		strbuf__puts(b, "null");
	else
		strbuf__printf(b, "%" PRIu64, id);
}

static void put_extra(struct strbuf *b, const struct record *rec, enum extra which,
		      const struct format_opts *opts)
{
	const void *p = record__extra(rec, which);
	u64 n = 0;

	put_name(b, format__extra_name(which));
	if (which == EXTRA_COMM) {
		format__json_string(b, p, strnlen(p, COMM_SIZE));
		return;
	}
	if (which == EXTRA_CGROUP || which == EXTRA_CONTAINER) {
		memcpy(&n, p, 8);
		put_cgroup(b, n, which == EXTRA_CONTAINER, opts);
		return;
	}
	memcpy(&n, p, 4);
	strbuf__printf(b, "%" PRIu64, n);
}

static void put_extras(struct strbuf *b, const struct record *rec, const struct format_opts *opts)
{
	size_t i;

	for (i = 0; i < EXTRA_MAX; i++)
		if (format__shows(opts, format__extra_name(i)) && record__extra(rec, i))
			put_extra(b, rec, i, opts);
	if (opts->comm && !record__extra(rec, EXTRA_COMM) && format__shows(opts, "_comm")) {
		put_name(b, "_comm");
		format__json_string(b, opts->comm, strlen(opts->comm));
	}
}

static void put_callchain(struct strbuf *b, const struct record *rec,
			  const struct format_opts *opts)
{
	const u64 *ips;
	u32 i, n = record__callchain(rec, &ips);

	if (!n || !format__shows(opts, "_callchain"))
		return;
	put_name(b, "_callchain");
	if (opts->callchain) {
		opts->callchain(opts->ctx, b, rec);
		return;
	}
	for (i = 0; i < n; i++)
		strbuf__printf(b, "%s%" PRIu64, i ? "," : "[", ips[i]);
	strbuf__putc(b, ']');
}

static void put_fields(struct strbuf *b, const struct record *rec, const struct format_opts *opts)
{
	const struct event *e = rec->event;
	struct value v;
	size_t i;

	for (i = 0; i < e->nr_fields; i++) {
		if (!format__shows(opts, e->fields[i].name))
			continue;
		v = field__read(&e->fields[i], rec);
		put_name(b, e->fields[i].name);
		format__json_value(b, &e->fields[i], &v);
	}
}

static void put_marks(struct strbuf *b, const struct record *rec)
{
	if (rec->flags & RECORD_TRUNCATED)
		strbuf__puts(b, ",\"_truncated\":true");
	if (rec->flags & RECORD_UNREADABLE)
		strbuf__puts(b, ",\"_unreadable\":true");
	if (rec->flags & RECORD_LATE)
		strbuf__puts(b, ",\"_late\":true");
}

void format__json(struct strbuf *b, const struct record *rec, const struct format_opts *opts)
{
	const struct event *e = rec->event;

	if (!opts)
		opts = &defaults;
	strbuf__puts(b, "{\"_event\":");
	format__json_string(b, e->label, strlen(e->label));
	put_number(b, opts, "_pid", rec->tgid);
	put_number(b, opts, "_tid", rec->tid);
	put_number(b, opts, "_time", rec->time);
	put_number(b, opts, "_cpu", rec->cpu);
	if (e->clock)
		put_number(b, opts, "_realtime", rec->time + (u64)e->clock->offset);
	put_extras(b, rec, opts);
	if (e->kind == SPEC_SOURCE)
		sample_json__put(b, rec, opts);
	else
		put_callchain(b, rec, opts);
	put_fields(b, rec, opts);
	put_marks(b, rec);
	strbuf__putc(b, '}');
}
