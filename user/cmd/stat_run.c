// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../base/clock.h"
#include "../base/guard.h"
#include "../output/stat_lines.h"
#include "../scope/workload.h"
#include "../session.h"
#include "loop.h"
#include "signals.h"
#include "stat_run.h"

#define HEADER_EVERY 20 /* lines */

static volatile sig_atomic_t hung_up;

static int no_records(void *ctx, const struct record *recs, int n)
{
	(void)ctx;
	(void)recs;
	(void)n;
	return 0;
}

static void write_stderr(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "tamis: %s\n", line);
}

void stat_log(struct log *log)
{
	log->write = write_stderr;
}

bool stat_run__over(const struct stat_run *r)
{
	return r->ended || *signals__stopped_at();
}

static int poll_session(struct stat_run *r, struct err *err)
{
	static const struct session_sink sink = {.records = no_records};
	int ret;

	if (r->workload && r->workload_status < 0)
		r->workload_status = workload__status(r->workload);
	if (r->workload)
		r->ended = r->workload_status >= 0;
	if (!r->session)
		return 0;
	ret = session__poll(r->session, 0, &sink, err);
	r->ended = session__finished(r->session);
	return ret < 0 && ret != -EINTR ? ret : 0;
}

int stat_run__wait(struct stat_run *r, int fd, struct err *err)
{
	struct pollfd fds[] = {
		{.fd = r->signal_fd, .events = POLLIN},
		{.fd = r->session    ? session__fd(r->session)
		       : r->workload ? workload__fd(r->workload)
				     : -1,
		 .events = POLLIN},
		{.fd = fd, .events = POLLIN},
	};
	u64 now = clock__ns(CLOCK_MONOTONIC);
	int ms = now < r->next ? (r->next - now + 999999) / 1000000 : 0;

	if (poll(fds, ARRAY_SIZE(fds), ms) < 0 && errno != EINTR)
		return err__set(err, errno, "poll: %s", strerror(errno));
	signals__clear();
	if (poll_session(r, err))
		return -err->code;
	return fds[2].revents != 0;
}

int stat_run__tick(struct stat_run *r, struct err *err)
{
	u64 now, step = r->delay * 1e9;
	size_t i;
	int ret = 0;

	for (i = 0; i < r->nr_providers && !ret; i++)
		ret = r->providers[i].read(r->providers[i].ctx, r->counts, err);
	now = clock__ns(CLOCK_MONOTONIC);
	counts__tick(r->counts, now);
	/* Ticks stay where they were, unless one was late by more than an interval. */
	r->next = r->next + step > now ? r->next + step : now + step;
	return ret;
}

static int wait_interval(struct stat_run *r, struct err *err)
{
	int ret = 0;

	while (!ret && !stat_run__over(r) && !hung_up && clock__ns(CLOCK_MONOTONIC) < r->next)
		ret = stat_run__wait(r, -1, err);
	return ret < 0 ? ret : 0;
}

static int write_out(FILE *f, const char *name, struct strbuf *b, struct err *err)
{
	if (b->failed)
		return err__set(err, ENOMEM, "out of memory");
	errno = 0;
	if (fwrite(b->s ? b->s : "", 1, b->len, f) == b->len && !fflush(f))
		return 0;
	return errno == EPIPE ? -EPIPE
			      : err__set(err, errno ? errno : EIO, "%s: %s", name,
					 strerror(errno ? errno : EIO));
}

static int once(struct stat_run *r, struct err *err)
{
	struct strbuf b = {0};
	struct lines l = {0};
	int ret = wait_interval(r, err);

	if (!ret)
		ret = stat_run__tick(r, err);
	if (!ret && counts__by_name(r->counts, &r->view, &l))
		ret = err__set(err, ENOMEM, "out of memory");
	if (!ret) {
		stat_lines__list(&b, &l);
		ret = write_out(stdout, "stdout", &b, err);
	}
	lines__free(&l);
	strbuf__free(&b);
	return ret;
}

/* A log: where it goes, and how many lines ago its header was. */
struct log_file {
	FILE *f;
	const char *path; /* NULL: stdout */
	struct lines columns;
	unsigned int lines;
};

static int put_header(struct stat_run *r, struct log_file *out, struct err *err)
{
	struct strbuf b = {0};
	int ret;

	out->lines = 0;
	stat_lines__header(&b, &out->columns, r->o->given.csv);
	ret = write_out(out->f, out->path ? out->path : "stdout", &b, err);
	strbuf__free(&b);
	return ret;
}

/* A CSV file has one header, however often it is opened; other logs have one for each opening. */
static int open_log(struct stat_run *r, struct log_file *out, struct err *err)
{
	hung_up = 0;
	if (out->path) {
		if (out->f)
			fclose(out->f);
		out->f = fopen(out->path, "ae");
		if (!out->f)
			return err__set(err, errno, "%s: %s", out->path, strerror(errno));
		fseek(out->f, 0, SEEK_END);
		if (r->o->given.csv && ftell(out->f) > 0)
			return 0;
	}
	return put_header(r, out, err);
}

static int put_row(struct stat_run *r, struct log_file *out, struct err *err)
{
	bool repeats = !(r->o->given.csv && out->path);
	struct strbuf b = {0};
	struct lines l;
	int ret = 0;

	if (counts__by_name(r->counts, &r->view, &l))
		return err__set(err, ENOMEM, "out of memory");
	if (!r->o->given.skip_zero || stat_lines__any(&out->columns, &l)) {
		if (repeats && out->lines == HEADER_EVERY)
			ret = put_header(r, out, err);
		out->lines++;
		stat_lines__row(&b, &out->columns, &l, r->o->given.csv, time(NULL));
		if (!ret)
			ret = write_out(out->f, out->path ? out->path : "stdout", &b, err);
	}
	strbuf__free(&b);
	lines__free(&l);
	return ret;
}

static int log_intervals(struct stat_run *r, struct log_file *out, struct err *err)
{
	int ret = open_log(r, out, err);

	while (!ret) {
		ret = wait_interval(r, err);
		if (!ret && hung_up) {
			ret = out->path ? open_log(r, out, err) : 0;
			hung_up = 0;
			continue;
		}
		if (ret || *signals__stopped_at())
			break;
		ret = stat_run__tick(r, err);
		if (!ret)
			ret = put_row(r, out, err);
		if (r->ended)
			break;
	}
	return ret;
}

static void on_hangup(int sig)
{
	(void)sig;
	hung_up = 1;
}

static int log_lines(struct stat_run *r, struct err *err)
{
	const char *path = r->o->given.log_file;
	struct log_file out = {.f = path ? NULL : stdout, .path = path};
	struct sigaction sa = {.sa_handler = on_hangup}, was;
	int ret = 0;

	if (out.path)
		sigaction(SIGHUP, &sa, &was);
	if (counts__by_name(r->counts, &r->view, &out.columns))
		ret = err__set(err, ENOMEM, "out of memory");
	if (!ret)
		ret = log_intervals(r, &out, err);
	if (out.path) {
		sigaction(SIGHUP, &was, NULL);
		if (out.f)
			fclose(out.f);
	}
	lines__free(&out.columns);
	return ret;
}

static int run_mode(struct stat_run *r, struct err *err)
{
	if (r->o->given.once)
		return once(r, err);
	if (r->o->given.lines || r->o->given.log_file)
		return log_lines(r, err);
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return stat_live(r, err);
	/* No terminal: the list once, when it is over. */
	r->next = UINT64_MAX;
	return once(r, err);
}

static int attach(struct stat_run *r, struct err *err)
{
	int ret;

	/* Everything begins at 0, before the workload is let go. */
	counts__tick(r->counts, clock__ns(CLOCK_MONOTONIC));
	ret = r->session ? session__attach(r->session, err) : 0;
	if (!ret && r->workload)
		ret = workload__release(r->workload, err);
	r->delay = r->o->delay;
	r->next = clock__ns(CLOCK_MONOTONIC) + (u64)(r->delay * 1e9);
	return ret;
}

/* The kernel waits for a grace period for each tracepoint. */
static void tell_detach(void *ctx, int left)
{
	(void)ctx;
	if (left % 10 == 0)
		fprintf(stderr, "\rdetaching %d events ... ", left);
	if (left == 1)
		fprintf(stderr, "\r\033[K");
}

int stat_run(struct stat_run *r, struct err *err)
{
	int ret;

	r->workload_status = -1;
	r->signal_fd = signals__install();
	if (r->signal_fd < 0)
		return err__set(err, -r->signal_fd, "signal handlers: %s", strerror(-r->signal_fd));
	ret = attach(r, err);
	if (!ret)
		ret = run_mode(r, err);
	if (r->session)
		session__detach(r->session, isatty(STDERR_FILENO) ? tell_detach : NULL, NULL);
	if (ret == -EPIPE && !err->code)
		ret = 0; /* `| head` has seen enough */
	if (ret || !r->workload)
		return ret ? ret : r->session ? loop__workload_exit(r->session) : 0;
	return WIFSIGNALED(r->workload_status) ? 128 + WTERMSIG(r->workload_status)
					       : WEXITSTATUS(r->workload_status);
}
