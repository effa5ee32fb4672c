// SPDX-License-Identifier: GPL-2.0-only
/*
 * driver_expr.c - runs expressions over records through both back ends, for a Python test that
 * knows the answers. Needs root: the BPF side runs the real template, under test_run.
 *
 * A line of input: EXPRESSION tab RECORD tab TEXT. RECORD is the raw record in hex, dynamic
 * payloads included; TEXT the hex bytes of the user text `path`, - for one that is not in memory.
 * A line of output: the value that eval gives (or "unknown"), whether eval lets it pass (0, 1), and
 * what the kernel said (0, 1, or 2: passed and flagged unreadable); or "error" and the message.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include "tests/unit/expr_event.h"
#include "user/base/kernel_types.h"
#include "user/collect/bpf_template.h"
#include "user/collect/counters.h"
#include "user/collect/program.h"
#include "user/filter/compile.h"
#include "user/filter/eval.h"

#define RAW_MAX 4096

struct driver {
	struct bpf_template t;
	struct counter_map counters;
	struct kernel_types types;
	struct event *event;
	char *text;		/* what `path` points to */
	u8 raw[RAW_MAX];	/* the record, and the context of the program */
	size_t raw_len;
	u8 record[2 * RAW_MAX];
	bool has_text;
};

static size_t unhex(const char *s, u8 *out, size_t max)
{
	size_t n = 0;
	unsigned int v;

	while (n < max && sscanf(s, "%2x", &v) == 1) {
		out[n++] = v;
		s += 2;
	}
	return n;
}

/* The user pointer, and for eval the text slot, as the probe would fill it. */
static struct record make_record(struct driver *d, const char *text)
{
	struct record_head *head = (void *)d->record;
	const struct record_layout *l = &d->event->layout;
	u64 pointer = (u64)(d->has_text ? d->text : (char *)16);
	u32 *slot = (void *)(d->record + l->text[0]), at, n = 0;

	memcpy(d->raw + 104, &pointer, sizeof(pointer));
	memset(d->record, 0, l->raw);
	memcpy(d->record + l->raw, d->raw, d->raw_len);
	at = l->raw + d->raw_len;
	*slot = RECORD_NO_TEXT;
	if (d->has_text) {
		n = unhex(text, d->record + at, 2000);
		memcpy(d->text, d->record + at, n);
		d->text[n] = 0;
		if (n > 256) {
			n = 256;
			head->flags |= RECORD_TRUNCATED;
		}
		*slot = at | n << 16;
	}
	head->size = at + n;
	return (struct record){.data = d->record, .size = at + n, .event = d->event,
			       .flags = head->flags, .tgid = 1, .tid = 1};
}

static int load(struct driver *d, struct program *p, const struct code *c, struct err *err)
{
	LIBBPF_OPTS(bpf_prog_load_opts, o, .prog_flags = BPF_F_SLEEPABLE);
	static const struct {
		u32 mark, value;
	} imms[] = {{IMM_FLAGS, 0}, {IMM_SIZE, 64}, {IMM_EVENT, 0}, {IMM_COUNTERS, 0},
		    {IMM_WAKE, 8}, {IMM_SCRATCH, 0}, {IMM_SAMPLE, 1}, {IMM_RATE, 1}};
	size_t i;
	int ret = program__init(p, &d->t.classic, BPF_PROG_TYPE_SYSCALL, "test:made", err);

	for (i = 0; i < ARRAY_SIZE(imms) && !ret; i++)
		ret = program__patch(p, imms[i].mark, imms[i].value, err);
	if (!ret)
		ret = program__fill(p, MARK_FILTER, c, "the expression", err);
	if (ret)
		return ret;
	program__map(p, d->t.counters, d->counters.fd);
	p->fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "made", "GPL", p->insn, p->stencil->n, &o);
	if (p->fd < 0) {
		static char log[1 << 20];

		o.log_buf = log;
		o.log_size = sizeof(log);
		o.log_level = 1;
		bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "made", "GPL", p->insn, p->stencil->n, &o);
		size_t n = strlen(log);

		for (i = 0; i < n; i++)
			if (log[i] == '\n')
				log[i] = '|';
		return err__set(err, EINVAL, "%s", log + (n > 1500 ? n - 1500 : 0));
	}
	return 0;
}

static int run(struct driver *d, const struct expr *e, int *passed, struct err *err)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .ctx_in = d->raw, .ctx_size_in = d->raw_len);
	struct compile_env env = {.types = &d->types};
	struct code c = {0};
	struct program p = {.fd = -1};
	u64 before = counter_map__sum(&d->counters, 0, C_REJECTED);
	int ret = compile__filter(&c, e, d->event, &env, err);

	if (!ret)
		ret = load(d, &p, &c, err);
	if (!ret && bpf_prog_test_run_opts(p.fd, &o))
		ret = err__set(err, errno, "test run: %s", strerror(errno));
	*passed = counter_map__sum(&d->counters, 0, C_REJECTED) == before;
	program__free(&p);
	code__free(&c);
	compile_env__free(&env);
	return ret;
}

static void one(struct driver *d, char *line)
{
	char *raw = strchr(line, '\t'), *text = raw ? strchr(raw + 1, '\t') : NULL;
	struct spec_text s = {.s = line};
	struct expr *e = NULL;
	struct err err = {0};
	struct record rec;
	struct eval v;
	bool unknown;
	int passed = 0, eval_passed;

	if (!text)
		return;
	*raw++ = 0;
	*text++ = 0;
	d->has_text = *text != '-';
	d->raw_len = unhex(raw, d->raw, RAW_MAX);
	rec = make_record(d, text);
	if (!expr__parse(&e, d->event, &s, EXPR_WANT_INT, NULL, NULL, &err) &&
	    !run(d, e, &passed, &err)) {
		v = eval__int(e, &rec);
		eval_passed = eval__filter(e, &rec, &unknown);
		if (v.unknown)
			printf("unknown %d %d\n", eval_passed, passed);
		else
			printf("%lld %d %d\n", (long long)v.num, eval_passed, passed);
	} else {
		for (char *p = err.text; *p; p++)
			if (*p == '\n')
				*p = '|';
		printf("error %s\n", err.text);
	}
	fflush(stdout);
	expr__free(e);
}

int main(void)
{
	static char line[1 << 16];
	struct driver d = {.event = expr_event()};
	struct err err = {0};

	d.text = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bpf_template__open(&d.t, &err) || counter_map__open(&d.counters, 1, d.t.nr_cpus, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	d.t.control->explain = 1;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		one(&d, line);
	}
	counter_map__close(&d.counters);
	bpf_template__close(&d.t);
	kernel_types__free(&d.types);
	event__put(d.event);
	munmap(d.text, 8192);
	return 0;
}
