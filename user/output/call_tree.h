/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file call_tree.h - call chains with counts, merged from their roots: command, functions, leaf.
 */
#ifndef TAMIS_OUTPUT_CALL_TREE_H
#define TAMIS_OUTPUT_CALL_TREE_H

#include <stdio.h>
#include "../symbol/symbolizer.h"

struct call_tree;
struct strbuf;

struct call_node {
	const char *name;	/**< of the tree */
	const char *dso;	/**< of the first frame that came here; NULL */
	u32 parent, child, sibling; /**< 0: none; node 0 is the root of all */
	enum frame_kind kind;
	u64 self, total;
};

struct call_chain {
	const char *comm;
	const struct frame *user, *kernel; /**< leaf first */
	u32 nr_user, nr_kernel;
	u64 count;
};

/** @return NULL without memory */
struct call_tree *call_tree__new(void);
void call_tree__free(struct call_tree *t);
/** @return 0 or -ENOMEM */
int call_tree__add(struct call_tree *t, const struct call_chain *c);
u32 call_tree__nr(const struct call_tree *t);
const struct call_node *call_tree__node(const struct call_tree *t, u32 i);
u64 call_tree__total(const struct call_tree *t);
size_t call_tree__bytes(const struct call_tree *t);

enum call_order { BY_NAME, BY_TOTAL };

/** The children of a node in an order, in an array to be freed; their number in @n. */
u32 *call_tree__children(const struct call_tree *t, u32 node, enum call_order order, u32 *n);

/** An indented tree with percentages; what has less than @than percent of all is left out. */
int call_tree__print(const struct call_tree *t, FILE *out, double than);

/**
 * One line a chain: "comm;main;f;g 12". What could be taken for the format is replaced in names:
 * ';' by ':', control characters by '?'. Kernel frames end with "_[k]", those of JITs with "_[j]".
 */
int folded__write(const struct call_tree *t, FILE *out);
/** A name as folded__write() writes it, without the mark. */
void folded__escape(struct strbuf *out, const char *name);

struct flame_graph {
	const char *title;	/**< plain text */
	const char *subtitle;
	bool html;		/**< a page around it, instead of an SVG file */
};

/** A file that opens in a browser, without anything from elsewhere: search, zoom, reset. */
int flame_graph__write(const struct call_tree *t, FILE *out, const struct flame_graph *g);

#endif
