// SPDX-License-Identifier: GPL-2.0-only
/* base/: errors, log, text buffers, arrays */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "user/base/array.h"
#include "user/base/err.h"
#include "user/base/guard.h"
#include "user/base/log.h"
#include "user/base/strbuf.h"

static void the_first_error_wins(void **state)
{
	struct err err = {0};

	assert_int_equal(err__set(&err, ENOENT, "no %s", "file"), -ENOENT);
	assert_int_equal(err__set(&err, EPERM, "later"), -ENOENT);
	assert_string_equal(err.text, "no file");
	assert_int_equal(err.code, ENOENT);
	assert_false(err.usage);
	assert_int_equal(err__prefix(&err, "opening %d", 7), -ENOENT);
	assert_string_equal(err.text, "opening 7: no file");
}

static void a_usage_error_is_marked(void **state)
{
	struct err err = {0};

	assert_int_equal(err__usage(&err, "bad -%c", 'x'), -EINVAL);
	assert_true(err.usage);
}

static void a_caret_stands_under_the_bad_part(void **state)
{
	struct err err = {0};

	assert_int_equal(err__caret(&err, "pid == foo", 7, 3, "no such field"), -EINVAL);
	assert_true(err.usage);
	assert_non_null(strstr(err.text, "no such field"));
	assert_non_null(strstr(err.text, "pid == foo\n"));
	assert_non_null(strstr(err.text, "       ^^^"));
}

static void a_long_message_is_cut(void **state)
{
	struct err err = {0};
	char text[2 * sizeof(err.text)];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	err__set(&err, EIO, "%s", text);
	assert_true(strlen(err.text) < sizeof(err.text));
	err__prefix(&err, "%s", text);
	assert_true(strlen(err.text) < sizeof(err.text));
	memset(&err, 0, sizeof(err));
	err__caret(&err, text, sizeof(text) - 2, 1, "%s", text);
	assert_true(strlen(err.text) < sizeof(err.text));
}

static void count_line(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	assert_null(strchr(line, '\n'));
	++*(int *)ctx;
}

static void log_has_levels_and_says_once(void **state)
{
	int lines = 0, i;
	struct log log = {.level = LOG_NOTICE, .write = count_line, .ctx = &lines};

	log__say(&log, LOG_DEBUG, "not shown");
	assert_int_equal(lines, 0);
	log__say(&log, LOG_WARNING, "shown");
	assert_int_equal(lines, 1);
	for (i = 0; i < 3; i++)
		log__once(&log, LOG_NOTICE, "the same");
	assert_int_equal(lines, 2);
	log__once(&log, LOG_NOTICE, "the same but %d", 1);
	assert_int_equal(lines, 3);
	/* more lines than it remembers must neither crash nor vanish */
	for (i = 0; i < 1000; i++)
		log__once(&log, LOG_NOTICE, "line %d", i);
	assert_true(lines > 64);
	log__say(NULL, LOG_WARNING, "dropped");
	log__once(NULL, LOG_WARNING, "dropped");
}

static void a_buffer_grows_and_keeps_its_memory(void **state)
{
	struct strbuf b = {0};
	size_t i, room;

	for (i = 0; i < 10000; i++)
		strbuf__putc(&b, 'a' + i % 26);
	strbuf__printf(&b, "%s-%d", "tail", 5);
	strbuf__add(&b, "\0z", 2);
	assert_int_equal(b.len, 10000 + 6 + 2);
	assert_memory_equal(b.s + 10000, "tail-5\0z", 9);
	assert_int_equal(b.s[25], 'z');
	room = b.room;
	strbuf__reset(&b);
	assert_int_equal(b.len, 0);
	strbuf__puts(&b, "x");
	assert_string_equal(b.s, "x");
	assert_int_equal(b.room, room);
	strbuf__free(&b);
	assert_false(b.failed);
}

static void arrays_grow(void **state)
{
	_cleanup_free_ int *a = NULL;
	size_t n = 0, room = 0;
	int i;

	for (i = 0; i < 1000; i++)
		assert_int_equal(array__push(a, n, room, i), 0);
	assert_int_equal(n, 1000);
	for (i = 0; i < 1000; i++)
		assert_int_equal(a[i], i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_error_wins),
		cmocka_unit_test(a_usage_error_is_marked),
		cmocka_unit_test(a_caret_stands_under_the_bad_part),
		cmocka_unit_test(a_long_message_is_cut),
		cmocka_unit_test(log_has_levels_and_says_once),
		cmocka_unit_test(a_buffer_grows_and_keeps_its_memory),
		cmocka_unit_test(arrays_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
