// SPDX-License-Identifier: GPL-2.0-only
/* Which of several symbols names an address, and where a symbol ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "user/symbol/strpool.h"
#include "user/symbol/symtab.h"

static void add(struct symtab *t, u64 start, u64 size, const char *name, enum binding b)
{
	assert_int_equal(symtab__add(t, start, size, 0x9000, name, strlen(name), b), 0);
}

static const char *at(struct symtab *t, u64 addr)
{
	const struct sym *s = symtab__find(t, addr);

	return s ? t->text + s->name : NULL;
}

static void size_bounds_a_symbol(void **state)
{
	struct symtab t = {0};

	add(&t, 0x1000, 0x10, "f", BIND_GLOBAL);
	add(&t, 0x2000, 0x10, "g", BIND_LOCAL);
	symtab__sort(&t);
	assert_null(at(&t, 0xfff));
	assert_string_equal(at(&t, 0x1000), "f");
	assert_string_equal(at(&t, 0x100f), "f");
	assert_null(at(&t, 0x1010));
	assert_string_equal(at(&t, 0x2005), "g");
	symtab__free(&t);
}

static void unsized_ends_at_the_next_or_the_section(void **state)
{
	struct symtab t = {0};

	add(&t, 0x1000, 0, "asm1", BIND_LOCAL);
	add(&t, 0x1100, 0, "asm2", BIND_LOCAL);
	symtab__sort(&t);
	assert_string_equal(at(&t, 0x10ff), "asm1");
	assert_string_equal(at(&t, 0x8fff), "asm2");
	assert_null(at(&t, 0x9000));
	symtab__free(&t);
}

static void inner_symbol_and_the_rest_of_the_outer(void **state)
{
	struct symtab t = {0};

	add(&t, 0x1000, 0x1000, "outer", BIND_GLOBAL);
	add(&t, 0x1100, 0x10, "inner", BIND_GLOBAL);
	add(&t, 0x1200, 0, "label", BIND_LOCAL);
	symtab__sort(&t);
	assert_string_equal(at(&t, 0x1105), "inner");
	assert_string_equal(at(&t, 0x1110), "outer");
	assert_string_equal(at(&t, 0x1300), "outer");
	symtab__free(&t);
}

static void best_name_of_one_address(void **state)
{
	static const struct {
		const char *a, *b, *want;
		enum binding bind_a, bind_b;
		u64 size_a, size_b;
	} cases[] = {
		{"clock_gettime", "__vdso_clock_gettime", "__vdso_clock_gettime", BIND_WEAK,
		 BIND_GLOBAL, 16, 16},
		{"__read", "read", "read", BIND_GLOBAL, BIND_GLOBAL, 16, 16},
		{"local", "global", "global", BIND_LOCAL, BIND_GLOBAL, 16, 16},
		{"sized", "unsized_label", "sized", BIND_LOCAL, BIND_GLOBAL, 16, 0},
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct symtab t = {0}, u = {0};

		add(&t, 0x1000, cases[i].size_a, cases[i].a, cases[i].bind_a);
		add(&t, 0x1000, cases[i].size_b, cases[i].b, cases[i].bind_b);
		symtab__sort(&t);
		assert_string_equal(at(&t, 0x1000), cases[i].want);
		add(&u, 0x1000, cases[i].size_b, cases[i].b, cases[i].bind_b);
		add(&u, 0x1000, cases[i].size_a, cases[i].a, cases[i].bind_a);
		symtab__sort(&u);
		assert_string_equal(at(&u, 0x1000), cases[i].want);
		symtab__free(&t);
		symtab__free(&u);
	}
}

static void names_are_shown_demangled_or_raw(void **state)
{
	struct strpool *pool = strpool__new();
	struct symtab t = {0};

	add(&t, 0x1000, 16, "_ZN1a1bEv", BIND_GLOBAL);
	symtab__sort(&t);
	assert_string_equal(symtab__name(&t, symtab__find(&t, 0x1000), pool, false), "a::b()");
	symtab__free(&t);
	add(&t, 0x1000, 16, "_ZN1a1bEv", BIND_GLOBAL);
	symtab__sort(&t);
	assert_string_equal(symtab__name(&t, symtab__find(&t, 0x1000), pool, true), "_ZN1a1bEv");
	symtab__free(&t);
	strpool__free(pool);
}

static void nothing(void **state)
{
	struct symtab t = {0};

	assert_int_equal(symtab__sort(&t), 0);
	assert_null(symtab__find(&t, 0x1000));
	symtab__free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_bounds_a_symbol),
		cmocka_unit_test(unsized_ends_at_the_next_or_the_section),
		cmocka_unit_test(inner_symbol_and_the_rest_of_the_outer),
		cmocka_unit_test(best_name_of_one_address),
		cmocka_unit_test(names_are_shown_demangled_or_raw),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
