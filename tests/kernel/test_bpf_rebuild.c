// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rebuilt records are what the tracepoint's own record is: each event is traced by a classic
 * program and by a raw one at once, and what they saw is compared byte by byte.
 */
#include "transport.h"
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include "user/collect/bpf_state.h"
#include "user/collect/rebuild_table.h"

#define KEPT	   200000
#define CHAIN_KEPT 64

struct kept {
	u32 size, cpu;
	u64 time;
	u32 nr_chain;
	u64 chain[CHAIN_KEPT];
	u8 raw[128];
};

struct log_of {
	struct kept *k;
	int n;
	u32 stack; /* STACK_* */
};

/* What no field covers is left as it was in the kernel's buffer; so is what follows a text. */
static void clear_rest(struct kept *k, const struct event_format *f)
{
	u8 out[sizeof(k->raw)] = {0};
	size_t i, n;

	memcpy(out, k->raw, 8);
	for (i = 0; i < f->nr_fields; i++) {
		const struct field *at = &f->fields[i];

		n = strcmp(at->name, "rwbs") ? at->room
					     : strnlen((char *)k->raw + at->offset, at->room);
		memcpy(out + at->offset, k->raw + at->offset, n);
	}
	if (k->size > f->size)
		memcpy(out + f->size, k->raw + f->size, k->size - f->size);
	memcpy(k->raw, out, sizeof(out));
}

/* common_pid is ours in both, the fields behind it are the kernel's. */
static void keep(struct rig *rig, const struct record *rec)
{
	struct log_of *log = rig->ctx;
	struct kept *k = &log->k[log->n];
	const void *raw = record__raw(rec, &k->size);
	const u64 *chain = NULL;

	if (log->n == KEPT)
		return;
	assert_true(k->size <= sizeof(k->raw));
	memcpy(k->raw, raw, k->size);
	clear_rest(k, rec->event->format);
	k->nr_chain = record__callchain(rec, &chain);
	assert_true(k->nr_chain <= CHAIN_KEPT);
	memcpy(k->chain, chain, k->nr_chain * sizeof(*chain));
	k->cpu = rec->cpu;
	k->time = rec->time;
	log->n++;
}

/* A field that only a classic program can tell is not asked for, and not compared. */
static void leave_out(struct event *e, const char *field)
{
	struct event_format *f = e->format;
	size_t i;

	for (i = 0; i < f->nr_fields; i++)
		if (!strcmp(f->fields[i].name, field))
			f->fields[i--] = f->fields[--f->nr_fields];
	memcpy(e->fields, f->fields, f->nr_fields * sizeof(*f->fields));
	e->nr_fields = f->nr_fields;
}

/* Later kernels than those that were tried have more letters. */
static bool knows_letters(void)
{
	struct kernel_types k = {0};
	bool more = kernel_types__size(&k, "blk_io_trace2");

	kernel_types__free(&k);
	return !more;
}

static struct rig *start(const char *system, const char *name, bool generic, struct log_of *log)
{
	struct bpf_transport_opts opts = {.self = true, .generic = generic};
	struct rig *rig = rig__new();
	struct event *e;

	log->k = calloc(KEPT, sizeof(*log->k));
	assert_non_null(log->k);
	rig->fn = keep;
	rig->ctx = log;
	e = rig__event(rig, system, name);
	e->task_context = false;
	rig->specs[0].stack = log->stack;
	rig->specs[0].max_stack = CHAIN_KEPT / 2 - 2;
	if (!strcmp(name, "block_rq_complete"))
		leave_out(e, "error");
	rig__start(rig, &opts);
	/* fields that only old kernels have may leave others to classic programs */
	if ((!strcmp(system, "block") && knows_letters()) || (log->stack && OWN_FRAMES > 0))
		assert_true(!rig->t->events[0].rebuild == generic);
	return rig;
}

static u64 monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void stir(void)
{
	struct timespec ts = {.tv_nsec = 200000};
	int fds[2], i;
	char c = 0;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		while (read(fds[0], &c, 1) == 1 && c != 'q')
			syscall(SYS_getppid);
		_exit(0);
	}
	for (i = 0; i < 200; i++) {
		nanosleep(&ts, NULL);
		assert_int_equal(write(fds[1], &c, 1), 1);
		syscall(SYS_lseek, -1, -1l, 0x7fffffff);
	}
	assert_int_equal(write(fds[1], "q", 1), 1);
	waitpid(pid, NULL, 0);
	close(fds[0]);
	close(fds[1]);
	for (i = 0; i < 20; i++)
		if (!fork())
			_exit(0);
	while (wait(NULL) > 0)
		;
}

/* jiffies may tick between the two programs of one event */
static bool same(const struct kept *a, const struct kept *b, const struct field *now)
{
	u8 x[128], y[128];

	if (a->cpu != b->cpu || a->size != b->size || a->nr_chain != b->nr_chain ||
	    memcmp(a->chain, b->chain, a->nr_chain * sizeof(*a->chain)))
		return false;
	memcpy(x, a->raw, a->size);
	memcpy(y, b->raw, b->size);
	if (now) {
		memset(x + now->offset, 0, now->room);
		memset(y + now->offset, 0, now->room);
	}
	return !memcmp(x, y, a->size);
}

static void dump(const struct kept *k, const char *what)
{
	u32 i;

	printf("%s cpu %u time %lu:", what, k->cpu, k->time);
	for (i = 0; i < k->size; i++)
		printf("%s%02x", i % 8 ? "" : " ", k->raw[i]);
	for (i = 0; i < k->nr_chain; i++)
		printf(" %lx", k->chain[i]);
	printf("\n");
}

/* Every classic record is there among the rebuilt ones of its CPU, in the same order. */
static void compare(const struct log_of *classic, const struct log_of *raw, const struct field *now,
		    u64 from, u64 to, int *compared)
{
	int i, k, at[256] = {0};

	for (i = 0; i < classic->n; i++) {
		const struct kept *c = &classic->k[i];

		assert_true(c->cpu < 256);
		if (c->time < from || c->time > to)
			continue; /* only one of the two was attached */
		for (k = at[c->cpu]; k < raw->n && !same(c, &raw->k[k], now); k++)
			;
		if (k == raw->n && !at[c->cpu])
			continue; /* before the first that both saw: the other was not there yet */
		if (k == raw->n) {
			dump(c, "classic");
			for (k = 0; k < raw->n; k++)
				if (raw->k[k].cpu == c->cpu && raw->k[k].time + 20000 > c->time &&
				    raw->k[k].time < c->time + 20000)
					dump(&raw->k[k], "rebuilt");
			fail_msg("classic record %d of %d (cpu %u) is not among %d rebuilt", i,
				 classic->n, c->cpu, raw->n);
		}
		at[c->cpu] = k + 1;
		assert_true(!classic->stack || c->nr_chain > 2);
		++*compared;
	}
}

static void compare_both(const char *system, const char *name, int at_least, void (*act)(void),
			 u32 stack)
{
	struct log_of classic = {.stack = stack}, raw = {.stack = stack};
	struct rig *a = start(system, name, true, &classic);
	struct rig *b = start(system, name, false, &raw);
	const struct field *now = !strcmp(system, "timer") && strncmp(name, "hrtimer", 7)
					  ? event__field(a->events[0], "now")
					  : NULL;
	int compared = 0;
	u64 from, to;

	from = monotonic();
	act();
	to = monotonic();
	rig__stop(b);
	rig__stop(a);
	assert_int_equal(b->notices, 0); /* one says so where it has to be a classic program */
	compare(&classic, &raw, now, from, to, &compared);
	printf("%s:%s: classic %d, rebuilt %d, equal %d\n", system, name, classic.n, raw.n,
	       compared);
	assert_true(compared >= at_least);
	rig__free(a);
	rig__free(b);
	free(classic.k);
	free(raw.k);
}

static bool exists(const char *system, const char *name)
{
	struct event_format *f = NULL;
	struct catalog *c = NULL;
	struct err err = {0};
	int ret;

	must(catalog__open(&c, NULL, NULL, &err), &err);
	ret = catalog__format(c, system, name, &f, &err);
	event_format__put(f);
	catalog__close(c);
	return !ret;
}

static void compare_during(const char *system, const char *name, int at_least, void (*act)(void))
{
	if (exists(system, name))
		compare_both(system, name, at_least, act, 0);
	else
		printf("%s:%s: not on this kernel\n", system, name);
}

static void compare_event(const char *system, const char *name, int at_least)
{
	compare_during(system, name, at_least, stir);
}

static void system_calls(void **state)
{
	compare_event("raw_syscalls", "sys_enter", 200);
	compare_event("raw_syscalls", "sys_exit", 200);
}

static void scheduler(void **state)
{
	compare_event("sched", "sched_switch", 100);
	compare_event("sched", "sched_wakeup", 100);
	compare_event("sched", "sched_waking", 100);
	compare_event("sched", "sched_wakeup_new", 10);
	compare_event("sched", "sched_stat_runtime", 10);
	compare_event("sched", "sched_migrate_task", 0);
	compare_event("sched", "sched_process_fork", 10);
	compare_event("sched", "sched_process_exit", 10);
}

static void interrupts(void **state)
{
	compare_event("irq", "softirq_raise", 1);
	compare_event("irq", "softirq_entry", 1);
	compare_event("irq", "softirq_exit", 1);
	compare_event("irq", "irq_handler_entry", 0);
	compare_event("irq", "irq_handler_exit", 0);
	compare_event("irq_vectors", "local_timer_entry", 0);
	compare_event("irq_vectors", "reschedule_exit", 0);
	compare_event("irq_vectors", "irq_work_entry", 0);
	compare_event("irq_vectors", "call_function_single_entry", 0);
	compare_event("exceptions", "page_fault_user", 10);
	compare_event("exceptions", "page_fault_kernel", 0);
	compare_event("power", "cpu_idle", 0);
}

static void timers(void **state)
{
	compare_event("timer", "hrtimer_start", 100);
	compare_event("timer", "hrtimer_expire_entry", 100);
	compare_event("timer", "hrtimer_expire_exit", 100);
	compare_event("timer", "hrtimer_cancel", 0);
	compare_event("timer", "timer_start", 0);
	compare_event("timer", "timer_expire_entry", 0);
	compare_event("timer", "timer_base_idle", 0);
	compare_event("timer", "tick_stop", 0);
}

/* Both begin with what called the tracepoint. */
static void stacks(void **state)
{
	u32 both = STACK_KERNEL | STACK_USER;

	compare_both("sched", "sched_switch", 100, stir, both);
	compare_both("sched", "sched_wakeup", 100, stir, both);
	compare_both("sched", "sched_wakeup", 100, stir, STACK_KERNEL);
	compare_both("timer", "hrtimer_start", 100, stir, both);
	compare_both("timer", "hrtimer_expire_entry", 100, stir, both);
	compare_both("irq", "softirq_entry", 1, stir, both);
}

/* --- requests of a block device: a loop device over memory, which every kernel can have --- */

#define DISK_BYTES (8 << 20)
#define BLOCK	   4096
#define BLOCKS	   101
#define IDLE_PRIO  (3 << 13 | 5) /* IOPRIO_CLASS_IDLE, level 5 */

static char disk[64];

/* @return -1: this kernel has no loop devices */
static int make_disk(void)
{
	struct loop_config config = {.info.lo_flags = LO_FLAGS_AUTOCLEAR};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), n, fd, memory;

	if (control < 0)
		return -1;
	n = ioctl(control, LOOP_CTL_GET_FREE);
	close(control);
	memory = memfd_create("disk", MFD_CLOEXEC);
	assert_int_equal(ftruncate(memory, DISK_BYTES), 0);
	snprintf(disk, sizeof(disk), "/dev/loop%d", n);
	fd = open(disk, O_RDWR | O_CLOEXEC);
	config.fd = memory;
	if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config)) {
		close(fd);
		fd = -1;
	}
	close(memory);
	return fd;
}

static void each_block(int fd, char *block, ssize_t (*io)(int, void *, size_t, off_t))
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		assert_int_equal(io(fd, block, BLOCK, (off_t)BLOCK * 2 * i), BLOCK);
}

static ssize_t write_block(int fd, void *block, size_t size, off_t at)
{
	return pwrite(fd, block, size, at);
}

static ssize_t write_through(int fd, void *block, size_t size, off_t at)
{
	struct iovec iov = {block, size};

	return pwritev2(fd, &iov, 1, at, RWF_DSYNC | RWF_HIPRI);
}

/* Each kind of request there is without a driver of its own. */
static void use_disk(void)
{
	int direct = open(disk, O_RDWR | O_DIRECT | O_CLOEXEC), cached = open(disk, O_RDWR);
	u64 range[2] = {0, 16 * BLOCK};
	char *block = aligned_alloc(BLOCK, BLOCK);

	assert_true(direct >= 0 && cached >= 0 && block);
	memset(block, 'x', BLOCK);
	each_block(direct, block, write_block);
	each_block(direct, block, pread);
	syscall(SYS_ioprio_set, 1, 0, IDLE_PRIO);
	each_block(direct, block, write_through);
	posix_fadvise(cached, 0, 0, POSIX_FADV_DONTNEED);
	each_block(cached, block, pread);
	each_block(cached, block, write_block);
	syscall(SYS_ioprio_set, 1, 0, 0);
	assert_int_equal(fsync(cached), 0);
	ioctl(direct, BLKDISCARD, range);
	ioctl(direct, BLKZEROOUT, range);
	free(block);
	close(direct);
	close(cached);
}

static void block_requests(void **state)
{
	int fd = make_disk();

	if (fd < 0)
		skip();
	compare_during("block", "block_rq_issue", 2 * BLOCKS, use_disk);
	compare_during("block", "block_rq_complete", 2 * BLOCKS, use_disk);
	compare_during("block", "block_rq_insert", 0, use_disk);
	compare_during("block", "block_rq_merge", 0, use_disk);
	compare_during("block", "block_rq_requeue", 0, use_disk);
	compare_during("block", "block_io_start", BLOCKS, use_disk);
	compare_during("block", "block_io_done", BLOCKS, use_disk);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls),
		cmocka_unit_test(scheduler),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(timers),
		cmocka_unit_test(stacks),
		cmocka_unit_test(block_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
