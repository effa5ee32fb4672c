// SPDX-License-Identifier: GPL-2.0-only
/* test_guests.c - the name of a guest in its command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../user/scope/guests.h"

#define NAME(cmdline) name_in(cmdline, sizeof(cmdline))

static char found[256];

static const char *name_in(const char *cmdline, size_t len)
{
	struct strbuf b = {0};

	if (!guest__name_in(cmdline, len, &b)) {
		strbuf__free(&b);
		return NULL;
	}
	snprintf(found, sizeof(found), "%s", b.s);
	strbuf__free(&b);
	return found;
}

static void qemu(void **state)
{
	assert_string_equal(NAME("qemu\0-m\0001G\0-name\0foo\0-smp\0002"), "foo");
	assert_string_equal(NAME("qemu\0-name\0guest=web 1,debug-threads=on"), "web 1");
	assert_string_equal(NAME("qemu\0-name\0debug-threads=on,guest=db"), "db");
	assert_string_equal(NAME("qemu\0--name\0foo,process=bar"), "foo");
	assert_string_equal(NAME("qemu\0-name\0a,,b,process=x"), "a,b");
	assert_string_equal(NAME("qemu\0-name\0guest=x,,guest=y"), "x,guest=y");
}

static void none(void **state)
{
	assert_null(NAME("qemu\0-m\0001G"));
	assert_null(NAME("qemu\0-name"));
	assert_null(NAME("qemu\0-name\0"));
	assert_null(name_in("", 0));
	assert_null(name_in("qemu\0-name\0foo", 10));	/* cut in front of the value */
}

static void by_command(void **state)
{
	struct strbuf b = {0};
	char name[16];

	/* under valgrind it is not the program's */
	prctl(PR_GET_NAME, name);
	assert_true(guest__name(getpid(), &b));
	assert_string_equal(b.s, name);
	strbuf__free(&b);
	assert_false(guest__is(getpid()));
	assert_false(guest__name(0x7fffffff, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(qemu), cmocka_unit_test(none), cmocka_unit_test(by_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
