// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "../base/clock.h"
#include "../base/guard.h"
#include "loop.h"
#include "loss_report.h"
#include "output_file.h"
#include "signals.h"

struct loop {
	struct options *o;
	int signal_fd, timer_fd;
	struct loss_report losses;
	const struct session_sink *sink;
	u64 left;		/* of -N */
	bool reader_gone;	/* `| head`: has seen enough, wants to hear no more */
};

static void write_stderr(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "tamis: %s\n", line);
}

/* What libbpf has to say about a failure is in our own message. */
static int drop_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

static void raise_open_files(void)
{
	struct rlimit r;

	if (!getrlimit(RLIMIT_NOFILE, &r) && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
	/* before 5.11 maps and rings are charged to it; refused without CAP_SYS_RESOURCE */
	r.rlim_cur = r.rlim_max = RLIM_INFINITY;
	setrlimit(RLIMIT_MEMLOCK, &r);
}

static int open_timer(struct loop *l, struct err *err)
{
	u64 ms = l->o->interval_ms;
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};
	struct itimerspec its = {t, t};

	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->timer_fd < 0 || timerfd_settime(l->timer_fd, 0, &its, NULL))
		return err__set(err, errno, "interval timer: %s", strerror(errno));
	return 0;
}

int loop__open(struct loop **ret, struct options *o, struct err *err)
{
	struct loop *l = calloc(1, sizeof(*l));

	if (!l)
		return err__set(err, ENOMEM, "out of memory");
	l->o = o;
	l->timer_fd = -1;
	l->left = o->max_events ? o->max_events : UINT64_MAX;
	if (!o->log.write)
		o->log.write = write_stderr;
	l->losses.log = &o->log;
	libbpf_set_print(drop_libbpf);
	raise_open_files();
	l->signal_fd = signals__install();
	if (l->signal_fd < 0)
		err__set(err, -l->signal_fd, "signal handlers: %s", strerror(-l->signal_fd));
	if (err->code || output_file__open(o->output, false, err)) {
		loop__free(l);
		return -err->code;
	}
	*ret = l;
	return 0;
}

void loop__free(struct loop *l)
{
	if (!l)
		return;
	if (l->timer_fd >= 0)
		close(l->timer_fd);
	free(l);
}

const volatile u64 *loop__stopped_at(void)
{
	return signals__stopped_at();
}

void loop__stop(void)
{
	signals__stop();
}

static int on_records(void *ctx, const struct record *recs, int n)
{
	struct loop *l = ctx;
	int ret;

	if (!l->left)
		return 0;
	if ((u64)n > l->left)
		n = l->left;
	ret = l->sink->records(l->sink->ctx, recs, n);
	l->left -= n;
	if (!l->left)
		signals__stop();
	return ret;
}

static void on_lost(void *ctx, const struct loss *loss)
{
	struct loop *l = ctx;

	loss_report__add(&l->losses, loss->count);
	loss_report__flush(&l->losses, clock__ns(CLOCK_MONOTONIC));
	if (l->sink->lost)
		l->sink->lost(l->sink->ctx, loss);
}

static int tick(struct loop *l, const struct loop_hooks *hooks)
{
	u64 expirations;

	if (read(l->timer_fd, &expirations, sizeof(expirations)) < 0 || !hooks->interval)
		return 0;
	return hooks->interval(hooks->ctx);
}

static int serve_signals(struct loop *l, const struct loop_hooks *hooks, struct err *err)
{
	signals__clear();
	if (signals__take_reopen() && output_file__open(l->o->output, true, err))
		return -err->code;
	if (signals__take_stat() && hooks->print_stat)
		return hooks->print_stat(hooks->ctx);
	return 0;
}

static bool to_end(const struct session *s)
{
	return *signals__stopped_at() || session__finished(s);
}

static int step(struct loop *l, struct session *s, const struct session_sink *sink,
		const struct loop_hooks *hooks, struct err *err)
{
	struct pollfd fds[] = {
		{.fd = session__fd(s), .events = POLLIN},
		{.fd = l->signal_fd, .events = POLLIN},
		{.fd = l->timer_fd, .events = POLLIN},
		{.fd = STDOUT_FILENO, .events = 0},	/* POLLERR: the reader of a pipe is gone */
	};
	int ret;

	if (poll(fds, ARRAY_SIZE(fds), l->losses.pending ? 1000 : -1) < 0 && errno != EINTR)
		return err__set(err, errno, "poll: %s", strerror(errno));
	if (fds[3].revents & POLLERR)
		return -EPIPE;
	ret = session__poll(s, 0, sink, err);
	if (ret < 0 && ret != -EINTR)
		return ret;
	loss_report__flush(&l->losses, clock__ns(CLOCK_MONOTONIC));
	ret = serve_signals(l, hooks, err);
	return ret || !(fds[2].revents & POLLIN) ? ret : tick(l, hooks);
}

static int collect(struct loop *l, struct session *s, const struct session_sink *sink,
		   const struct loop_hooks *hooks, struct err *err)
{
	int ret = session__attach(s, err);

	if (!ret && l->o->interval_ms)
		ret = open_timer(l, err);
	while (!ret && !to_end(s))
		ret = step(l, s, sink, hooks, err);
	return ret;
}

static void tell_detaching(void *ctx, int left)
{
	struct loop *l = ctx;

	if (isatty(STDERR_FILENO) && !l->o->quiet)
		fprintf(stderr, "\rdetaching, %d left ", left);
	if (isatty(STDERR_FILENO) && !l->o->quiet && !left)
		fprintf(stderr, "\r\033[K");
}

int loop__run(struct loop *l, struct session *s, const struct session_sink *sink,
	      const struct loop_hooks *hooks, struct err *err)
{
	struct session_sink counted = {on_records, on_lost, l};
	static const struct loop_hooks none;
	int ret, rest;

	l->sink = sink;
	ret = collect(l, s, &counted, hooks ? hooks : &none, err);
	session__detach(s, tell_detaching, l);
	if (ret == -EPIPE) {
		l->reader_gone = true;
		return 0;
	}
	if (ret == -ECANCELED || ret > 0) {
		loss_report__flush(&l->losses, UINT64_MAX);
		return 0;	/* the script ended the run and knows why */
	}
	if (ret)
		return ret;
	rest = session__drain(s, &counted, err);
	loss_report__flush(&l->losses, UINT64_MAX);
	return rest == -EPIPE || rest == -ECANCELED ? 0 : rest;
}

int loop__workload_exit(const struct session *s)
{
	int status = session__workload_status(s);

	if (status == -1)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void put_count(const char *what, u64 n)
{
	if (n)
		fprintf(stderr, ", %s %" PRIu64, what, n);
}

static void summarize(const struct loop *l, struct session *s, size_t i)
{
	struct event_stats st;
	bool says_more = spec__emits(session__event(s, i)->spec) && isatty(STDERR_FILENO);
	bool wanted = !l->o->quiet && (says_more || l->o->session.verbose);
	u64 lost;

	session__stats(s, i, &st);
	lost = event_stats__lost(&st);
	/* what is missing is said in any case */
	if (!wanted && !lost && !st.agg_full && !st.stack_full && !st.starts_full)
		return;
	fprintf(stderr, "tamis: %s: delivered %" PRIu64 ", lost %" PRIu64, session__event(s, i)->label,
		st.delivered, lost);
	if (lost)
		fprintf(stderr, " (ring full %" PRIu64 ", missed runs %" PRIu64 ")", st.ring_full,
			st.missed);
	put_count("own", st.own);
	put_count("updates lost", st.agg_full);
	put_count("stacks lost", st.stack_full);
	put_count("unmatched", st.unmatched);
	put_count("overwritten", st.overwritten);
	put_count("starts lost", st.starts_full);
	put_count("still open", st.open_starts);
	put_count("unreadable", st.unreadable);
	put_count("dropped as unreadable", st.strict_dropped);
	put_count("over rate=", st.rate_limited);
	/* counted to the end only with -v, or when nothing came */
	if (st.fired && (l->o->session.verbose || !st.delivered))
		fprintf(stderr, ", fired %" PRIu64 ", out of scope %" PRIu64 ", rejected %" PRIu64,
			st.fired, st.out_of_scope, st.rejected);
	fputc('\n', stderr);
}

void loop__summary(const struct loop *l, struct session *s)
{
	size_t i;

	for (i = 0; i < session__nr_events(s) && !l->reader_gone; i++)
		summarize(l, s, i);
	if (session__workload_status(s) != -1 && loop__workload_exit(s) && !l->o->quiet)
		fprintf(stderr, "tamis: %s ended with status %d\n", l->o->workload[0],
			loop__workload_exit(s));
}
