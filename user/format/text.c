// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include "../event/sample.h"
#include "parts.h"
#include "../../bpf/record.h"

#define COMM_SIZE 16

static const struct format_opts defaults;

bool format__shows(const struct format_opts *opts, const char *name)
{
	const char *const *s;

	if (!opts->show)
		return true;
	for (s = opts->show; *s; s++)
		if (!strcmp(*s, name))
			return true;
	return false;
}

const char *format__extra_name(enum extra which)
{
	static const char *const names[] = {
		[EXTRA_COMM] = "_comm",
		[EXTRA_PPID] = "_ppid",
		[EXTRA_UID] = "_uid",
		[EXTRA_NSPID] = "_nspid",
		[EXTRA_NSTID] = "_nstid",
		[EXTRA_CGROUP] = "_cgroup",
		[EXTRA_CONTAINER] = "_container",
	};

	return names[which];
}

/* --- syscall events: the kernel's style, with numbers and texts as they are meant --- */

/* Sets of bits read better in hexadecimal, and so do addresses and requests. */
static bool is_hex(const struct field *f)
{
	static const char *const ends[] = {"flags", "flag", "mode",    "prot",	 "mask", "addr",
					   "start", "brk",  "request", "events", "ptr"};
	size_t i, n = strlen(f->name), m;

	if (strchr(f->type, '*'))
		return true;
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		m = strlen(ends[i]);
		if (n >= m && !strcmp(f->name + n - m, ends[i]))
			return true;
	}
	return false;
}

static void put_quoted(struct strbuf *b, const struct value *v, bool terminal)
{
	const char *s = v->ptr, *end = s + v->len, *stop;

	strbuf__putc(b, '"');
	for (; s < end; s = stop) {
		if (*s == '"' || *s == '\\')
			strbuf__putc(b, '\\');
		for (stop = s + 1; stop < end && *stop != '"' && *stop != '\\'; stop++)
			;
		format__escape(b, s, stop - s, terminal);
	}
	strbuf__putc(b, '"');
}

static void put_syscall_value(struct strbuf *b, const struct field *f, const struct value *v,
			      bool terminal)
{
	u64 mask = f->size < 8 ? (1ull << 8 * f->size) - 1 : ~0ull;
	bool big = v->num > UINT32_MAX && -v->num > UINT32_MAX;

	if (v->kind == VALUE_TEXT)
		put_quoted(b, v, terminal);
	else if (v->kind == VALUE_NONE)
		strbuf__puts(b, "(unreadable)");
	else if ((v->kind == VALUE_INT || v->kind == VALUE_UINT) && (is_hex(f) || big))
		strbuf__printf(b, "0x%" PRIx64, v->num & mask);
	else
		format__value(b, f, v, terminal);
}

/* A pointer whose text stands beside it, and the number that the event's name says. */
static bool is_left_out(const struct event *e, size_t i)
{
	const struct field *f = &e->fields[i];

	return !strcmp(f->name, "__syscall_nr") ||
	       (i && e->fields[i - 1].where == FIELD_USER_TEXT &&
		f->offset == e->fields[i - 1].offset);
}

static bool is_beyond_format(const struct field *f)
{
	return f->where == FIELD_VALUE || f->kept;
}

static void put_syscall(struct strbuf *b, const struct record *rec, bool terminal)
{
	const struct event *e = rec->event;
	const char *comma = "";
	struct value v;
	size_t i;

	for (i = 0; i < e->nr_fields; i++) {
		if (is_left_out(e, i) || is_beyond_format(&e->fields[i]))
			continue;
		v = field__read(&e->fields[i], rec);
		if (v.kind == VALUE_NONE && e->transport == TRANSPORT_PERF &&
		    e->fields[i].where == FIELD_USER_TEXT && i + 1 < e->nr_fields)
			v = field__read(&e->fields[i + 1], rec);
		strbuf__printf(b, "%s%s: ", comma, e->fields[i].name);
		put_syscall_value(b, &e->fields[i], &v, terminal);
		comma = ", ";
	}
}

/* --- name=value --- */

static void put_field(struct strbuf *b, const struct field *f, const struct record *rec,
		      bool terminal, const char *space)
{
	struct value v = field__read(f, rec);

	strbuf__printf(b, "%s%s=", space, f->name);
	format__value(b, f, &v, terminal);
}

static void put_all(struct strbuf *b, const struct record *rec, bool terminal)
{
	const struct event *e = rec->event;
	const char *space = "";
	size_t i;

	for (i = 0; i < e->nr_fields; i++) {
		if (is_beyond_format(&e->fields[i]) || is_left_out(e, i))
			continue;
		put_field(b, &e->fields[i], rec, terminal, space);
		space = " ";
	}
}

/* Text that the kernel's print format shows as a pointer, latency, what the start kept. */
static void put_beyond_format(struct strbuf *b, const struct record *rec, bool texts, bool terminal)
{
	const struct event *e = rec->event;
	size_t i;

	for (i = 0; i < e->nr_fields; i++)
		if (is_beyond_format(&e->fields[i]) ||
		    (texts && e->fields[i].where == FIELD_USER_TEXT))
			put_field(b, &e->fields[i], rec, terminal, " ");
}

static void put_cgroup(struct strbuf *b, u64 id, bool container, const struct format_opts *opts)
{
	const char *name = opts->cgroup ? opts->cgroup(opts->ctx, id, container) : NULL;

	if (name)
		format__escape(b, name, strlen(name), opts->terminal);
	else if (container && opts->cgroup)
		strbuf__putc(b, '-');
	else
		strbuf__printf(b, "%" PRIu64, id);
}

static void put_extra(struct strbuf *b, const struct record *rec, enum extra which,
		      const struct format_opts *opts, const char *before)
{
	const void *p = record__extra(rec, which);
	u64 id = 0;

	if (!p)
		return;
	strbuf__printf(b, "%s%s=", before, format__extra_name(which));
	if (which == EXTRA_COMM) {
		format__escape(b, p, strnlen(p, COMM_SIZE), opts->terminal);
		return;
	}
	if (which == EXTRA_CGROUP || which == EXTRA_CONTAINER) {
		memcpy(&id, p, 8);
		put_cgroup(b, id, which == EXTRA_CONTAINER, opts);
		return;
	}
	memcpy(&id, p, 4);
	strbuf__printf(b, "%" PRIu64, id);
}

static void put_shown(struct strbuf *b, const struct record *rec, const struct format_opts *opts)
{
	const struct event *e = rec->event;
	const struct field *f;
	const char *const *s;
	size_t start = b->len, i;

	for (s = opts->show; *s; s++) {
		f = event__field(e, *s);
		if (f)
			put_field(b, f, rec, opts->terminal, b->len > start ? " " : "");
		for (i = 0; i < EXTRA_MAX; i++)
			if (!strcmp(*s, format__extra_name(i)))
				put_extra(b, rec, i, opts, b->len > start ? " " : "");
	}
}

static void put_marks(struct strbuf *b, const struct record *rec)
{
	if (rec->flags & RECORD_TRUNCATED)
		strbuf__puts(b, " (truncated)");
	if (rec->flags & RECORD_LATE)
		strbuf__puts(b, " (late)");
}

void format__body(struct strbuf *b, const struct record *rec, const struct format_opts *opts)
{
	const struct event_format *f = rec->event->format;
	bool texts = false;
	size_t i;

	if (!opts)
		opts = &defaults;
	if (opts->show) {
		put_shown(b, rec, opts);
		return;
	}
	if (rec->event->kind == SPEC_SOURCE)
		sample_text__put(b, rec);
	else if (f->is_syscall_enter || f->is_syscall_exit)
		put_syscall(b, rec, opts->terminal);
	else if (kernel_text__put(b, rec, opts->terminal))
		texts = true;
	else
		put_all(b, rec, opts->terminal);
	put_beyond_format(b, rec, texts, opts->terminal);
	for (i = EXTRA_COMM + 1; i < EXTRA_MAX; i++)
		put_extra(b, rec, i, opts, " ");
	put_marks(b, rec);
}

/* --- the line's prefix --- */

/* Breaking a second down costs more than the rest of a line, and the next line is in the same one. */
struct second {
	time_t seconds;
	char text[24];
};

static const char *date_of(time_t seconds)
{
	static _Thread_local struct second last;
	struct tm tm = {0};

	if (seconds != last.seconds || !last.text[0]) {
		localtime_r(&seconds, &tm);
		strftime(last.text, sizeof(last.text), "%Y-%m-%d %H:%M:%S", &tm);
		last.seconds = seconds;
	}
	return last.text;
}

static void put_date(struct strbuf *b, const struct record *rec)
{
	const struct wall_clock *clock = rec->event->clock;
	u64 ns = rec->time + (clock ? (u64)clock->offset : 0);

	strbuf__printf(b, "%s.%06u ", date_of(ns / 1000000000),
		       (unsigned int)(ns / 1000 % 1000000));
}

static void put_comm(struct strbuf *b, const struct record *rec, const struct format_opts *opts)
{
	const char *comm = record__extra(rec, EXTRA_COMM);
	size_t start = b->len;
	size_t len = comm ? strnlen(comm, COMM_SIZE) : 0;

	if (!comm && opts->comm) {
		comm = opts->comm;
		len = strlen(comm);
	}
	if (!comm) {
		comm = rec->tid ? "<...>" : "<idle>";
		len = strlen(comm);
	}
	format__escape(b, comm, len, opts->terminal);
	for (; b->len < start + COMM_SIZE;) {
		strbuf__putc(b, ' ');
		if (b->failed)
			return;
	}
}

/* As the kernel's own trace shows them: interrupts off, resched, hard or soft interrupt, depth. */
static void put_flags(struct strbuf *b, const struct record *rec)
{
	static const char resched[] = ".lnbpLNB"; /* by lazy, need, preempt */
	char out[5] = "....";
	const u8 *raw;
	u32 size;
	u8 f;

	raw = rec->event->transport == TRANSPORT_PERF ? record__raw(rec, &size) : NULL;
	if (raw && size >= 8) {
		f = raw[2];
		out[0] = (f & 0x81) == 0x81 ? 'D' : f & 0x01 ? 'd' : f & 0x80 ? 'b' : '.';
		out[1] = resched[(f >> 1 & 1) | (f >> 1 & 2) | (f >> 3 & 4)];
		out[2] = f & 0x40   ? (f & 0x08 ? 'Z' : 'z')
			 : f & 0x08 ? (f & 0x10 ? 'H' : 'h')
			 : f & 0x10 ? 's'
				    : '.';
		if (raw[3] & 15)
			out[3] = "0123456789abcdef"[raw[3] & 15];
	}
	strbuf__puts(b, out);
}

void format__line(struct strbuf *b, const struct record *rec, const struct format_opts *opts)
{
	if (!opts)
		opts = &defaults;
	if (opts->date)
		put_date(b, rec);
	put_comm(b, rec, opts);
	strbuf__printf(b, " %6u ", rec->tid);
	put_flags(b, rec);
	strbuf__printf(b, " [%03u] %" PRIu64 ".%06u: %s: ", rec->cpu, rec->time / 1000000000,
		       (unsigned int)(rec->time / 1000 % 1000000), rec->event->label);
	format__body(b, rec, opts);
}
