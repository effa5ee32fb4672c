// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/array.h"
#include "base/strbuf.h"
#include "collect/counts.h"
#include "event/catalog.h"
#include "event/event_fields.h"
#include "kvm_feed.h"
#include "scope/guests.h"
#include "stat_tables.h"
#include "../bpf/record.h"

#define GUEST_LEN 64
#define AT_PID	  8
#define AT_GUEST  16
#define AT_COUNTS (AT_GUEST + GUEST_LEN)

/* The records of one interval. */
struct interval {
	struct interval *next;
	u64 end; /* position behind the last one */
	u32 n;
	u64 bytes[]; /* n records of the feed's size */
};

struct kvm_feed {
	struct stream stream; /* first */
	struct event *event; /* borrowed */
	struct session_opts opts;
	struct catalog *catalog; /* borrowed */
	struct stat_tables *tables;
	struct session *session;
	struct counts *counts;
	char **names; /* of the counters, in the order of fields; owned */
	size_t nr_names, names_room;
	u32 *known; /* processes that are machines; owned */
	size_t nr_known, known_room;
	u32 size; /* of a record, its head included */
	int timer;
	double seconds;
	struct interval *first, **last;
	u64 at; /* position of the last record that was handed out */
};

struct adding {
	struct kvm_feed *k;
	struct err *err;
};

static int add_name(void *ctx, const char *system, const char *name)
{
	struct adding *a = ctx;
	const struct stat_event e = {.system = system, .name = name, .shown = name, .chosen = -1};
	char *copy = strdup(name);

	if (!copy || array__push(a->k->names, a->k->nr_names, a->k->names_room, copy)) {
		free(copy);
		return err__set(a->err, ENOMEM, "out of memory");
	}
	return stat_tables__add(a->k->tables, a->k->catalog, &e, a->err);
}

static int find_names(struct kvm_feed *k, struct err *err)
{
	struct adding a = {k, err};
	int ret = stat_tables__new(&k->tables, err);

	if (!ret)
		ret = catalog__each(k->catalog, "kvm", "*", add_name, &a, err);
	if (!ret && !k->nr_names)
		ret = err__set(err, ENOENT,
			       "kvmstat: this kernel has no tracepoints of KVM: is kvm loaded?");
	return ret;
}

/* A format file, as if the kernel had such a tracepoint. */
static int describe(struct kvm_feed *k, struct err *err)
{
	struct event_format *f = NULL;
	struct strbuf b = {0};
	size_t i;
	int ret;

	strbuf__puts(&b,
		     "name: kvmstat\nID: 0\nformat:\n"
		     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
	strbuf__printf(&b, "\tfield:u32 pid;\toffset:%d;\tsize:4;\tsigned:0;\n", AT_PID);
	strbuf__printf(&b, "\tfield:char guest[%d];\toffset:%d;\tsize:%d;\tsigned:0;\n", GUEST_LEN,
		       AT_GUEST, GUEST_LEN);
	for (i = 0; i < k->nr_names; i++)
		strbuf__printf(&b, "\tfield:u64 %s;\toffset:%zu;\tsize:8;\tsigned:0;\n",
			       k->names[i], AT_COUNTS + 8 * i);
	strbuf__puts(&b, "\nprint fmt: \"pid=%u guest=%s\", REC->pid, REC->guest\n");
	ret = b.failed ? err__set(err, ENOMEM, "out of memory")
		       : event_format__parse(&f, "", "kvmstat", b.s, b.len, err);
	strbuf__free(&b);
	if (ret)
		return ret;
	event_format__put(k->event->format);
	k->event->format = f;
	k->event->kind = SPEC_TRACEPOINT;
	k->event->transport = TRANSPORT_BPF;
	k->event->made = true;
	k->event->layout.raw = sizeof(struct record_head);
	free(k->event->fields);
	k->event->fields = NULL;
	k->event->nr_fields = 0;
	k->size = sizeof(struct record_head) + AT_COUNTS + 8 * k->nr_names;
	return event_fields__make(k->event, NULL, err);
}

static int parse_options(struct kvm_feed *k, struct err *err)
{
	const struct event_spec *spec = k->event->spec;
	const char *s = spec->options.s;
	int used = 0;

	k->seconds = 1;
	if (!s || !s[strspn(s, " ")])
		return 0;
	if (sscanf(s, " -s %lf %n", &k->seconds, &used) == 1 && !s[used] && k->seconds >= 0.1 &&
	    k->seconds <= 86400)
		return 0;
	return err__caret(err, spec->text, spec->options.at, strlen(s),
			  "kvmstat takes -s SECONDS, of at least 0.1");
}

int kvm_feed__attach(struct kvm_feed *k, struct err *err)
{
	struct timespec t = {(time_t)k->seconds, (long)((k->seconds - (time_t)k->seconds) * 1e9)};
	struct itimerspec every = {t, t};
	int ret;

	k->opts.events = stat_tables__specs(k->tables);
	k->opts.workload = NULL;
	k->opts.transport = TRANSPORT_AUTO;
	k->opts.only_grow = true;
	k->opts.with = k->opts.stack = 0;
	ret = session__open(&k->session, &k->opts, err);
	if (ret)
		return err__prefix(err, "kvmstat");
	stat_tables__use(k->tables, k->session);
	counts__tick(k->counts, clock__ns(CLOCK_MONOTONIC));
	ret = session__attach(k->session, err);
	if (ret)
		return ret;
	k->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (k->timer < 0 || timerfd_settime(k->timer, 0, &every, NULL))
		return err__set(err, errno, "kvmstat: timer: %s", strerror(errno));
	return 0;
}

void kvm_feed__detach(struct kvm_feed *k)
{
	if (k->timer >= 0)
		timerfd_settime(k->timer, 0, &(struct itimerspec){0}, NULL);
	if (k->session)
		session__detach(k->session, NULL, NULL);
}

void kvm_feed__close(struct kvm_feed *k)
{
	struct interval *i, *next;
	size_t n;

	if (!k)
		return;
	for (i = k->first; i; i = next) {
		next = i->next;
		free(i);
	}
	session__close(k->session);
	stat_tables__free(k->tables);
	counts__free(k->counts);
	for (n = 0; n < k->nr_names; n++)
		free(k->names[n]);
	free(k->names);
	free(k->known);
	if (k->timer >= 0)
		close(k->timer);
	free(k);
}

int kvm_feed__fd(const struct kvm_feed *k)
{
	return k->timer;
}

struct stream *kvm_feed__stream(struct kvm_feed *k)
{
	return &k->stream;
}

/* Machines are known once they count anything, until their process ends. */
static void find_machines(struct kvm_feed *k)
{
	struct view all = {0};
	struct lines l;
	size_t i, j, n = 0;

	for (i = 0; i < k->nr_known; i++)
		if (guest__is(k->known[i]))
			k->known[n++] = k->known[i];
	k->nr_known = n;
	if (counts__guests(k->counts, &all, &l))
		return;
	for (i = 0; i < l.n; i++) {
		for (j = 0; j < k->nr_known && k->known[j] != l.v[i].tgid; j++)
			;
		if (j == k->nr_known && l.v[i].tgid && guest__is(l.v[i].tgid) &&
		    array__push(k->known, k->nr_known, k->known_room, l.v[i].tgid))
			break;
	}
	lines__free(&l);
}

static void fill_record(struct kvm_feed *k, u8 *at, u32 pid, u64 now)
{
	struct record_head head = {
		.time = now, .tgid = pid, .tid = pid, .size = k->size, .event = k->event->index};
	struct view view = {.tgid = pid};
	struct strbuf name = {0};
	u8 *raw = at + sizeof(head);
	const struct line *line;
	struct lines l;
	size_t i;

	memcpy(at, &head, sizeof(head));
	memcpy(raw + 4, &pid, 4);
	memcpy(raw + AT_PID, &pid, 4);
	if (guest__name(pid, &name) && name.s)
		memcpy(raw + AT_GUEST, name.s, name.len < GUEST_LEN ? name.len : GUEST_LEN);
	strbuf__free(&name);
	if (counts__by_name(k->counts, &view, &l))
		return;
	for (i = 0; i < k->nr_names; i++) {
		line = lines__find(&l, k->names[i]);
		if (line)
			memcpy(raw + AT_COUNTS + 8 * i, &line->delta, 8);
	}
	lines__free(&l);
}

static void add_interval(struct kvm_feed *k)
{
	struct interval *in;
	struct err err = {0};
	u64 now = clock__ns(CLOCK_MONOTONIC);
	size_t i;

	if (stat_tables__read(k->tables, k->counts, &err))
		return;
	counts__tick(k->counts, now);
	find_machines(k);
	in = calloc(1, sizeof(*in) + k->nr_known * k->size);
	if (!in)
		return;
	for (i = 0; i < k->nr_known; i++)
		fill_record(k, (u8 *)in->bytes + i * k->size, k->known[i], now);
	in->n = k->nr_known;
	*k->last = in;
	k->last = &in->next;
}

/* Intervals that were not handed out yet: their end is not known. */
static int hand_out(struct kvm_feed *k, struct interval *in, struct record *out, u64 *ends, int max)
{
	int n = 0;

	for (; in && n + (int)in->n <= max; in = in->next) {
		u32 i;

		if (in->end)
			continue;
		for (i = 0; i < in->n; i++, n++) {
			const struct record_head *head =
				(const void *)((const u8 *)in->bytes + i * k->size);

			out[n] = (struct record){.time = head->time,
						 .data = head,
						 .event = k->event,
						 .size = k->size,
						 .tgid = head->tgid,
						 .tid = head->tid};
			ends[n] = ++k->at;
		}
		in->end = k->at;
	}
	return n;
}

static int peek(struct stream *s, struct record *out, u64 *ends, int max,
		const struct loss_sink *losses UNUSED)
{
	struct kvm_feed *k = (struct kvm_feed *)s;
	u64 expirations;

	if (k->timer >= 0 && read(k->timer, &expirations, sizeof(expirations)) > 0)
		add_interval(k);
	return hand_out(k, k->first, out, ends, max);
}

static void release(struct stream *s, u64 end)
{
	struct kvm_feed *k = (struct kvm_feed *)s;
	struct interval *in;

	while ((in = k->first) && in->end && in->end <= end) {
		k->first = in->next;
		if (!k->first)
			k->last = &k->first;
		free(in);
	}
}

static const struct stream_ops kvm_feed_ops = {peek, release};

int kvm_feed__open(struct kvm_feed **ret, struct event *event, const struct session_opts *opts,
		   struct catalog *c, struct err *err)
{
	struct kvm_feed *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return err__set(err, ENOMEM, "out of memory");
	*k = (struct kvm_feed){.stream.ops = &kvm_feed_ops,
			       .event = event,
			       .opts = *opts,
			       .catalog = c,
			       .timer = -1};
	k->last = &k->first;
	k->counts = counts__new();
	r = k->counts ? parse_options(k, err) : err__set(err, ENOMEM, "out of memory");
	if (!r)
		r = find_names(k, err);
	if (!r)
		r = describe(k, err);
	if (r)
		kvm_feed__close(k);
	else
		*ret = k;
	return r;
}
