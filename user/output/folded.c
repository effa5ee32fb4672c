// SPDX-License-Identifier: GPL-2.0-only
/* folded.c - one line a call chain, as flamegraph.pl and its many relatives read it. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "call_tree.h"

#define NAME_ROOM 1024

/* A name that ends like a mark would be taken for a frame of that kind. */
static void unmark(char *s)
{
	size_t len = strlen(s);

	if (len >= 4 && !strncmp(s + len - 4, "_[", 2) && s[len - 1] == ']') {
		s[len - 3] = '(';
		s[len - 1] = ')';
	}
}

void folded__escape(const char *name, char *dst, size_t size)
{
	size_t n = 0;

	for (; *name && n + 1 < size; name++)
		dst[n++] = *name == ';' ? ':' : iscntrl((unsigned char)*name) ? '?' : *name;
	dst[n] = 0;
	unmark(dst);
}

static const char *mark(enum frame_kind kind)
{
	return kind == FRAME_KERNEL ? "_[k]" : kind == FRAME_JIT ? "_[j]" : "";
}

static void write_path(const struct call_tree *t, u32 node, FILE *out)
{
	const struct call_node *n = call_tree__node(t, node);
	char name[NAME_ROOM];

	if (n->parent) {
		write_path(t, n->parent, out);
		putc(';', out);
	}
	folded__escape(n->name, name, sizeof(name));
	fputs(name, out);
	fputs(mark(n->kind), out);
}

int folded__write(const struct call_tree *t, FILE *out)
{
	u32 i;

	for (i = 1; i < call_tree__nr(t); i++) {
		const struct call_node *n = call_tree__node(t, i);

		if (!n->self)
			continue;
		write_path(t, i, out);
		fprintf(out, " %llu\n", (unsigned long long)n->self);
	}
	return ferror(out) ? -EIO : 0;
}
