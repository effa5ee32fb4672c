// SPDX-License-Identifier: GPL-2.0-only
/* tree.c - a call tree as text: percentage, samples, function, indented by depth. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "call_tree.h"

#define NAME_ROOM 400

struct printing {
	const struct call_tree *t;
	FILE *out;
	u64 least; /* samples */
};

static const char *mark(enum frame_kind kind)
{
	return kind == FRAME_KERNEL ? " [k]" : kind == FRAME_JIT ? " [jit]" : "";
}

/* For a terminal: what could be a control sequence is shown, not obeyed. */
static void print_name(FILE *out, const char *name)
{
	int n = 0;

	for (; *name && n < NAME_ROOM; name++, n++)
		if (iscntrl((unsigned char)*name))
			fprintf(out, "\\x%02x", (unsigned char)*name);
		else
			putc(*name, out);
	if (*name)
		fputs("...", out);
}

static void print_node(const struct printing *p, const struct call_node *n, int depth)
{
	double all = call_tree__total(p->t);

	fprintf(p->out, "%6.2f%% %8llu  %*s", 100 * n->total / all, (unsigned long long)n->total,
		depth * 2, "");
	print_name(p->out, n->name);
	fputs(mark(n->kind), p->out);
	if (n->self && n->self != n->total)
		fprintf(p->out, "  (self %.2f%%)", 100 * n->self / all);
	putc('\n', p->out);
}

/* A chain can be deeper than a stack allows for recursion, but not than a call chain: 127 and 127. */
static void print_below(const struct printing *p, u32 node, int depth)
{
	u32 n, i, *kids = call_tree__children(p->t, node, BY_TOTAL, &n);

	for (i = 0; i < n; i++) {
		const struct call_node *kid = call_tree__node(p->t, kids[i]);

		if (kid->total < p->least)
			break;
		print_node(p, kid, depth);
		print_below(p, kids[i], depth + 1);
	}
	free(kids);
}

int call_tree__print(const struct call_tree *t, FILE *out, double than)
{
	double least = call_tree__total(t) * than / 100;
	struct printing p = {t, out, least};

	if (p.least < least)
		p.least++;
	fprintf(out, "%7s %8s  %s\n", "percent", "samples", "command, functions");
	print_below(&p, 0, 0);
	return ferror(out) ? -EIO : 0;
}
