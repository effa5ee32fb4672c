// SPDX-License-Identifier: GPL-2.0-only
/* folded.c - one line a call chain, as flamegraph.pl and its many relatives read it. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "../base/strbuf.h"
#include "call_tree.h"

/* A name that ends like a mark, "_[k]", would be taken for a frame of that kind. */
static bool ends_like_mark(const char *s, size_t len)
{
	return len >= 4 && !strncmp(s + len - 4, "_[", 2) && s[len - 1] == ']';
}

void folded__escape(struct strbuf *out, const char *name)
{
	size_t len = strlen(name), i;
	bool unmark = ends_like_mark(name, len);

	for (i = 0; i < len; i++) {
		char c = name[i];

		if (c == ';')
			c = ':';
		else if (iscntrl((unsigned char)c))
			c = '?';
		else if (unmark && i == len - 3)
			c = '(';
		else if (unmark && i == len - 1)
			c = ')';
		strbuf__putc(out, c);
	}
}

static const char *mark(enum frame_kind kind)
{
	return kind == FRAME_KERNEL ? "_[k]" : kind == FRAME_JIT ? "_[j]" : "";
}

static void add_path(const struct call_tree *t, u32 node, struct strbuf *line)
{
	const struct call_node *n = call_tree__node(t, node);

	if (n->parent) {
		add_path(t, n->parent, line);
		strbuf__putc(line, ';');
	}
	folded__escape(line, n->name);
	strbuf__puts(line, mark(n->kind));
}

int folded__write(const struct call_tree *t, FILE *out)
{
	struct strbuf line = {0};
	u32 i;

	for (i = 1; i < call_tree__nr(t) && !line.failed; i++) {
		const struct call_node *n = call_tree__node(t, i);

		if (!n->self)
			continue;
		strbuf__reset(&line);
		add_path(t, i, &line);
		strbuf__printf(&line, " %llu\n", (unsigned long long)n->self);
		fwrite(line.s, 1, line.len, out);
	}
	strbuf__free(&line);
	return line.failed ? -ENOMEM : ferror(out) ? -EIO : 0;
}
