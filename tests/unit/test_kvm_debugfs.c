// SPDX-License-Identifier: GPL-2.0-only
/* test_kvm_debugfs.c - KVM's directory in debugfs, played by one of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../user/collect/counts.h"
#include "../../user/collect/kvm_debugfs.h"

static char dir[64];

static void put(const char *file, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void make(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static int set_up(void **state)
{
	strcpy(dir, "/tmp/tamis-debugfs-XXXXXX");
	assert_non_null(mkdtemp(dir));
	put("exits", "1000\n");
	put("halt_wait_ns", "123456\n");
	put("irq_exits", "7\n");
	make("100-11");
	put("100-11/exits", "500\n");
	put("100-11/irq_exits", "5\n");
	put("100-11/halt_wait_ns", "9\n");
	make("100-11/vcpu0");
	put("100-11/vcpu0/exits", "500\n");
	make("nosuch");
	put("nosuch/exits", "9\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static u64 total(struct counts *c, const char *name, u32 tgid)
{
	struct view v = {.tgid = tgid};
	struct lines l;
	const struct line *line;
	u64 n;

	assert_int_equal(counts__by_name(c, &v, &l), 0);
	line = lines__find(&l, name);
	n = line ? line->total : ~0ull;
	lines__free(&l);
	return n;
}

static void read_now(struct kvm_debugfs *k, struct counts *c)
{
	struct err err = {0};

	assert_int_equal(kvm_debugfs__read(k, c, &err), 0);
	counts__tick(c, 1);
}

static struct kvm_debugfs *open_dir(bool past)
{
	struct kvm_debugfs *k;
	struct err err = {0};

	assert_int_equal(kvm_debugfs__open(&k, dir, past, NULL, &err), 0);
	return k;
}

static void from_now_on(void **state)
{
	struct counts *c = counts__new();
	struct kvm_debugfs *k = open_dir(false);

	assert_int_equal(kvm_debugfs__declare(k, c), 0);
	read_now(k, c);
	assert_int_equal(total(c, "exits", 0), 0);
	assert_int_equal(total(c, "halt_wait_ns", 0), ~0ull);	/* a time, no count */
	put("100-11/exits", "503\n");
	read_now(k, c);
	assert_int_equal(total(c, "exits", 0), 3);
	assert_int_equal(total(c, "irq_exits", 0), 0);
	kvm_debugfs__close(k);
	counts__free(c);
}

static void with_the_past(void **state)
{
	struct counts *c = counts__new();
	struct kvm_debugfs *k = open_dir(true);

	read_now(k, c);
	assert_int_equal(total(c, "exits", 0), 500);
	assert_int_equal(total(c, "exits", 100), 500);
	kvm_debugfs__close(k);
	counts__free(c);
}

/* A machine that comes counts from its beginning; what one that went has counted stays. */
static void machines_come_and_go(void **state)
{
	struct counts *c = counts__new();
	struct kvm_debugfs *k = open_dir(false);
	char command[128];

	read_now(k, c);
	make("200-12");
	put("200-12/exits", "40\n");
	read_now(k, c);
	assert_int_equal(total(c, "exits", 200), 40);
	assert_int_equal(total(c, "exits", 0), 40);
	snprintf(command, sizeof(command), "rm -r %s/200-12", dir);
	assert_int_equal(system(command), 0);
	put("100-11/exits", "502\n");
	read_now(k, c);
	assert_int_equal(total(c, "exits", 0), 42);
	kvm_debugfs__close(k);
	counts__free(c);
}

static void no_numbers(void **state)
{
	struct counts *c = counts__new();
	struct kvm_debugfs *k = open_dir(true);

	put("100-11/exits", "many\n");
	put("100-11/irq_exits", "");
	read_now(k, c);
	assert_int_equal(total(c, "exits", 0), ~0ull);
	kvm_debugfs__close(k);
	counts__free(c);
}

static void not_there(void **state)
{
	struct kvm_debugfs *k;
	struct err err = {0};

	assert_true(kvm_debugfs__open(&k, "/nosuch/kvm", false, NULL, &err) < 0);
	assert_non_null(strstr(err.text, "/nosuch/kvm"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(from_now_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(with_the_past, set_up, tear_down),
		cmocka_unit_test_setup_teardown(machines_come_and_go, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_numbers, set_up, tear_down),
		cmocka_unit_test(not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
