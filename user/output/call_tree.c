// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/strbuf.h"
#include "../symbol/strpool.h"
#include "call_tree.h"

struct call_tree {
	struct call_node *v;
	size_t n, room;
	u32 *slots; /* node numbers by parent, name and kind */
	u32 nr_slots;
	struct strpool *names;
	struct strbuf text;
};

struct call_tree *call_tree__new(void)
{
	struct call_node all = {.name = "all"};
	struct call_tree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->names = strpool__new();
	if (t->names && !array__push(t->v, t->n, t->room, all))
		return t;
	call_tree__free(t);
	return NULL;
}

void call_tree__free(struct call_tree *t)
{
	if (!t)
		return;
	strpool__free(t->names);
	strbuf__free(&t->text);
	free(t->slots);
	free(t->v);
	free(t);
}

static u32 hash(u32 parent, const char *name, enum frame_kind kind)
{
	u64 h = (u64)(uintptr_t)name * 0x9e3779b97f4a7c15ull ^ ((u64)parent << 3 | kind);

	h *= 0xff51afd7ed558ccdull;
	return h ^ h >> 32;
}

/* @return where the node is or would be */
static u32 *slot(const struct call_tree *t, u32 parent, const char *name, enum frame_kind kind)
{
	u32 i = hash(parent, name, kind) & (t->nr_slots - 1);

	for (; t->slots[i]; i = (i + 1) & (t->nr_slots - 1)) {
		const struct call_node *n = &t->v[t->slots[i]];

		if (n->parent == parent && n->name == name && n->kind == kind)
			break;
	}
	return &t->slots[i];
}

static int grow_slots(struct call_tree *t)
{
	u32 nr = t->nr_slots ? t->nr_slots * 2 : 256, i;
	u32 *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->nr_slots = nr;
	for (i = 1; i < t->n; i++)
		*slot(t, t->v[i].parent, t->v[i].name, t->v[i].kind) = i;
	return 0;
}

/* @return the child's number; 0 without memory */
static u32 child(struct call_tree *t, u32 parent, const char *name, enum frame_kind kind,
		 const char *dso)
{
	struct call_node new = {.dso = dso, .parent = parent, .kind = kind};
	u32 *at;

	new.name = strpool__intern(t->names, name);
	if (t->n * 2 >= t->nr_slots && grow_slots(t))
		return 0;
	at = slot(t, parent, new.name, kind);
	if (*at)
		return *at;
	new.sibling = t->v[parent].child;
	if (dso)
		new.dso = strpool__intern(t->names, dso);
	if (array__push(t->v, t->n, t->room, new))
		return 0;
	*at = t->v[parent].child = t->n - 1;
	return *at;
}

/* Goes down from @node by frames, root first. @return the leaf; 0 without memory */
static u32 descend(struct call_tree *t, u32 node, const struct frame *frames, u32 n, u64 count)
{
	while (node && n--) {
		strbuf__reset(&t->text);
		frame__name(&frames[n], &t->text);
		if (t->text.failed)
			return 0;
		node = child(t, node, t->text.s, frames[n].kind, frames[n].dso);
		if (node)
			t->v[node].total += count;
	}
	return node;
}

int call_tree__add(struct call_tree *t, const struct call_chain *c)
{
	u32 node = child(t, 0, c->comm, FRAME_NATIVE, NULL);

	if (!node)
		return -ENOMEM;
	t->v[0].total += c->count;
	t->v[node].total += c->count;
	node = descend(t, node, c->user, c->nr_user, c->count);
	node = descend(t, node, c->kernel, c->nr_kernel, c->count);
	if (!node)
		return -ENOMEM;
	t->v[node].self += c->count;
	return 0;
}

u32 call_tree__nr(const struct call_tree *t)
{
	return t->n;
}

const struct call_node *call_tree__node(const struct call_tree *t, u32 i)
{
	return &t->v[i];
}

u64 call_tree__total(const struct call_tree *t)
{
	return t->v[0].total;
}

size_t call_tree__bytes(const struct call_tree *t)
{
	return t->room * sizeof(*t->v) + t->nr_slots * sizeof(*t->slots) +
	       strpool__bytes(t->names);
}

struct sorting {
	const struct call_tree *t;
	enum call_order order;
};

static int compare(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	const struct call_node *x = &s->t->v[*(const u32 *)a], *y = &s->t->v[*(const u32 *)b];

	if (s->order == BY_TOTAL && x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->name != y->name)
		return strcmp(x->name, y->name);
	return (int)x->kind - (int)y->kind;
}

u32 *call_tree__children(const struct call_tree *t, u32 node, enum call_order order, u32 *n)
{
	struct sorting s = {t, order};
	u32 *v = NULL, i;
	size_t nr = 0, room = 0;

	for (i = t->v[node].child; i; i = t->v[i].sibling)
		if (array__push(v, nr, room, i))
			break;
	if (nr)
		qsort_r(v, nr, sizeof(*v), compare, &s);
	*n = nr;
	return v;
}
