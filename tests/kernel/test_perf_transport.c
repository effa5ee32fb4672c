// SPDX-License-Identifier: GPL-2.0-only
/* test_perf_transport.c - the perf transport on the live kernel: exact counts, losses, parts of samples. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../user/base/log.h"
#include "../../user/collect/perf_transport.h"
#include "../../user/event/sample.h"
#include "../../user/event/catalog.h"
#include "../../user/scope/scope.h"

#define CALLS 100003

static struct catalog *catalog;

static void say(void *ctx, enum log_level level, const char *line)
{
	print_message("log %d: %s\n", level, line);
}

static struct log notes = {.level = LOG_NOTICE, .write = say};

/* An event as session__open() makes it, as far as the transport looks at it. */
struct made {
	struct event event;
	struct event_spec spec;
};

static struct event *source(struct made *m, const char *name, const char *options)
{
	*m = (struct made){.spec = {.kind = SPEC_SOURCE, .name = (char *)name}};
	m->spec.options.s = (char *)options;
	m->event = (struct event){.refs = 1, .spec = &m->spec, .kind = SPEC_SOURCE,
				  .transport = TRANSPORT_PERF, .label = (char *)name};
	return &m->event;
}

static struct event *tracepoint(struct made *m, const char *system, const char *name)
{
	struct err err = {0};

	*m = (struct made){.spec = {.kind = SPEC_TRACEPOINT, .system = (char *)system,
				    .name = (char *)name}};
	m->event = (struct event){.refs = 1, .spec = &m->spec, .kind = SPEC_TRACEPOINT,
				  .transport = TRANSPORT_PERF, .label = (char *)name,
				  .task_context = true};
	assert_int_equal(catalog__format(catalog, system, name, &m->event.format, &err), 0);
	return &m->event;
}

/* What came: counts and, of the last record of each kind, what the test looks at. */
struct seen {
	u64 records, bytes_wrong;
	u64 lost, loss_calls, lost_unknown;
	u64 backwards;
	u64 last_time[64];
	void (*fn)(struct seen *s, const struct record *rec);
	u64 a, b, c;
};

static void on_loss(void *ctx, const struct loss *loss)
{
	struct seen *s = ctx;

	s->lost += loss->count;
	s->loss_calls++;
	s->lost_unknown += !loss->event;
}

static u64 drain(struct perf_transport *t, struct seen *s)
{
	static struct record recs[BATCH_MAX];
	static u64 ends[BATCH_MAX];
	const struct loss_sink losses = {on_loss, s};
	u64 total = 0;
	size_t i;
	int n, j;

	for (i = 0; i < perf_transport__nr_streams(t); i++) {
		struct stream *stream = perf_transport__stream(t, i);

		while ((n = stream->ops->peek(stream, recs, ends, BATCH_MAX, &losses)) > 0) {
			for (j = 0; j < n; j++) {
				s->backwards += recs[j].time < s->last_time[recs[j].cpu];
				s->last_time[recs[j].cpu] = recs[j].time;
				if (s->fn)
					s->fn(s, &recs[j]);
			}
			total += n;
			stream->ops->release(stream, ends[n - 1]);
		}
	}
	s->records += total;
	return total;
}

static struct perf_transport *start(struct event **events, struct perf_transport_opts opts)
{
	struct perf_transport *t;
	struct err err = {0};
	size_t i;

	opts.log = &notes;
	assert_int_equal(perf_transport__open(&t, &opts, &err), 0);
	for (i = 0; events[i]; i++)
		if (perf_transport__add(t, events[i], NULL, &err))
			fail_msg("add: %s", err.text);
	if (perf_transport__attach(t, &err)) {
		perf_transport__close(t);
		if (err.code == EACCES || err.code == EPERM) {
			print_message("needs root: %s\n", err.text);
			skip();
		}
		/* before 6.12 */
		if (strstr(err.text, "cannot read counters of a task with its children")) {
			print_message("%s\n", err.text);
			skip();
		}
		fail_msg("attach: %s", err.text);
	}
	return t;
}

static struct event_stats finish(struct perf_transport *t, struct seen *s, struct event *e)
{
	struct event_stats stats = {0};

	perf_transport__detach(t);
	while (drain(t, s))
		;
	perf_transport__stats(t, e, &stats);
	perf_transport__close(t);
	return stats;
}

/* A child that waits for its start and then makes @n calls of getppid. */
static pid_t child(int *go, long n)
{
	int pipes[2];
	pid_t pid;
	char c;
	long i;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		close(pipes[1]);	/* so that a test that fails ends it */
		if (read(pipes[0], &c, 1) != 1)
			_exit(1);
		for (i = 0; i < n; i++)
			syscall(SYS_getppid);
		_exit(0);
	}
	close(pipes[0]);
	*go = pipes[1];
	return pid;
}

static void let_go(int go)
{
	assert_int_equal(write(go, "x", 1), 1);
	close(go);
}

static bool ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) == pid;
}

static u32 scoped_tgid;

static void count_child(struct seen *s, const struct record *rec)
{
	u32 size;
	const void *raw = record__raw(rec, &size);

	if (rec->tgid == scoped_tgid)
		s->a++;
	else
		s->b++;
	if (!raw || size < 16 || *(const u32 *)((const char *)raw + 4) != rec->tid)
		s->bytes_wrong++;
}

static struct scope scope_of(u32 *tgid)
{
	return (struct scope){.tgids = tgid, .nr_tgids = 1, .uid = -1};
}

static void exact(u64 ring_bytes, bool scoped, bool low_latency)
{
	struct made m;
	struct event *events[] = {tracepoint(&m, "syscalls", "sys_enter_getppid"), NULL};
	struct perf_transport_opts opts = {.ring_bytes = ring_bytes, .low_latency = low_latency};
	struct seen s = {.fn = count_child};
	struct event_stats stats;
	struct scope scope;
	struct perf_transport *t;
	int go;
	pid_t pid = child(&go, CALLS);

	scoped_tgid = pid;
	scope = scope_of(&scoped_tgid);
	if (scoped)
		opts.scope = &scope;
	t = start(events, opts);
	let_go(go);
	while (!ended(pid))
		drain(t, &s);
	stats = finish(t, &s, events[0]);
	print_message("records %llu lost %llu (%llu calls), kernel says %llu\n",
		      (unsigned long long)s.a, (unsigned long long)s.lost,
		      (unsigned long long)s.loss_calls, (unsigned long long)stats.ring_full);
	assert_int_equal(s.bytes_wrong, 0);
	assert_int_equal(stats.ring_full, s.lost);
	assert_int_equal(s.backwards, 0);
	if (scoped)
		assert_int_equal(s.b, 0);
	/* Without a scope others may call it too: theirs cannot be told apart among the lost. */
	if (scoped || !s.lost)
		assert_int_equal(s.a + s.lost, CALLS);
	event_format__put(m.event.format);
}

static void counts_all(void **state)
{
	exact(0, false, false);
}

static void counts_scoped(void **state)
{
	exact(0, true, false);
}

static void counts_low_latency(void **state)
{
	exact(1 << 20, true, true);
}

/* Nobody reads while the child runs: most of it is lost, and every bit of that is counted. */
static void loses_exactly(void **state)
{
	struct made m;
	struct event *events[] = {tracepoint(&m, "syscalls", "sys_enter_getppid"), NULL};
	struct perf_transport_opts opts = {.ring_bytes = 4096};
	struct seen s = {.fn = count_child};
	struct event_stats stats;
	struct perf_transport *t;
	struct scope scope;
	int go, round = 0;
	pid_t pid = child(&go, CALLS);

	scoped_tgid = pid;
	scope = scope_of(&scoped_tgid);
	opts.scope = &scope;
	t = start(events, opts);
	let_go(go);
	while (!ended(pid)) {
		usleep(1000);
		if (++round % 3 == 0)
			drain(t, &s);
	}
	stats = finish(t, &s, events[0]);
	print_message("received %llu + lost %llu, in %llu gaps\n", (unsigned long long)s.records,
		      (unsigned long long)s.lost, (unsigned long long)s.loss_calls);
	assert_true(s.lost > 0);
	assert_int_equal(s.records + s.lost, CALLS);
	assert_int_equal(stats.ring_full, s.lost);
	event_format__put(m.event.format);
}

static struct sample_parts parts_of(const struct record *rec)
{
	struct sample_parts p;

	assert_int_equal(sample__parse(&rec->event->sample, rec->data, rec->size, &p), 0);
	assert_int_equal(p.has, rec->event->sample.sample_type);
	assert_int_equal(p.time, rec->time);
	assert_int_equal(p.cpu, rec->cpu);
	return p;
}

#define PAGES 500
#define MAGIC 0x5ca1ab1e0ddba11ull

static char *arena;
static u8 touched[PAGES];
static long page_size;

/* The magic word is on the stack where the fault happens. */
__attribute__((noinline)) static void touch_pages(void)
{
	volatile u64 magic[64];	/* more than a red zone */
	int i;

	for (i = 0; i < 64; i++)
		magic[i] = MAGIC;
	for (i = 0; i < PAGES; i++)
		arena[i * page_size] = magic[i % 64];
}

static void check_fault(struct seen *s, const struct record *rec)
{
	struct sample_parts p = parts_of(rec);
	u64 at = p.addr - (u64)(uintptr_t)arena, i;

	if (at >= (u64)PAGES * page_size)
		return;
	s->a++;
	touched[at / page_size]++;
	assert_int_equal(p.regs_user.abi, PERF_SAMPLE_REGS_ABI_64);
	/* ip, sp: the two that were asked for, in the order of their bits */
	s->b += p.regs_user.words[sample__arch() == SAMPLE_X86_64] == p.ip;
	for (i = 0; i < p.stack_user_size / 8; i++)
		if (((const u64 *)p.stack_user)[i] == MAGIC) {
			s->c++;
			break;
		}
}

static pid_t child_that(int *go, void (*fn)(void))
{
	int pipes[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		close(pipes[1]);	/* so that a test that fails ends it */
		if (read(pipes[0], &c, 1) == 1)
			fn();
		_exit(0);
	}
	close(pipes[0]);
	*go = pipes[1];
	return pid;
}

/* Runs @fn in a child in scope, with @e, until it ends. */
static struct event_stats run(struct event *e, void (*fn)(void), struct seen *s)
{
	struct event *events[] = {e, NULL};
	struct perf_transport *t;
	struct scope scope;
	int go;
	pid_t pid = child_that(&go, fn);

	scoped_tgid = pid;
	scope = scope_of(&scoped_tgid);
	t = start(events, (struct perf_transport_opts){.scope = &scope});
	let_go(go);
	while (!ended(pid)) {
		usleep(1000);
		drain(t, s);
	}
	return finish(t, s, e);
}

static void page_faults(void **state)
{
	struct seen s = {.fn = check_fault};
	struct event_stats stats;
	struct made m;
	int i;

	if (sample__arch() == SAMPLE_OTHER)
		skip();
	page_size = sysconf(_SC_PAGESIZE);
	arena = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(arena, PAGES * page_size, MADV_NOHUGEPAGE);
	memset(touched, 0, sizeof(touched));
	stats = run(source(&m, "page-faults", sample__arch() == SAMPLE_X86_64
						       ? "--sample regs_user=sp:ip,stack_user=1024"
						       : "--sample regs_user=sp:pc,stack_user=1024"),
		    touch_pages, &s);
	munmap(arena, PAGES * page_size);
	assert_int_equal(s.lost, 0);
	print_message("faults %llu regs %llu magic %llu\n", (unsigned long long)s.a, (unsigned long long)s.b, (unsigned long long)s.c);
	assert_int_equal(s.a, PAGES);
	assert_int_equal(s.b, PAGES);
	assert_int_equal(s.c, PAGES);
	for (i = 0; i < PAGES; i++)
		assert_int_equal(touched[i], 1);
	assert_true(stats.fired >= PAGES);
}

static void spin(void)
{
	struct timespec a, b;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000000000ll + b.tv_nsec - a.tv_nsec < 300000000);
}

static void spin_and_fault(void)
{
	touch_pages();
	spin();
}

static void check_group(struct seen *s, const struct record *rec)
{
	struct sample_parts p = parts_of(rec);
	struct sample_count clock, faults, switches;

	assert_int_equal(p.read_nr, 3);
	clock = sample__count(&rec->event->sample, &p, 0);
	faults = sample__count(&rec->event->sample, &p, 1);
	switches = sample__count(&rec->event->sample, &p, 2);
	assert_int_equal(clock.id, p.identifier);
	assert_true(clock.id != faults.id && faults.id != switches.id);
	assert_true(p.time_enabled >= p.time_running && p.time_running > 0);
	if (clock.value > s->a)
		s->a = clock.value;
	if (faults.value > s->b)
		s->b = faults.value;
}

static void group_reads(void **state)
{
	struct seen s = {.fn = check_group};
	struct made m;

	page_size = sysconf(_SC_PAGESIZE);
	arena = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(arena, PAGES * page_size, MADV_NOHUGEPAGE);
	run(source(&m, "cpu-clock", "-c 1ms --sample read --group=page-faults,context-switches"),
	    spin_and_fault, &s);
	munmap(arena, PAGES * page_size);
	print_message("%llu samples, clock %llu, faults %llu\n", (unsigned long long)s.records,
		      (unsigned long long)s.a, (unsigned long long)s.b);
	assert_true(s.records > 20);
	assert_true(s.a > 20000000);
	assert_in_range(s.b, PAGES / 2, PAGES + 200);
}

static void check_read(struct seen *s, const struct record *rec)
{
	struct sample_parts p = parts_of(rec);
	struct sample_count c = sample__count(&rec->event->sample, &p, 0);
	u64 format = rec->event->sample.read_format;

	assert_int_equal(p.read_nr, 1);
	assert_true(c.value > 0);
	assert_int_equal(!!c.id, !!(format & PERF_FORMAT_ID));
	if (c.id)
		assert_int_equal(c.id, p.identifier);
	assert_int_equal(!!p.time_enabled, !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED));
	assert_int_equal(!!p.time_running, !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
}

static void every_read_format(void **state)
{
	static const char *const formats[] = {
		"--sample read=value",
		"-F 499 --sample read=id",
		"-F 499 --sample read=time_enabled",
		"-F 499 --sample read=time_running:id",
		"-F 499 --sample read=time_enabled:time_running:id",
		"-F 499 --sample read=lost",
		"-F 499 --sample read=id:lost",
		"-F 499 --sample read=time_enabled:time_running:id:lost",
	};
	struct made m;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		struct seen s = {.fn = check_read};

		run(source(&m, "cpu-clock", formats[i]), spin, &s);
		assert_true(s.records >= 5);
	}
}

static u64 cgroup_ino;

static void check_cgroup(struct seen *s, const struct record *rec)
{
	struct sample_parts p = parts_of(rec);

	s->a += p.cgroup == cgroup_ino;
	s->b += rec->tgid != scoped_tgid;
	s->c += p.nr_callchain > 1;
	assert_int_equal(p.data_page_size, 0);
	assert_int_equal(p.code_page_size % 4096, 0);
}

static const char *cgroup2_dir(char *dir, size_t room)
{
	const char *mounts[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(dir, room, "%s/cgroup.procs", mounts[i]);
		if (access(dir, W_OK))
			continue;
		snprintf(dir, room, "%s/tamis-test-%d", mounts[i], getpid());
		return mkdir(dir, 0755) ? NULL : dir;
	}
	return NULL;
}

static void join(const char *dir, pid_t pid)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%d\n", pid);
	assert_int_equal(fclose(f), 0);
}

static void cgroup_scope(void **state)
{
	char dir[256];
	struct made m;
	struct event *events[] = {source(&m, "cpu-clock", "-F 499 -g --sample cgroup,data_page_size,"
								"code_page_size"), NULL};
	struct scope_cgroup cg = {.v1 = -1, .path = dir};
	struct scope scope = {.uid = -1, .cgroups = &cg, .nr_cgroups = 1};
	struct seen s = {.fn = check_cgroup};
	struct perf_transport *t;
	struct stat st;
	pid_t pid;
	int go;

	if (!cgroup2_dir(dir, sizeof(dir))) {
		print_message("no writable cgroup2\n");
		skip();
	}
	assert_int_equal(stat(dir, &st), 0);
	cg.id = cgroup_ino = st.st_ino;
	pid = child_that(&go, spin);
	scoped_tgid = pid;
	join(dir, pid);
	t = start(events, (struct perf_transport_opts){.scope = &scope});
	let_go(go);
	while (!ended(pid)) {
		usleep(1000);
		drain(t, &s);
	}
	finish(t, &s, events[0]);
	rmdir(dir);
	print_message("%llu samples, %llu of them in the cgroup\n", (unsigned long long)s.records,
		      (unsigned long long)s.a);
	assert_true(s.records >= 5);
	assert_int_equal(s.a, s.records);
	assert_int_equal(s.b, 0);
	assert_int_equal(s.c, s.records);
}

static void own_calls(void **state)
{
	int self, i;

	for (self = 0; self < 2; self++) {
		struct made m;
		struct event *events[] = {tracepoint(&m, "syscalls", "sys_enter_getppid"), NULL};
		struct seen s = {.fn = count_child};
		struct event_stats stats;
		struct perf_transport *t;

		scoped_tgid = getpid();
		t = start(events, (struct perf_transport_opts){.self = self});
		for (i = 0; i < 1009; i++)
			syscall(SYS_getppid);
		stats = finish(t, &s, events[0]);
		assert_int_equal(s.a, self ? 1009 : 0);
		assert_int_equal(stats.own, self ? 0 : 1009);
		event_format__put(m.event.format);
	}
}

static void no_pmu(void **state)
{
	struct made m;
	struct event *e = source(&m, "cycles", NULL);
	struct perf_transport_opts opts = {0};
	struct perf_transport *t;
	struct err err = {0};
	int ret;

	if (!access("/sys/bus/event_source/devices/cpu", F_OK) ||
	    !access("/sys/bus/event_source/devices/armv8_pmuv3", F_OK)) {
		print_message("this machine has a PMU\n");
		skip();
	}
	assert_int_equal(perf_transport__open(&t, &opts, &err), 0);
	assert_int_equal(perf_transport__add(t, e, NULL, &err), 0);
	ret = perf_transport__attach(t, &err);
	perf_transport__close(t);
	assert_true(ret < 0);
	assert_non_null(strstr(err.text, "cycles"));
	assert_non_null(strstr(err.text, "cpu-clock"));
}

static void two_events_one_ring(void **state)
{
	struct made m1, m2, m3;
	struct event *events[] = {tracepoint(&m1, "syscalls", "sys_enter_getppid"),
				  tracepoint(&m2, "syscalls", "sys_exit_getppid"),
				  source(&m3, "cpu-clock", "-F 99"), NULL};
	struct event_stats stats = {0};
	struct perf_transport *t;
	struct seen s = {0};
	struct scope scope;
	int go, i;
	pid_t pid = child(&go, CALLS);

	scoped_tgid = pid;
	scope = scope_of(&scoped_tgid);
	t = start(events, (struct perf_transport_opts){.scope = &scope, .ring_bytes = 8192});
	let_go(go);
	while (!ended(pid)) {
		usleep(500);
		drain(t, &s);
	}
	perf_transport__detach(t);
	while (drain(t, &s))
		;
	for (i = 0; i < 2; i++) {
		struct event_stats one = {0};

		perf_transport__stats(t, events[i], &one);
		assert_int_equal(one.fired + one.ring_full, CALLS);
		stats.ring_full += one.ring_full;
	}
	perf_transport__stats(t, events[2], &stats);
	perf_transport__close(t);
	assert_int_equal(stats.ring_full, s.lost);
	assert_true(s.lost > 0);
	assert_int_equal(s.lost_unknown, 0);
	assert_int_equal(s.backwards, 0);
	event_format__put(m1.event.format);
	event_format__put(m2.event.format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_all),
		cmocka_unit_test(counts_scoped),
		cmocka_unit_test(counts_low_latency),
		cmocka_unit_test(loses_exactly),
		cmocka_unit_test(two_events_one_ring),
		cmocka_unit_test(page_faults),
		cmocka_unit_test(group_reads),
		cmocka_unit_test(every_read_format),
		cmocka_unit_test(cgroup_scope),
		cmocka_unit_test(own_calls),
		cmocka_unit_test(no_pmu),
	};
	struct err err = {0};
	int ret;

	if (catalog__open(&catalog, NULL, NULL, &err)) {
		print_message("skipped: %s\n", err.text);
		return 77;
	}
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	catalog__close(catalog);
	return ret;
}
