// SPDX-License-Identifier: GPL-2.0-only
/* Call trees and what is written of them: hostile names must not look like the format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "user/base/strbuf.h"
#include "user/output/call_tree.h"

static struct frame named(const char *name, enum frame_kind kind)
{
	return (struct frame){.addr = 0x1000, .symbol = name, .dso = "/bin/x", .kind = kind};
}

static void add(struct call_tree *t, const char *comm, const char *leaf, const char *caller,
		enum frame_kind kind, u64 count)
{
	struct frame user[] = {named(leaf, kind), named(caller, FRAME_NATIVE)};
	struct call_chain c = {.comm = comm, .user = user, .nr_user = 2, .count = count};

	assert_int_equal(call_tree__add(t, &c), 0);
}

static char *written(const struct call_tree *t, int (*write)(const struct call_tree *t, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(write(t, f), 0);
	fclose(f);
	return text;
}

static void counts_add_up(void **state)
{
	struct call_tree *t = call_tree__new();
	u64 self = 0;
	u32 i;

	add(t, "a", "leaf", "main", FRAME_NATIVE, 3);
	add(t, "a", "leaf", "main", FRAME_NATIVE, 4);
	add(t, "a", "other", "main", FRAME_NATIVE, 5);
	add(t, "b", "leaf", "main", FRAME_NATIVE, 6);
	assert_int_equal(call_tree__total(t), 18);
	for (i = 1; i < call_tree__nr(t); i++)
		self += call_tree__node(t, i)->self;
	assert_int_equal(self, 18);
	assert_int_equal(call_tree__nr(t), 1 + 4 + 3);
	call_tree__free(t);
}

static void folded_stacks(void **state)
{
	struct frame kernel = {.addr = 1, .symbol = "do_it", .kind = FRAME_KERNEL, .kernel = true};
	struct frame user = named("main", FRAME_NATIVE);
	struct call_chain c = {"my comm", &user, &kernel, 1, 1, 7};
	struct call_tree *t = call_tree__new();
	char *text;

	call_tree__add(t, &c);
	text = written(t, folded__write);
	assert_string_equal(text, "my comm;main;do_it_[k] 7\n");
	free(text);
	call_tree__free(t);
}

static void names_cannot_be_taken_for_the_format(void **state)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"a;b", "a:b"},
		{"RegExp:(^|;)\\s", "RegExp:(^|:)\\s"},
		{"line\nbreak\ttab\r", "line?break?tab?"},
		{"looks_[k]", "looks_(k)"},
		{"[brackets]", "[brackets]"},
		{"_[k] inside", "_[k] inside"},
		{"_[k]", "_(k)"},
		{"ends with 12", "ends with 12"},
		{"%s%n", "%s%n"},
		{"\xff\xfe", "\xff\xfe"},
		{"", ""},
	};
	struct strbuf b = {0};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strbuf__reset(&b);
		strbuf__puts(&b, "");
		folded__escape(&b, cases[i].name);
		assert_string_equal(b.len ? b.s : "", cases[i].want);
	}
	strbuf__free(&b);
}

static int print_all(const struct call_tree *t, FILE *out)
{
	return call_tree__print(t, out, 0);
}

static int print_tenth(const struct call_tree *t, FILE *out)
{
	return call_tree__print(t, out, 10);
}

static void tree_with_percentages(void **state)
{
	struct call_tree *t = call_tree__new();
	char *text;

	add(t, "prog", "hot", "main", FRAME_JIT, 95);
	add(t, "prog", "cold\x1b[2J", "main", FRAME_NATIVE, 5);
	text = written(t, print_all);
	assert_non_null(strstr(text, "100.00%      100  prog\n"));
	assert_non_null(strstr(text, " 95.00%       95      hot [jit]\n"));
	assert_non_null(strstr(text, "cold\\x1b[2J"));
	free(text);
	text = written(t, print_tenth);
	assert_null(strstr(text, "cold"));
	free(text);
	call_tree__free(t);
}

static int draw(const struct call_tree *t, FILE *out)
{
	struct flame_graph g = {.title = "<t&\"", .subtitle = "s"};

	return flame_graph__write(t, out, &g);
}

static void flame_graph_escapes(void **state)
{
	struct call_tree *t = call_tree__new();
	char *text;

	add(t, "<comm>", "</title><script>x</script>", "a&b\"'\xff\x01", FRAME_NATIVE, 1);
	text = written(t, draw);
	assert_null(strstr(text, "<script>x"));
	assert_null(strstr(text, "<comm>"));
	assert_non_null(strstr(text, "&lt;comm&gt;"));
	assert_non_null(strstr(text, "a&amp;b&quot;'\xef\xbf\xbd\xef\xbf\xbd"));
	assert_non_null(strstr(text, ">&lt;t&amp;&quot;<"));
	free(text);
	call_tree__free(t);
}

static void empty_trees_are_written_too(void **state)
{
	struct call_tree *t = call_tree__new();

	free(written(t, draw));
	free(written(t, print_all));
	free(written(t, folded__write));
	call_tree__free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_add_up),
		cmocka_unit_test(folded_stacks),
		cmocka_unit_test(names_cannot_be_taken_for_the_format),
		cmocka_unit_test(tree_with_percentages),
		cmocka_unit_test(flame_graph_escapes),
		cmocka_unit_test(empty_trees_are_written_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
