// SPDX-License-Identifier: GPL-2.0-only
/* test_spec.c - the event language: what a specification says, and where its mistakes are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "user/base/err.h"
#include "user/base/log.h"
#include "user/event/spec.h"

static char preset_dir[64];

static int parse(struct event_specs *specs, const char *text, struct log *log, struct err *err)
{
	const char *dirs[] = {preset_dir, NULL};
	int ret = spec__parse(specs, text, dirs, log, err);

	return ret ? ret : spec__link(specs, err);
}

static struct event_specs good(const char *text)
{
	struct event_specs specs = {0};
	struct err err = {0};

	if (parse(&specs, text, NULL, &err))
		fail_msg("%s: %s", text, err.text);
	return specs;
}

static void expect_piece(const struct event_spec *s, const struct spec_text *piece,
			 const char *want)
{
	assert_string_equal(piece->s, want);
	assert_memory_equal(s->text + piece->at, want, strlen(want));
}

static void test_examples(void **state)
{
	struct event_specs s = good("raw_syscalls:sys_enter//count/by=id,_comm/");

	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0]->kind, SPEC_TRACEPOINT);
	assert_string_equal(s.v[0]->system, "raw_syscalls");
	assert_string_equal(s.v[0]->name, "sys_enter");
	assert_null(s.v[0]->filter.s);
	assert_true(s.v[0]->ops[AGG_COUNT]);
	assert_int_equal(s.v[0]->by.n, 2);
	expect_piece(s.v[0], &s.v[0]->by.v[0], "id");
	expect_piece(s.v[0], &s.v[0]->by.v[1], "_comm");
	assert_true(spec__aggregates(s.v[0]));
	assert_false(spec__emits(s.v[0]));
	spec__free(&s);

	s = good("syscalls:sys_enter_openat/filename ~ \"/etc/*\"/");
	expect_piece(s.v[0], &s.v[0]->filter, "filename ~ \"/etc/*\"");
	assert_true(spec__emits(s.v[0]));
	spec__free(&s);

	s = good("raw_syscalls:sys_enter//alias=in/key=_tid/,"
		 "raw_syscalls:sys_exit/latency>1ms/since=in/key=_tid/stack/");
	assert_int_equal(s.n, 2);
	assert_true(s.v[0]->is_start);
	assert_false(spec__emits(s.v[0]));
	assert_ptr_equal(s.v[1]->start, s.v[0]);
	expect_piece(s.v[1], &s.v[1]->filter, "latency>1ms");
	assert_int_equal(s.v[1]->stack, STACK_KERNEL | STACK_USER);
	assert_true(s.v[1]->stack_default);
	assert_true(spec__emits(s.v[1]));
	spec__free(&s);

	s = good("block:block_rq_issue//alias=q/key=dev,sector/,"
		 "block:block_rq_complete//since=q/key=dev,sector/hist=latency/by=dev/");
	assert_ptr_equal(s.v[1]->start, s.v[0]);
	assert_int_equal(s.v[1]->key.n, 2);
	expect_piece(s.v[1], &s.v[1]->op[AGG_HIST], "latency");
	spec__free(&s);
}

/* Several events may begin one kind of interval. */
static void test_shared_alias(void **state)
{
	struct event_specs s = good("a:b//alias=r/key=x/, c:d//alias=r/key=y/, e:f//since=r/key=z/, "
				    "e:g//since=r/key=z/");

	assert_ptr_equal(s.v[2]->start, s.v[0]);
	assert_ptr_equal(s.v[3]->start, s.v[0]);
	assert_ptr_equal(s.v[0]->begins, s.v[0]);
	assert_ptr_equal(s.v[1]->begins, s.v[0]);
	assert_true(s.v[1]->is_start);
	assert_null(s.v[2]->begins);
	assert_false(s.v[2]->is_start);
	spec__free(&s);
}

static void test_protection(void **state)
{
	struct event_specs s = good("a:b/(x/y)==2 && c==\"p/q,r\"/alias=one/, c:d/comm=='it\\'s,/'/");

	assert_int_equal(s.n, 2);
	expect_piece(s.v[0], &s.v[0]->filter, "(x/y)==2 && c==\"p/q,r\"");
	assert_string_equal(s.v[0]->alias, "one");
	expect_piece(s.v[1], &s.v[1]->filter, "comm=='it\\'s,/'");
	assert_string_equal(s.v[1]->system, "c");
	spec__free(&s);
	s = good("a:b//by=(x/2),f(y,z)/sum=n");
	assert_int_equal(s.v[0]->by.n, 2);
	expect_piece(s.v[0], &s.v[0]->by.v[1], "f(y,z)");
	expect_piece(s.v[0], &s.v[0]->op[AGG_SUM], "n");
	spec__free(&s);
}

static void test_last_slash(void **state)
{
	static const char *const same[] = {"a:b", "a:b/", "a:b//", "a:b/x>1", "a:b/x>1/",
					   "a:b//emit", "a:b//emit/", "a:b/x>1/emit//"};
	struct event_specs s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		s = good(same[i]);
		assert_int_equal(s.n, 1);
		assert_string_equal(s.v[0]->name, "b");
		spec__free(&s);
	}
	s = good("a:b,c:d,e:f//emit/,g:h");
	assert_int_equal(s.n, 4);
	spec__free(&s);
}

static void test_values(void **state)
{
	struct event_specs s = good(
		"a:b//max-stack=7/stack=kernel,dwarf/cpus=0-3,5/transport=perf/ustring=p,q/"
		"with=_comm,cgroup/maxlen=1K/sample=3/rate=100/top=5/entries=4K/"
		"lhist=(n/10),-5,1K,0x10/by=stack/emit/");
	const struct event_spec *e = s.v[0];

	assert_int_equal(e->max_stack, 7);
	assert_int_equal(e->stack, STACK_KERNEL | STACK_USER | STACK_DWARF);
	assert_false(e->stack_default);
	assert_string_equal(e->cpus, "0-3,5");
	assert_int_equal(e->transport, TRANSPORT_PERF);
	assert_int_equal(e->ustring.n, 2);
	assert_int_equal(e->with, 1 << EXTRA_COMM | 1 << EXTRA_CGROUP);
	assert_int_equal(e->maxlen, 1024);
	assert_int_equal(e->sample, 3);
	assert_int_equal(e->rate, 100);
	assert_int_equal(e->top, 5);
	assert_int_equal(e->entries, 4096);
	expect_piece(e, &e->op[AGG_LHIST], "(n/10)");
	assert_int_equal(e->lhist[0], -5);
	assert_int_equal(e->lhist[1], 1024);
	assert_int_equal(e->lhist[2], 16);
	assert_true(spec__emits(e));
	spec__free(&s);
}

static void test_kinds(void **state)
{
	struct event_specs s = good("profile/-F 997 -g/alias=prof/,fentry:vfs_read,"
				    "kprobe:do_sys_open+0x10/x>1/,uprobe:malloc@\"libc.so.6\","
				    "uretprobe:a::b(int, char*)@'/usr/bin/x'/ret<0/,"
				    "usdt:python:gc__start@\"/usr/lib/libpython3.so\"//count/,r1a2");

	assert_int_equal(s.n, 7);
	assert_int_equal(s.v[0]->kind, SPEC_SOURCE);
	expect_piece(s.v[0], &s.v[0]->options, "-F 997 -g");
	assert_null(s.v[0]->filter.s);
	assert_string_equal(s.v[0]->alias, "prof");
	assert_int_equal(s.v[1]->kind, SPEC_FENTRY);
	assert_string_equal(s.v[1]->name, "vfs_read");
	assert_int_equal(s.v[2]->kind, SPEC_KPROBE);
	assert_int_equal(s.v[2]->offset, 16);
	assert_int_equal(s.v[3]->kind, SPEC_UPROBE);
	assert_string_equal(s.v[3]->file, "libc.so.6");
	assert_int_equal(s.v[4]->kind, SPEC_URETPROBE);
	assert_string_equal(s.v[4]->name, "a::b(int, char*)");
	assert_string_equal(s.v[4]->file, "/usr/bin/x");
	assert_int_equal(s.v[5]->kind, SPEC_USDT);
	assert_string_equal(s.v[5]->system, "python");
	assert_string_equal(s.v[5]->name, "gc__start");
	assert_true(s.v[5]->ops[AGG_COUNT]);
	assert_int_equal(s.v[6]->kind, SPEC_SOURCE);
	spec__free(&s);
}

/* --- mistakes: the caret line, and a word of the message --- */

static const struct {
	const char *text, *caret, *word;
} bad[] = {
	{"", NULL, "missing"},
	{" ", NULL, "missing"},
	{"a:b,",
	 "    ^", "missing"},
	{",a:b",
	 "^", "missing"},
	{"a:b,,c:d",
	 "    ^", "missing"},
	{"a:",
	 "  ^", "missing"},
	{":b",
	 "^", "missing"},
	{"a:b c",
	 "   ^", "character"},
	{"a$:b",
	 " ^", "character"},
	{"a:b//nosuch/",
	 "     ^^^^^^", "no such attribute"},
	{"a:b//hst=x/",
	 "     ^^^", "near: hist"},
	{"a:b//count,c:d//count/",
	 "     ^^^^^^^^^", "a / is missing"},
	{"a:b//count=3/",
	 "           ^", "takes no value"},
	{"a:b//sum/",
	 "     ^^^", "needs a value"},
	{"a:b//sum=/",
	 "         ^", "is missing"},
	{"a:b//count/count/",
	 "           ^^^^^", "twice"},
	{"a:b//by=x/",
	 "        ^", "one of them is missing"},
	{"a:b//count/by=x,,y/",
	 "                ^", "missing"},
	{"a:b//count/by=x,/",
	 "                ^", "missing"},
	{"a:b//stack=foo/",
	 "           ^^^", "kernel, user or dwarf"},
	{"a:b//transport=x/",
	 "               ^", "bpf or perf"},
	{"a:b//with=_comm,_x/",
	 "                ^^", "no such extra"},
	{"a:b//maxlen=0/",
	 "            ^", "from 1 to 4096"},
	{"a:b//maxlen=5K/",
	 "            ^^", "from 1 to 4096"},
	{"a:b//top=many/",
	 "         ^^^^", "not a number"},
	{"a:b//cpus=3-1/",
	 "          ^^^", "range of CPUs"},
	{"a:b//cpus=0,x/",
	 "            ^", "not a number"},
	{"a:b//lhist=x,1,2/",
	 "           ^^^^^", "EXPR,LOW,HIGH,STEP"},
	{"a:b//lhist=x,5,2,1/",
	 "             ^^^", "lower to a higher"},
	{"a:b//lhist=x,1,2,0/",
	 "                 ^", "more than 0"},
	{"a:b//alias=a b/",
	 "            ^", "letters"},
	{"a:b/x==\"y/",
	 "       ^", "quote is not closed"},
	{"a:b/(x/",
	 "    ^", "parenthesis is not closed"},
	{"a:b//since=q/key=x/",
	 "           ^", "no event has the alias q"},
	{"a:b//since=q/",
	 "           ^", "needs key="},
	{"a:b//alias=start/key=x/,c:d//since=strat/key=y/",
	 "           ^^^^^", "near: start"},
	{"a:b//alias=x/key=k/since=x/",
	 "                         ^", "cannot begin the interval that it ends"},
	{"a:b//alias=q/key=x,y/,c:d//since=q/key=z/",
	 "                 ^", "has 1 parts and that of q has 2"},
	{"a:b//alias=q/,c:d//since=q/key=z/",
	 "^^^^^^^^^^^^^", "which has no key="},
	{"a:b//keep=x/key=y/",
	 "          ^", "no since= names this one"},
	{"a:b//key=x/,a:b//key=x/,c:d//since=b/key=z/",
	 "           ^", "2 events have the name b"},
	{"a:b//alias=q/key=x/,e:f//alias=q/key=x,y/,c:d//since=q/key=z/",
	 "                 ^", "has 1 parts and that of q has 2"},
	{"a:b//alias=q/key=x/keep=n/,e:f//alias=q/key=x/,c:d//since=q/key=z/",
	 "^^^^^^^^^^^^^^^^^^^", "keep the same fields"},
	{"a:b//part=x/", NULL, "part="},
	{"profile//alias=q/key=x/,c:d//since=q/key=z/",
	 "^^^^^^^", "cannot begin an interval"},
	{"a:b//ustring=x/nostr/",
	 "             ^", "exclude each other"},
	{"a:b//push=x/",
	 "     ^^^^^^", "push="},
	{"a:b//pull=x/",
	 "     ^^^^^^", "pull="},
	{"a:b//vm=x/",
	 "     ^^^^", "virtual machine"},
	{"a:b//exec=x/",
	 "     ^^^^^^", "exec="},
	{"multi-trace/x/",
	 "^^^^^^^^^^^", "//since=a/key=next_pid/"},
	{"kmemleak",
	 "^^^^^^^^", "kmem:kmalloc//alias=a/key=ptr/"},
	{"uprobe:malloc",
	 "       ^^^^^^", "needs the binary"},
	{"uprobe:malloc@",
	 "              ^", "missing"},
	{"uprobe:@\"x\"",
	 "       ^", "missing"},
	{"uprobe:f+x@\"y\"",
	 "         ^", "not a number"},
	{"uretprobe:f+8@\"y\"",
	 "            ^", "takes no offset"},
	{"fentry:f@\"y\"",
	 "         ^^^", "takes no file"},
	{"usdt:name@\"y\"",
	 "     ^^^^", "provider and name"},
	{"usdt:a:@\"y\"",
	 "       ^", "missing"},
	{"fentry:vfs_*",
	 "           ^", "cannot hold this character"},
	{"kprobe:",
	 "       ^", "missing"},
};

/* The text of the third line, behind its two spaces. */
static const char *caret_of(const struct err *err)
{
	const char *line = strrchr(err->text, '\n');

	return line ? line + 3 : NULL;
}

static void test_mistakes(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct event_specs specs = {0};
		struct err err = {0};

		if (parse(&specs, bad[i].text, NULL, &err) != -EINVAL)
			fail_msg("%s: accepted", bad[i].text);
		if (!err.usage || !strstr(err.text, bad[i].word))
			fail_msg("%s: %s", bad[i].text, err.text);
		if (bad[i].caret && (!caret_of(&err) || strcmp(caret_of(&err), bad[i].caret)))
			fail_msg("%s: caret elsewhere: %s", bad[i].text, err.text);
		spec__free(&specs);
	}
}

/* --- notices --- */

static void count_line(void *ctx, enum log_level level, const char *line)
{
	assert_int_equal(level, LOG_NOTICE);
	assert_non_null(strstr(line, "perf-prof"));
	++*(int *)ctx;
}

static void test_ignored(void **state)
{
	struct event_specs specs = {0};
	struct err err = {0};
	int lines = 0;
	struct log log = {.write = count_line, .ctx = &lines};

	assert_int_equal(parse(&specs,
			       "a:b//top-by=x/top-add=y/comm=c/ptr=p/size=s/num=n/role=r/printkey=k/"
			       "untraced/trigger/index=1/batch=1/,c:d//untraced/", &log, &err), 0);
	assert_int_equal(lines, 12);
	spec__free(&specs);
}

/* --- presets --- */

static void write_preset(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", preset_dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void remove_presets(const char *const *names)
{
	char path[128];

	for (; *names; names++) {
		snprintf(path, sizeof(path), "%s/%s", preset_dir, *names);
		unlink(path);
	}
	rmdir(preset_dir);
}

static void test_presets(void **state)
{
	struct event_specs s = good("waits/latency>1ms || x/hist=latency/by=z/, waits");

	assert_int_equal(s.n, 4);
	assert_string_equal(s.v[0]->preset, "waits");
	assert_string_equal(s.v[0]->text, "a:b/p==1/alias=w/key=k/keep=z/");
	assert_string_equal(s.v[1]->text,
			    "c:d/q==2 && (latency>1ms || x)/since=w/key=k/hist=latency/by=z/");
	assert_ptr_equal(s.v[1]->start, s.v[0]);
	assert_string_equal(s.v[3]->text, "c:d/q==2/since=w/key=k/");
	/* each use has its own start */
	assert_ptr_equal(s.v[3]->start, s.v[2]);
	spec__free(&s);
}

static void test_bad_presets(void **state)
{
	struct event_specs specs = {0};
	struct err err = {0};

	assert_int_equal(parse(&specs, "empty", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "a line of help"));
	spec__free(&specs);
	err = (struct err){0};
	assert_int_equal(parse(&specs, "waits//nosuch=1/", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "preset waits: no such attribute"));
	spec__free(&specs);
}

int main(void)
{
	static const char *const presets[] = {"waits", "empty", "profile", NULL};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples), cmocka_unit_test(test_shared_alias),    cmocka_unit_test(test_protection),
		cmocka_unit_test(test_last_slash),  cmocka_unit_test(test_values),
		cmocka_unit_test(test_kinds),	    cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_ignored),	    cmocka_unit_test(test_presets),
		cmocka_unit_test(test_bad_presets),
	};
	int failed;

	strcpy(preset_dir, "/tmp/test_spec.XXXXXX");
	if (!mkdtemp(preset_dir))
		return 1;
	write_preset("waits", "# a comment\nTime that something waits\n"
			      "a:b/p==1/alias=w/key=k/keep=z/,\n  c:d/q==2/since=w/key=k/\n");
	write_preset("empty", "Only help\n");
	write_preset("profile", "A source's name is not a preset's\na:b\n");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	remove_presets(presets);
	return failed;
}
