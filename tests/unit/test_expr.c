// SPDX-License-Identifier: GPL-2.0-only
/* test_expr.c - expressions: what is accepted, its type, what is said about mistakes and where. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include "expr_event.h"
#include "user/filter/eval.h"
#include "user/filter/glob.h"
#include "user/filter/tracefs_string.h"
#include "user/filter/world.h"

struct heard {
	char text[1024];
};

static void hear(void *ctx, enum log_level level, const char *line)
{
	struct heard *h = ctx;

	(void)level;
	snprintf(h->text + strlen(h->text), sizeof(h->text) - strlen(h->text), "%s\n", line);
}

static int function(void *ctx, const char *name, u64 *start, u64 *end)
{
	(void)ctx;
	if (strcmp(name, "vfs_read"))
		return -ENOENT;
	*start = 0xffffffff81000000;
	*end = 0xffffffff81000100;
	return 0;
}

static int cgroup(void *ctx, const char *path, u64 *id)
{
	(void)ctx;
	*id = 4711;
	return strcmp(path, "/web") ? -ENOENT : 0;
}

static int container(void *ctx, const char *name, u64 *ids, int max)
{
	(void)ctx;
	(void)max;
	ids[0] = 11;
	ids[1] = 22;
	return strcmp(name, "box") ? -ENOENT : 2;
}

static const struct expr_world world = {
	.function = function, .cgroup = cgroup, .container = container,
};

static struct expr *parse_as(struct event *event, const char *s, enum expr_want want,
			     struct heard *heard, struct err *err)
{
	struct log log = {.level = LOG_DEBUG, .write = hear, .ctx = heard};
	struct spec_text text = {.s = (char *)s};
	struct expr *e = NULL;
	int ret;

	*err = (struct err){0};
	memset(heard, 0, sizeof(*heard));
	ret = expr__parse(&e, event, &text, want, &world, &log, err);
	assert_int_equal(ret, -err->code);
	return e;
}

static struct expr *parse(struct event *event, const char *s, struct heard *heard, struct err *err)
{
	return parse_as(event, s, EXPR_WANT_INT, heard, err);
}

/* --- types --- */

static void types_follow_c(void **state)
{
	static const struct {
		const char *s;
		int bits;
		bool is_signed;
	} cases[] = {
		{"u8", 32, true}, {"i16", 32, true}, {"i32", 32, true}, {"u32", 32, false},
		{"i64", 64, true}, {"u64", 64, false}, {"args[0]", 64, false}, {"nums[1]", 32, true},
		{"u8 + i8", 32, true}, {"u32 + i32", 32, false}, {"u32 + i64", 64, true},
		{"u64 + i64", 64, false}, {"i32 << u64", 32, true}, {"u64 == 1", 32, true},
		{"!u64", 32, true}, {"~u32", 32, false}, {"-i64", 64, true},
		{"u8 ? i32 : u64", 64, false}, {"1", 32, true}, {"3000000000", 64, true},
		{"0xffffffff", 32, false}, {"0xffffffffffffffff", 64, false}, {"1ms", 64, true},
		{"4K", 32, true}, {"_pid", 32, true}, {"_uid", 32, false}, {"_time", 64, false},
		{"comm == \"x\"", 32, true}, {"ip", 64, false}, {"addr", 32, false},
	};
	struct event *event = expr_event();
	struct heard heard;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct expr *e = parse(event, cases[i].s, &heard, &err);

		if (!e || e->bits != cases[i].bits || e->is_signed != cases[i].is_signed)
			fail_msg("%s: %s %d bits", cases[i].s, e ? "got" : err.text, e ? e->bits : 0);
		expr__free(e);
	}
	event__put(event);
}

/* --- everything that the kernel's documentation of event filters shows --- */

static void kernel_filters_are_accepted(void **state)
{
	static const char *const filters[] = {
		"common_preempt_count > 4",
		"((i32 >= 10 && i32 < 15) || i32 == 17) && comm != bash",
		"comm ~ \"*sh\"", "comm ~ \"sh*\"", "comm ~ \"*sh*\"", "comm ~ \"ba*sh\"",
		"path.ustring ~ \"password\"", "ip.function == vfs_read",
		"ip.function != vfs_read", "ip.function == 0xffffffff81000010",
		"CPU == 1", "CPU & CPUS{0-3}", "cpus & CPUS{1}", "cpus == CPUS{0-1}", "CPU == CPUS{2}", "CPU != CPUS{0,2}",
		"u32 & CPUS{17-42}", "COMM == \"bash\"", "cpu == 0", "comm == 'bash'",
		"common_type == 77", "common_pid == 0", "!(i32 == 1)", "i32 & 7",
		"u64 == 0xFFFFFFFFFFFFFFFF", "i64 == -1", "(i32 == 1)", "name == \"x\"", "rel ~ \"*y\"",
		"i32 == 010", "common_flags & 1", "path != 0",
	};
	struct event *event = expr_event();
	struct heard heard;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct expr *e = parse(event, filters[i], &heard, &err);

		if (!e)
			fail_msg("%s: %s", filters[i], err.text);
		expr__free(e);
	}
	event__put(event);
}

/* --- mistakes --- */

/* Where the caret of the last line stands: behind its two blanks. */
static int caret_at(const char *text)
{
	const char *line = strrchr(text, '\n');

	return line ? (int)strcspn(line + 1, "^") - 2 : -1;
}

static int caret_length(const char *text)
{
	const char *line = strrchr(text, '\n');

	return line ? (int)strspn(line + 1 + strcspn(line + 1, "^"), "^") : -1;
}

static void mistakes_get_a_caret(void **state)
{
	static const struct {
		const char *s;
		int at, len;
		const char *says;
	} cases[] = {
		{"", 0, 1, "empty"},
		{"i32 ==", 6, 1, "too early"},
		{"== 3", 0, 2, "expected a field"},
		{"i32 = 3", 4, 1, "written =="},
		{"i32 == 3 4", 9, 1, "operator is missing"},
		{"comm == a b", 10, 1, "quoted"},
		{"comm == \"a", 8, 2, "not closed"},
		{"i32 == 'a", 7, 2, "not closed"},
		{"(i32 == 3", 9, 1, ") is missing"},
		{"i32 == 3)", 8, 1, "ended here"},
		{"()", 0, 2, "nothing stands"},
		{"i32 == 0xzz", 7, 4, "no number"},
		{"i32 == 12q", 7, 3, "no number"},
		{"i32 == 99999999999999999999", 7, 20, "64 bits"},
		{"i32 @ 3", 4, 1, "this character"},
		{"nosuch == 3", 0, 6, "no field nosuch"},
		{"i32 == 1 && i23 == 2", 12, 3, "near: i32"},
		{"args[3] == 1", 5, 1, "elements 0 to 2"},
		{"args == 1", 0, 4, "use an element"},
		{"i32[0] == 1", 0, 6, "no elements"},
		{"i32 == \"text\"", 7, 6, "number"},
		{"comm == 5", 0, 4, "number"},
		{"comm < \"x\"", 0, 4, "is text"},
		{"comm", 0, 4, "is text"},
		{"\"x\"", 0, 3, "only be compared"},
		{"i32 ~ \"x\"", 0, 3, "matches text"},
		{"\"x*\" ~ comm", 0, 4, "to the right"},
		{"comm ~ name", 7, 4, "constant"},
		{"u8 ? 1", 6, 1, ": is missing"},
		{"u8 ? 1 2", 7, 1, "expected :"},
		{"latency > 3", 0, 7, "since="},
		{"stack == 3", 0, 5, "key of by="},
		{"ksymbol(ip) == 3", 0, 7, ".function"},
		{"comm_get(i32) == 3", 0, 8, "_comm"},
		{"foo(i32)", 0, 3, "no functions"},
		{"ip.function == nosuchfn", 15, 8, "no function nosuchfn"},
		{"ip.function > vfs_read", 0, 11, "== or !="},
		{"i32.function == vfs_read", 0, 12, "no address"},
		{"i32.ustring == \"x\"", 0, 11, "no user pointer"},
		{"CPU & CPUS{3-}", 6, 8, "CPUS{0-3,5}"},
		{"CPU & CPUS{1", 6, 6, "closed"},
		{"_cgroup == \"/nosuch\"", 11, 9, "no cgroup"},
		{"_container == \"nosuch\"", 14, 8, "no container"},
		{"_container == 3", 0, 10, "name"},
		{"comm == \"a\\0b\"", 8, 6, "NUL"},
		{"i32 &&", 6, 1, "too early"},
		{"i32 + * 3", 6, 1, "expected a field"},
		{"comm ~ \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa*\"", 7, 70,
		 "at most 63"},
	};
	struct event *event = expr_event();
	struct heard heard;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct expr *e = parse(event, cases[i].s, &heard, &err);

		if (e || !err.usage || caret_at(err.text) != cases[i].at ||
		    caret_length(err.text) != cases[i].len || !strstr(err.text, cases[i].says))
			fail_msg("%s: want %d+%d \"%s\", got %d+%d: %s", cases[i].s, cases[i].at,
				 cases[i].len, cases[i].says, e ? -9 : caret_at(err.text),
				 e ? -9 : caret_length(err.text), e ? "accepted" : err.text);
		expr__free(e);
	}
	event__put(event);
}

/* The caret points into the whole specification. */
static void caret_points_into_the_spec(void **state)
{
	struct event *event = expr_event();
	struct event_spec spec = {.text = (char *)"test:made/i23 == 4/"};
	struct spec_text text = {.s = (char *)"i23 == 4", .at = 10};
	struct err err = {0};
	struct expr *e;

	(void)state;
	event->spec = &spec;
	assert_int_equal(expr__parse(&e, event, &text, EXPR_WANT_INT, NULL, NULL, &err), -EINVAL);
	assert_int_equal(caret_at(err.text), 10);
	assert_non_null(strstr(err.text, "test:made/i23 == 4/"));
	event->spec = NULL;
	event__put(event);
}

/* --- warnings --- */

static void impossible_comparisons_are_said(void **state)
{
	static const struct {
		const char *s;
		const char *says;	/* NULL: nothing is said */
	} cases[] = {
		{"u8 == -1", "u8 == -1 can never be true: u8 is of type unsigned char"},
		{"u8 == 256", "never"}, {"u8 == 255", NULL}, {"i8 == 200", "never"},
		{"i8 == -128", NULL}, {"u64 < 0", "never"}, {"u64 >= 0", NULL}, {"u32 == -1", NULL},
		{"i32 == 4294967196", "never"}, {"i32 == -100", NULL}, {"u64 > -1", "never"},
		{"i32 > 0x7fffffff", "never"}, {"300 < u8", "never"}, {"nums[0] == 40000", "never"},
		{"hw[0] == -1", "never"}, {"u16 != 70000", NULL},
		{"comm == \"averyveryverylongname\"", "compared with \"averyveryverylo\""},
		{"COMM == \"averyveryverylongname\"", "15 bytes"},
		{"_comm ~ \"averyveryverylongname*\"", "never"}, {"_comm ~ \"averyver*longname\"", "never"},
		{"_comm ~ \"a*longname\"", NULL}, {"odd == \"01234567890123\"", "never"},
		{"!i32 == 3", "! binds"}, {"!(i32 == 3)", NULL}, {"(!i32) == 1", NULL},
	};
	struct event *event = expr_event();
	struct heard heard;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct expr *e = parse(event, cases[i].s, &heard, &err);

		if (!e || (cases[i].says ? !strstr(heard.text, cases[i].says) : *heard.text != 0))
			fail_msg("%s: heard \"%s\"", cases[i].s, e ? heard.text : err.text);
		expr__free(e);
	}
	event__put(event);
}

/* --- special operands --- */

static bool passes(struct event *event, const char *s, const void *raw, size_t size)
{
	u8 data[512] = {0};
	struct record_head *head = (void *)data;
	struct heard heard;
	struct err err;
	struct expr *e = parse(event, s, &heard, &err);
	struct record rec = {.data = data, .event = event, .cpu = 3, .tgid = 7, .tid = 8};
	bool unknown, ret;

	if (!e)
		fail_msg("%s: %s", s, err.text);
	memcpy(data + event->layout.raw, raw, size);
	rec.size = head->size = event->layout.raw + size;
	ret = eval__filter(e, &rec, &unknown);
	expr__free(e);
	return ret;
}

static void special_operands(void **state)
{
	struct event *event = expr_event();
	u8 raw[EXPR_STATIC] = {0};
	u64 ip = 0xffffffff810000ff;

	(void)state;
	memcpy(raw + 136, &ip, sizeof(ip));
	assert_true(passes(event, "ip.function == vfs_read", raw, sizeof(raw)));
	assert_false(passes(event, "ip.function != vfs_read", raw, sizeof(raw)));
	ip++;
	memcpy(raw + 136, &ip, sizeof(ip));
	assert_false(passes(event, "ip.function == vfs_read", raw, sizeof(raw)));
	assert_true(passes(event, "CPU & CPUS{0-3}", raw, sizeof(raw)));
	assert_false(passes(event, "CPU & CPUS{0-2,4}", raw, sizeof(raw)));
	assert_true(passes(event, "CPU == CPUS{3}", raw, sizeof(raw)));
	assert_false(passes(event, "CPU == CPUS{3,4}", raw, sizeof(raw)));
	assert_true(passes(event, "CPU != CPUS{3,4}", raw, sizeof(raw)));
	assert_true(passes(event, "_pid == 7 && _tid == 8 && _cpu == 3", raw, sizeof(raw)));
	/* not carried: unknown passes */
	assert_true(passes(event, "_cgroup == \"/web\"", raw, sizeof(raw)));
	assert_true(passes(event, "_container != \"box\"", raw, sizeof(raw)));
	event__put(event);
}

static void keys_may_be_text(void **state)
{
	struct event *event = expr_event();
	struct heard heard;
	struct err err;
	struct expr *e;

	(void)state;
	e = parse_as(event, "comm", EXPR_WANT_KEY, &heard, &err);
	assert_int_equal(e->op, EXPR_TEXT);
	expr__free(e);
	e = parse_as(event, "ustack", EXPR_WANT_KEY, &heard, &err);
	assert_int_equal(e->operand, OPERAND_USTACK);
	expr__free(e);
	assert_null(parse_as(event, "stack", EXPR_WANT_TEXT, &heard, &err));
	e = parse_as(event, "path", EXPR_WANT_TEXT, &heard, &err);
	assert_true(e->may_be_unknown);
	expr__free(e);
	event__put(event);
}

/* --- splitting at latency --- */

static void filters_are_split_at_latency(void **state)
{
	struct event *event = expr_event();
	struct event_spec spec = {.text = (char *)"i32 == 1 && (latency > 5 || u8) && u8 == 2",
				  .since = (char *)"x"};
	struct spec_text text = {.s = spec.text};
	struct expr *e, *early, *late;
	struct err err = {0};

	(void)state;
	event->spec = &spec;
	assert_int_equal(expr__parse(&e, event, &text, EXPR_WANT_INT, NULL, NULL, &err), 0);
	assert_int_equal(expr__split(e, &early, &late), 0);
	assert_int_equal(early->op, EXPR_ANDAND);
	assert_int_equal(late->op, EXPR_OROR);
	assert_false(expr__uses(early) & EXPR_USES_LATENCY);
	assert_true(expr__uses(late) & EXPR_USES_LATENCY);
	expr__free(early);
	expr__free(late);
	event->spec = NULL;
	event__put(event);
}

/* --- as the kernel writes it --- */

static void tracefs_strings(void **state)
{
	static const struct {
		const char *s, *out;
		bool inexact;
	} cases[] = {
		{"i32 == -100", "i32 == -100", false}, {"u64 > 5", "u64 > 5", false},
		{"u64 == -1", "u64 == 18446744073709551615", false},
		{"i32 == 1 && (u8 > 3 || !(i64 < 0))", "(i32 == 1 && (u8 > 3 || !(i64 < 0)))", false},
		{"comm == \"a b\"", "comm == \"a b\"", false},
		{"comm != 'say \"x\"'", "!(comm == 'say \"x\"')", false},
		{"comm ~ \"*sh\"", NULL, false}, {"comm ~ \"*sh*\"", NULL, false},
		{"comm ~ \"s*h\"", "comm ~ \"s*h\"", false}, {"name ~ \"*sh\"", "name ~ \"*sh\"", false},
		{"comm ~ \"*s?h\"", "comm ~ \"*s?h\"", false},
		{"comm ~ \"sh*\"", "comm ~ \"sh*\"", false}, {"i32 & 7", "i32 & 7", false},
		{"CPU == 2", "CPU == 2", false}, {"_comm == \"x\"", "COMM == \"x\"", false},
		{"path ~ \"/etc/*\"", "path.ustring ~ \"/etc/*\"", true}, {"i32", "i32 != 0", false},
		{"u8 == 300", NULL, false}, {"i32 + 1 == 3", NULL, false}, {"_uid == 0", NULL, false},
		{"comm ~ \"[^a]*\"", NULL, false}, {"args[0] == 1", NULL, false},
		{"i32 < u32", NULL, false}, {"comm == name", NULL, false}, {"u32 == -1", "u32 == 4294967295", false},
	};
	struct event *event = expr_event();
	struct heard heard;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct expr *e = parse(event, cases[i].s, &heard, &err);
		bool inexact;
		char *s = tracefs_string(e, event, &inexact);

		if (!s != !cases[i].out || (s && strcmp(s, cases[i].out)) || inexact != cases[i].inexact)
			fail_msg("%s: want %s, got %s", cases[i].s, cases[i].out, s);
		free(s);
		expr__free(e);
	}
	event__put(event);
}

/* --- bytes that are no record --- */

static void random_bytes_are_no_danger(void **state)
{
	static const char *const filters[] = {
		"ids[i32] + ids[0] == args[u8] || nums[i16]", "name ~ \"*x*\" && rel == \"y\"",
		"path == \"x\" || odd ~ \"?*\"", "_uid + _ppid + _cgroup > latency",
		"hw[u64] || addr || ip", "comm == name",
	};
	struct event *event = expr_event();
	struct event_spec spec = {.text = (char *)"", .since = (char *)"x"};
	struct heard heard;
	struct err err;
	unsigned int seed = 5;

	(void)state;
	for (int extra = 0; extra < EXTRA_MAX; extra++)
		event->layout.extra[extra] = 200 + 8 * extra;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct expr *e;

		event->spec = &spec;
		e = parse(event, filters[i], &heard, &err);
		event->spec = NULL;
		assert_non_null(e);
		for (int round = 0; round < 2000; round++) {
			size_t size = rand_r(&seed) % 300;
			u8 *data = malloc(size ? size : 1);	/* exact, so that ASan sees its end */
			struct record rec = {.data = data, .size = (u32)size, .event = event,
					     .flags = (u16)rand_r(&seed)};
			bool unknown;

			for (size_t k = 0; k < size; k++)
				data[k] = (u8)(rand_r(&seed) >> 8);
			eval__filter(e, &rec, &unknown);
			free(data);
		}
		expr__free(e);
	}
	event__put(event);
}

static void globs(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} cases[] = {
		{"a*", "abc", true}, {"*c", "abc", true}, {"a?c", "abc", true}, {"a?c", "ac", false},
		{"[a-c]x", "bx", true}, {"[^a-c]x", "bx", false}, {"[!a]x", "bx", true},
		{"[]]", "]", true}, {"[a-]", "-", true}, {"[abc", "[abc", true}, {"a\\*", "a*", true},
		{"a\\*", "ab", false}, {"", "", true}, {"", "a", false}, {"*", "", true},
		{"**a**", "xay", true}, {"a*b*c", "a1b2c", true}, {"a*b*c", "a1c2b", false},
	};
	struct glob g;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		glob__compile(&g, cases[i].pattern);
		if (glob__match(&g, cases[i].text, strlen(cases[i].text)) != cases[i].match)
			fail_msg("%s ~ %s", cases[i].text, cases[i].pattern);
	}
	glob__compile(&g, "a*b");
	assert_int_equal(glob__match_cut(&g, "ax", 2), TEXT_UNKNOWN);
	assert_int_equal(glob__match_cut(&g, "bx", 2), 0);
	glob__compile(&g, "a*");
	assert_int_equal(glob__match_cut(&g, "ax", 2), 1);
	assert_int_equal(glob__min_length("a[b-d]*?\\*"), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_follow_c),
		cmocka_unit_test(kernel_filters_are_accepted),
		cmocka_unit_test(mistakes_get_a_caret),
		cmocka_unit_test(caret_points_into_the_spec),
		cmocka_unit_test(impossible_comparisons_are_said),
		cmocka_unit_test(special_operands),
		cmocka_unit_test(keys_may_be_text),
		cmocka_unit_test(filters_are_split_at_latency),
		cmocka_unit_test(tracefs_strings),
		cmocka_unit_test(random_bytes_are_no_danger),
		cmocka_unit_test(globs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
