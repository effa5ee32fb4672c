// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/clock.h"
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "../collect/table.h"
#include "../event/catalog.h"
#include "../event/value_names.h"
#include "../session.h"
#include "kvm_latency.h"
#include "output_file.h"
#include "signals.h"
#include "stat_opts.h"

#define BAR 40 /* columns */

struct latency {
	const struct stat_opts *o;
	struct event_format *format; /* of kvm_exit */
	const char *field, *chooser;
	struct session *session;
};

static int open_session(struct latency *l, u32 pid, struct err *err)
{
	struct session_opts opts = l->o->given.session;
	struct scope_opts scope = l->o->given.scope;
	struct strbuf b = {0};
	const char *events[] = {NULL, NULL};
	char pids[16];
	int ret;

	snprintf(pids, sizeof(pids), "%u", pid);
	if (pid)
		scope.pids = pids;
	opts.scope = &scope;
	strbuf__printf(&b,
		       "kvm:kvm_exit//alias=exit/key=_tid/keep=%s%s%s/,"
		       "kvm:kvm_entry//since=exit/key=_tid/hist=latency/avg=latency/max=latency/"
		       "by=start.%s%s%s/",
		       l->field, l->chooser ? "," : "", l->chooser ? l->chooser : "", l->field,
		       l->chooser ? ",start." : "", l->chooser ? l->chooser : "");
	events[0] = b.s;
	opts.events = events;
	ret = b.failed ? err__set(err, ENOMEM, "out of memory")
		       : session__open(&l->session, &opts, err);
	if (!ret)
		ret = session__attach(l->session, err);
	strbuf__free(&b);
	return ret;
}

static int no_records(void *ctx, const struct record *recs, int n)
{
	(void)ctx;
	(void)recs;
	(void)n;
	return 0;
}

static int collect(struct latency *l, int signal_fd, struct err *err)
{
	static const struct session_sink sink = {.records = no_records};
	u64 end = l->o->given.once ? clock__ns(CLOCK_MONOTONIC) + (u64)(l->o->delay * 1e9) : UINT64_MAX, now;
	int ret = 0;

	while (!ret && !*signals__stopped_at() && !session__finished(l->session) &&
	       (now = clock__ns(CLOCK_MONOTONIC)) < end) {
		struct pollfd fds[] = {{signal_fd, POLLIN, 0},
				       {session__fd(l->session), POLLIN, 0}};
		int n;

		if (poll(fds, 2, end - now < 1000000000 ? (end - now) / 1000000 + 1 : 1000) < 0 &&
		    errno != EINTR)
			return err__set(err, errno, "poll: %s", strerror(errno));
		n = session__poll(l->session, 0, &sink, err);
		ret = n < 0 && n != -EINTR ? n : 0;
	}
	session__detach(l->session, NULL, NULL);
	return ret;
}

/* "850ns", "12.3us": three figures */
static void put_time(struct strbuf *b, double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	char text[32];
	int unit = 0;

	while (ns >= 1000 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	snprintf(text, sizeof(text), "%.*f%s", ns >= 100 || !unit ? 0 : 1, ns, units[unit]);
	strbuf__printf(b, " %9s", text);
}

static void put_bars(struct strbuf *b, const struct hist *h)
{
	u64 most = 1;
	size_t i;
	int n;

	for (i = 0; i < h->nr; i++)
		most = h->buckets[i].count > most ? h->buckets[i].count : most;
	for (i = 0; i < h->nr; i++) {
		strbuf__puts(b, "   ");
		put_time(b, h->buckets[i].low);
		strbuf__puts(b, " ..");
		put_time(b, h->buckets[i].high);
		strbuf__printf(b, " %10llu |", (unsigned long long)h->buckets[i].count);
		for (n = h->buckets[i].count * BAR / most; n > 0; n--)
			strbuf__putc(b, '@');
		strbuf__puts(b, "\n");
	}
}

static void put_row(struct strbuf *b, const struct latency *l, const struct row *r)
{
	struct strbuf name = {0};

	value_names__put(&name, l->format, l->field, r->key[0].num, l->chooser ? r->key[1].num : 0);
	strbuf__printf(b, "%-28s %10llu", name.s ? name.s : "", (unsigned long long)r->count);
	put_time(b, r->avg);
	put_time(b, hist__percentile(&r->hist, false, 50));
	put_time(b, hist__percentile(&r->hist, false, 99));
	put_time(b, r->max);
	strbuf__putc(b, '\n');
	put_bars(b, &r->hist);
	strbuf__free(&name);
}

static bool is_wanted(const struct latency *l, const struct row *r)
{
	struct strbuf name = {0};
	bool wanted = true;

	if (l->o->has_fields) {
		strbuf__puts(&name, "kvm_exit(");
		value_names__put(&name, l->format, l->field, r->key[0].num,
				 l->chooser ? r->key[1].num : 0);
		strbuf__putc(&name, ')');
		wanted = name.s && !regexec(&l->o->fields, name.s, 0, NULL, 0);
	}
	strbuf__free(&name);
	return wanted;
}

static int print(struct latency *l, struct err *err)
{
	struct table *t = session__table(l->session, 1);
	struct strbuf b = {0};
	struct snapshot s;
	size_t i;
	int ret = table__snapshot(t, false, &s, err);

	if (ret)
		return ret;
	snapshot__sort(t, &s, AGG_HIST);
	strbuf__printf(&b, "%-28s %10s %9s %9s %9s %9s\n", "kvm_exit to kvm_entry", "count", "avg",
		       "p50", "p99", "max");
	for (i = 0; i < s.nr; i++)
		if (is_wanted(l, &s.rows[i]))
			put_row(&b, l, &s.rows[i]);
	snapshot__free(&s);
	ret = b.failed ? err__set(err, ENOMEM, "out of memory") : output_file__write(&b, err);
	strbuf__free(&b);
	return ret == -EPIPE ? 0 : ret;
}

int kvm_latency(const struct stat_opts *o, struct catalog *c, const char *field, u32 pid,
		struct err *err)
{
	struct latency l = {.o = o, .field = field};
	int fd = signals__install(), ret;

	if (fd < 0)
		return err__set(err, -fd, "signal handlers: %s", strerror(-fd));
	ret = catalog__format(c, "kvm", "kvm_exit", &l.format, err);
	if (ret)
		return ret;
	l.chooser = value_names__chooser(l.format, field);
	ret = open_session(&l, pid, err);
	if (!ret)
		ret = collect(&l, fd, err);
	if (!ret)
		ret = print(&l, err);
	session__close(l.session);
	event_format__put(l.format);
	return ret;
}
