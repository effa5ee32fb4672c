// SPDX-License-Identifier: GPL-2.0-only
/* Which call chains say that a process has no frame pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "user/cmd/broken_stacks.h"

static void chains(void **state)
{
	const struct frame code = {.dso = "/bin/x"}, nowhere = {0};
	const struct frame good[] = {code, code, code}, shallow[] = {code, code};
	const struct frame lost[] = {code, code, nowhere, code}, new_code[] = {nowhere, code, code};

	assert_false(broken_stacks__is(good, 3));
	assert_true(broken_stacks__is(shallow, 2));
	assert_true(broken_stacks__is(lost, 4));
	/* a leaf may be in memory that nobody told of yet */
	assert_false(broken_stacks__is(new_code, 3));
	assert_false(broken_stacks__is(good, 0));
}

static void most_of_a_process(void **state)
{
	struct broken_stacks *b = broken_stacks__new();
	int i, told = 0;

	for (i = 0; i < 100; i++)
		assert_false(broken_stacks__note(b, 1, 1, i % 3 == 0));
	for (i = 0; i < 100; i++)
		told += broken_stacks__note(b, 2, 1, i % 3 != 0);
	assert_int_equal(told, 1);
	for (i = 0; i < 4; i++)
		assert_false(broken_stacks__note(b, 3, 1, true));
	assert_true(broken_stacks__note(b, 3, 1, true));
	broken_stacks__free(b);
}

static void many_processes(void **state)
{
	struct broken_stacks *b = broken_stacks__new();
	u32 pid;

	for (pid = 1; pid < 100000; pid++)
		assert_true(broken_stacks__note(b, pid, 10, true));
	assert_true(broken_stacks__most(b));
	broken_stacks__free(b);
}

static void life_of_a_process(void **state)
{
	struct broken_stacks *b = broken_stacks__new();

	assert_false(broken_stacks__inherit(b, 1, 2));
	assert_true(broken_stacks__note(b, 1, 10, true));
	assert_true(broken_stacks__inherit(b, 1, 2));
	assert_false(broken_stacks__note(b, 2, 10, true)); /* as it is known of it */
	assert_true(broken_stacks__inherit(b, 2, 3));
	assert_true(broken_stacks__forget(b, 2));
	assert_false(broken_stacks__forget(b, 2));
	assert_false(broken_stacks__inherit(b, 2, 4));
	assert_true(broken_stacks__note(b, 2, 10, true));
	broken_stacks__free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains),
		cmocka_unit_test(most_of_a_process),
		cmocka_unit_test(many_processes),
		cmocka_unit_test(life_of_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
