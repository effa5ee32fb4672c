// SPDX-License-Identifier: GPL-2.0-only
/* The expected names are those of c++filt and rustfilt, without the return types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "user/symbol/demangle.h"

static void check(const char *mangled, const char *want)
{
	char *got = demangle(mangled);

	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	free(got);
}

static void cpp(void **state)
{
	check("_ZN3foo3barIiEEvT_", "foo::bar<int>(int)");
	check("_Z6burn_tIdEvv", "burn_t<double>()");
	check("_ZNSt6vectorIiSaIiEE9push_backEOi",
	      "std::vector<int, std::allocator<int> >::push_back(int&&)");
	check("_ZN5MyMap3getEi.part.0", "MyMap::get(int) [clone .part.0]");
}

static void rust_legacy_and_v0(void **state)
{
	check("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	check("_RNvCskwGfYPst2Cb_3foo3bar", "foo::bar");
	check("_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>");
}

static void plain_names_stay(void **state)
{
	check("main", NULL);
	check("_start", NULL);
	check("_Do_something", NULL);
	check("i", NULL);
	check("_Z", NULL);
	check("_ZN3fooE_not_mangled(", NULL);
	check("", NULL);
}

/* A name of nested substitutions must neither overflow the stack nor take minutes. */
static void hostile(void **state)
{
	char name[4000] = "_Z1f";
	size_t i;

	for (i = 4; i < sizeof(name) - 1; i++)
		name[i] = 'P';
	free(demangle(name));
	memset(name + 2, 'N', sizeof(name) - 3);
	free(demangle(name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpp),
		cmocka_unit_test(rust_legacy_and_v0),
		cmocka_unit_test(plain_names_stay),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
