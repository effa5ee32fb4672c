// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/guard.h"
#include "compact.h"
#include "privilege.h"
#include "program.h"

#define LOG_SIZE  (1u << 20)
#define LOG_LINES 12

int program__init(struct program *p, const struct stencil *s, enum bpf_prog_type type,
		  const char *event, struct err *err)
{
	*p = (struct program){.stencil = s, .n = s->n, .type = type, .event = event, .fd = -1};
	p->insn = malloc(s->n * sizeof(*p->insn));
	if (!p->insn)
		return err__set(err, ENOMEM, "%s: out of memory for its BPF program", event);
	memcpy(p->insn, s->insn, s->n * sizeof(*p->insn));
	return 0;
}

int program__patch(struct program *p, u32 mark, u32 v, struct err *err)
{
	const struct stencil *s = p->stencil;
	bool found = false;
	size_t i;

	for (i = 0; i < s->nr_imms; i++) {
		if (s->imms[i].mark != mark)
			continue;
		p->insn[s->imms[i].at].imm = v;
		found = true;
	}
	return found ? 0 : err__set(err, EINVAL, "template: no immediate %#x", mark);
}

static int fill_calls(struct program *p, const struct stencil_hole *h, const struct code *c,
		      struct err *err)
{
	size_t i;
	int start, at;

	for (i = 0; i < c->nr_calls; i++) {
		start = stencil__function(p->stencil, c->calls[i].fn);
		if (start < 0)
			return err__set(err, EINVAL, "template: no function %#x", c->calls[i].fn);
		at = h->first + c->calls[i].at;
		p->insn[at].imm = start - (at + 1); /* counts from the next instruction */
	}
	return 0;
}

int program__fill(struct program *p, u32 mark, const struct code *c, const char *what,
		  struct err *err)
{
	const struct stencil_hole *h = stencil__hole(p->stencil, mark);
	size_t i;

	if (c->err)
		return err__set(err, -c->err, "%s: %s: %s", p->event, what, strerror(-c->err));
	if (!c->n)
		return 0;
	if (!h)
		return err__set(err, EINVAL, "template: no hole %#x", mark);
	if (c->n > (size_t)h->room)
		return err__usage(err,
				  "%s: %s is too long to run in the kernel: it takes %zu BPF "
				  "instructions, the program has room for %d; make it shorter or "
				  "split it over several events",
				  p->event, what, c->n, h->room);
	memcpy(p->insn + h->first, c->insn, c->n * sizeof(*c->insn));
	for (i = 0; i < c->nr_rejects; i++)
		p->insn[h->first + c->rejects[i]].off = h->room - c->rejects[i] - 1;
	return fill_calls(p, h, c, err);
}

void program__map(struct program *p, int from, int to)
{
	const struct stencil *s = p->stencil;
	size_t i;

	for (i = 0; i < s->nr_maps; i++)
		if (s->maps[i].fd == from)
			p->insn[s->maps[i].at].imm = to;
}

static int try_load(const struct program *p, char *log, size_t size)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	int fd;

	opts.expected_attach_type = p->attach_type;
	opts.attach_btf_id = p->btf_id;
	opts.log_buf = log;
	opts.log_size = size;
	opts.log_level = log ? 1 : 0;
	fd = bpf_prog_load(p->type, "tamis", "GPL", p->insn, p->n, &opts);
	return fd < 0 ? -errno : fd;
}

/* The verifier's reason is in the last lines of its log. */
static const char *last_lines(const char *log)
{
	const char *s = log + strlen(log);
	int lines = 0;

	while (s > log) {
		if (s[-1] == '\n' && ++lines > LOG_LINES)
			break;
		s--;
	}
	return s;
}

static int refused(const struct program *p, int code, struct err *err)
{
	_cleanup_free_ char *log = NULL;
	char what[512];
	int fd;

	if (code == EPERM || code == ENOMEM) {
		snprintf(what, sizeof(what), "%s: the kernel refuses its BPF program", p->event);
		return privilege__explain(err, code, what);
	}
	log = calloc(1, LOG_SIZE);
	if (!log)
		return err__set(err, code, "%s: the kernel refuses its BPF program: %s", p->event,
				strerror(code));
	fd = try_load(p, log, LOG_SIZE);
	if (fd >= 0)
		close(fd);
	return err__set(err, code, "%s: the kernel refuses its BPF program: %s\n%s", p->event,
			strerror(code), last_lines(log));
}

/* "rX = MARK" has done its work. */
static void forget_marks(struct program *p)
{
	const struct bpf_insn nop = {.code = BPF_JMP | BPF_JA};
	const struct stencil *s = p->stencil;
	size_t i;

	for (i = 0; i < s->nr_holes; i++)
		p->insn[s->holes[i].first - 2] = nop;
	for (i = 0; i < s->nr_imms; i++)
		p->insn[s->imms[i].at - 1] = nop;
}

int program__load(struct program *p, struct err *err)
{
	int fd, n;

	forget_marks(p);
	n = compact__nops(p->insn, p->n);

	if (n < 0)
		return err__set(err, ENOMEM, "%s: out of memory for its BPF program", p->event);
	p->n = n;
	fd = try_load(p, NULL, 0);
	if (fd < 0)
		return refused(p, -fd, err);
	p->fd = fd;
	free(p->insn);
	p->insn = NULL;
	return 0;
}

void program__free(struct program *p)
{
	free(p->insn);
	p->insn = NULL;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
}
