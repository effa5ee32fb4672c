// SPDX-License-Identifier: GPL-2.0-only
/* The symbolizer over this very process and over lives that are only told. No root is needed. */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "user/base/strbuf.h"
#include "user/symbol/symbolizer.h"

#define GONE 4190000u	/* larger than any pid */

__attribute__((noinline)) static void marked_function(void)
{
	__asm__ volatile("" ::: "memory");
}

static struct symbolizer *make(void)
{
	struct symbolizer *s;
	struct err err = {0};

	assert_int_equal(symbolizer__new(&s, NULL, NULL, &err), 0);
	return s;
}

static struct frame name_at(struct symbolizer *s, u32 tgid, u64 time, u64 addr)
{
	struct frame f;

	assert_int_equal(symbolizer__frames(s, tgid, time, &addr, 1, &f), 1);
	return f;
}

static void own_functions(void **state)
{
	struct symbolizer *s = make();
	u64 at = (u64)(uintptr_t)marked_function;
	struct frame f = name_at(s, getpid(), 0, at);

	marked_function();
	assert_string_equal(f.symbol, "marked_function");
	assert_int_equal(f.offset, 0);
	assert_false(f.kernel);
	f = name_at(s, getpid(), 0, (u64)(uintptr_t)dlsym(RTLD_DEFAULT, "lsearch"));
	assert_string_equal(f.symbol, "lsearch");
	assert_non_null(strstr(f.dso, "libc"));
	symbolizer__free(s);
}

/* A return address at the very end of a function that does not return is that function's. */
static void return_addresses_belong_to_the_call(void **state)
{
	struct symbolizer *s = make();
	u64 at = (u64)(uintptr_t)marked_function;
	u64 chain[] = {(u64)PERF_CONTEXT_USER, at, at, (u64)PERF_CONTEXT_USER, at};
	struct frame f[5];

	assert_int_equal(symbolizer__frames(s, getpid(), 0, chain, 5, f), 3);
	assert_string_equal(f[0].symbol, "marked_function");
	assert_true(!f[1].symbol || strcmp(f[1].symbol, "marked_function"));
	assert_string_equal(f[2].symbol, "marked_function");
	symbolizer__free(s);
}

static void map_self(struct symbolizer *s, u32 tgid, u64 time, u64 start)
{
	struct stat st;
	struct symbol_mmap m = {
		.tgid = tgid,
		.time = time,
		.start = start,
		.len = 1 << 24,
		.ino_generation = UINT64_MAX,
		.exec = true,
		.path = "/proc/self/exe",
	};
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = 0;
	assert_int_equal(stat(path, &st), 0);
	m.path = path;
	m.ino = st.st_ino;
	m.maj = major(st.st_dev);
	m.min = minor(st.st_dev);
	symbolizer__mmap(s, &m);
}

/* The file offset of a function of this program: link address, since nothing moves them apart. */
static u64 offset_of(void *fn)
{
	Dl_info info;

	assert_true(dladdr(fn, &info));
	return (u64)(uintptr_t)fn - (u64)(uintptr_t)info.dli_fbase;
}

static void lives_of_one_pid_are_told_apart(void **state)
{
	struct symbolizer *s = make();
	u64 off = offset_of(marked_function);
	struct frame f;

	symbolizer__fork(s, getpid(), GONE, 100);
	symbolizer__exec(s, GONE, 200);
	map_self(s, GONE, 210, 0x10000000);
	symbolizer__exit(s, GONE, 300);
	symbolizer__fork(s, getpid(), GONE, 400);
	symbolizer__exec(s, GONE, 500);
	map_self(s, GONE, 510, 0x20000000);

	/* from its fork to its exec it has what its parent has */
	f = name_at(s, GONE, 150, (u64)(uintptr_t)marked_function);
	assert_string_equal(f.symbol, "marked_function");
	f = name_at(s, GONE, 250, (u64)(uintptr_t)marked_function);
	assert_null(f.dso);
	f = name_at(s, GONE, 250, 0x10000000 + off);
	assert_non_null(strstr(f.dso, "test_symbolizer"));
	f = name_at(s, GONE, 250, 0x20000000 + off);
	assert_null(f.dso);
	f = name_at(s, GONE, 550, 0x10000000 + off);
	assert_null(f.dso);
	f = name_at(s, GONE, 550, 0x20000000 + off);
	assert_non_null(f.dso);
	/* before anything was known of it */
	f = name_at(s, GONE, 50, 0x10000000 + off);
	assert_null(f.dso);
	symbolizer__free(s);
}

static void records_of_two_cpus_may_come_in_any_order(void **state)
{
	struct symbolizer *s = make();
	u64 off = offset_of(marked_function);
	struct frame f;

	symbolizer__fork(s, getpid(), GONE, 100);
	map_self(s, GONE, 210, 0x10000000);
	symbolizer__exec(s, GONE, 200);
	f = name_at(s, GONE, 250, 0x10000000 + off);
	assert_non_null(f.dso);
	f = name_at(s, GONE, 250, (u64)(uintptr_t)marked_function);
	assert_null(f.dso);
	symbolizer__free(s);
}

static void replaced_mappings_keep_their_time(void **state)
{
	struct symbolizer *s = make();
	struct symbol_mmap other = {
		.tgid = GONE, .time = 300, .start = 0x10001000, .len = 0x1000, .exec = true,
		.ino = 1, .ino_generation = UINT64_MAX, .path = "/nowhere/other.so",
	};

	symbolizer__fork(s, getpid(), GONE, 100);
	symbolizer__exec(s, GONE, 200);
	map_self(s, GONE, 210, 0x10000000);
	symbolizer__mmap(s, &other);
	assert_non_null(strstr(name_at(s, GONE, 250, 0x10001800).dso, "test_symbolizer"));
	assert_string_equal(name_at(s, GONE, 350, 0x10001800).dso, "/nowhere/other.so");
	assert_non_null(strstr(name_at(s, GONE, 350, 0x10000800).dso, "test_symbolizer"));
	assert_non_null(strstr(name_at(s, GONE, 350, 0x10002800).dso, "test_symbolizer"));
	symbolizer__free(s);
}

static void nameless_is_module_and_offset(void **state)
{
	struct symbolizer *s = make();
	struct symbol_mmap m = {
		.tgid = GONE, .time = 300, .start = 0x10000000, .len = 0x10000, .pgoff = 0x3000,
		.exec = true, .ino = 1, .ino_generation = UINT64_MAX,
		.path = "/opt/some lib/x.so (deleted)",
	};
	struct strbuf b = {0};
	struct frame f;

	symbolizer__fork(s, getpid(), GONE, 100);
	symbolizer__exec(s, GONE, 200);
	symbolizer__mmap(s, &m);
	f = name_at(s, GONE, 400, 0x10000123);
	frame__name(&f, &b);
	assert_string_equal(b.s, "x.so+0x3123");
	strbuf__reset(&b);
	frame__print(&f, &b);
	assert_string_equal(b.s, "x.so+0x3123 (/opt/some lib/x.so)");
	strbuf__reset(&b);
	f = name_at(s, GONE, 400, 0xdead000);
	frame__name(&f, &b);
	assert_string_equal(b.s, "0xdead000");
	strbuf__free(&b);
	symbolizer__free(s);
}

static void kernel_functions_come_and_go(void **state)
{
	struct symbolizer *s = make();
	u64 at = 0xffffffffc0900000ull;
	struct frame f;

	symbolizer__ksymbol(s, at, 0x100, "bpf_prog_one", false, 100);
	symbolizer__ksymbol(s, at, 0x100, "bpf_prog_one", true, 200);
	symbolizer__ksymbol(s, at + 0x10, 0x100, "bpf_prog_two", false, 300);
	assert_string_equal(name_at(s, 0, 150, at + 0x20).symbol, "bpf_prog_one");
	assert_string_equal(name_at(s, 0, 350, at + 0x20).symbol, "bpf_prog_two");
	f = name_at(s, 0, 350, at + 0x20);
	assert_int_equal(f.offset, 0x10);
	assert_true(f.kernel);
	assert_string_equal(f.dso, "[bpf]");
	symbolizer__free(s);
}

/* Addresses of a guest are no functions of this kernel, whatever they look like. */
static void guests_have_their_own_names(void **state)
{
	struct symbolizer *s = make();
	u64 at = (u64)(uintptr_t)marked_function;
	u64 chain[] = {(u64)PERF_CONTEXT_GUEST_KERNEL, 0xffffffff81000100ull,
		       (u64)PERF_CONTEXT_GUEST_USER, at, (u64)PERF_CONTEXT_USER, at};
	struct frame f[6];

	assert_int_equal(symbolizer__frames(s, getpid(), 0, chain, 6, f), 3);
	assert_null(f[0].symbol);
	assert_string_equal(f[0].dso, "[guest]");
	assert_null(f[1].symbol);
	assert_string_equal(f[2].symbol, "marked_function");
	symbolizer__free(s);
}

/* After a loss what is said about a living process is what /proc says, not what was told. */
static void losses_make_it_look_again(void **state)
{
	struct symbolizer *s = make();
	u64 at = (u64)(uintptr_t)marked_function;

	symbolizer__exec(s, getpid(), 100); /* which it has not */
	map_self(s, getpid(), 110, 0x10000000);
	assert_non_null(name_at(s, getpid(), 200, 0x10000000).dso);
	symbolizer__lost(s);
	assert_null(name_at(s, getpid(), 200, 0x10000000).dso);
	assert_string_equal(name_at(s, getpid(), 200, at).symbol, "marked_function");
	symbolizer__free(s);
}

/* Its parent has not asked for its status yet: it is there, but has no mappings any more. */
static void a_zombie_keeps_what_was_told(void **state)
{
	struct symbolizer *s = make();
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	symbolizer__exec(s, pid, 100);
	map_self(s, pid, 110, 0x10000000);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	symbolizer__lost(s);
	assert_non_null(name_at(s, pid, 200, 0x10000000).dso);
	waitpid(pid, NULL, 0);
	symbolizer__free(s);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void ten_thousand_stacks_take_less_than_a_second(void **state)
{
	struct symbolizer *s = make();
	u64 base = (u64)(uintptr_t)marked_function & ~0xffffull, ips[30];
	u64 libc = (u64)(uintptr_t)dlsym(RTLD_DEFAULT, "lsearch") & ~0xffffull;
	struct frame f[30];
	double began = seconds();
	int i, k;

	srand(1);
	for (i = 0; i < 10000; i++) {
		for (k = 0; k < 30; k++)
			ips[k] = (k % 2 ? base : libc) + rand() % 0x10000;
		symbolizer__frames(s, getpid(), 0, ips, 30, f);
	}
	assert_true(seconds() - began < 1.0);
	symbolizer__free(s);
}

/* Many short lives: those that have ended are forgotten in time. */
static void memory_of_the_dead_is_bounded(void **state)
{
	struct symbolizer *s = make();
	struct symbolizer_stats st;
	u32 i;

	for (i = 0; i < 30000; i++) {
		u64 t = 1000 + i * 100ull;

		symbolizer__fork(s, getpid(), GONE + i % 5000, t);
		symbolizer__exec(s, GONE + i % 5000, t + 10);
		map_self(s, GONE + i % 5000, t + 20, 0x10000000);
		symbolizer__exit(s, GONE + i % 5000, t + 30);
	}
	symbolizer__stats(s, &st);
	assert_true(st.processes < 5000);
	assert_true(st.files < 50);
	symbolizer__free(s);
}

/* It was gone before anybody looked where its root is: its files are ours, if they are the same. */
static void files_of_an_unknown_root(void **state)
{
	struct symbolizer *s = make();
	u64 off = offset_of(marked_function);
	struct stat st;

	if (stat("/proc/self/exe", &st) || !major(st.st_dev))
		skip(); /* its file system shows other devices in mappings */
	symbolizer__exec(s, GONE, 200);
	map_self(s, GONE, 210, 0x10000000);
	symbolizer__exit(s, GONE, 300);
	assert_string_equal(name_at(s, GONE, 250, 0x10000000 + off).symbol, "marked_function");
	symbolizer__free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_functions),
		cmocka_unit_test(return_addresses_belong_to_the_call),
		cmocka_unit_test(lives_of_one_pid_are_told_apart),
		cmocka_unit_test(records_of_two_cpus_may_come_in_any_order),
		cmocka_unit_test(replaced_mappings_keep_their_time),
		cmocka_unit_test(nameless_is_module_and_offset),
		cmocka_unit_test(kernel_functions_come_and_go),
		cmocka_unit_test(guests_have_their_own_names),
		cmocka_unit_test(losses_make_it_look_again),
		cmocka_unit_test(a_zombie_keeps_what_was_told),
		cmocka_unit_test(ten_thousand_stacks_take_less_than_a_second),
		cmocka_unit_test(memory_of_the_dead_is_bounded),
		cmocka_unit_test(files_of_an_unknown_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
