/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file symtab.h - the symbols of one file or of the kernel, sorted by address.
 *
 * Filled with symtab__add(), then symtab__sort() once, then asked. A symbol's size bounds it: an
 * address behind all symbols that cover it has no name. Of several symbols at one address the
 * best known name stays: sized before unsized, global before weak before local.
 */
#ifndef TAMIS_SYMBOL_SYMTAB_H
#define TAMIS_SYMBOL_SYMTAB_H

#include "../base/types.h"

struct strpool;

enum binding { BIND_LOCAL, BIND_WEAK, BIND_GLOBAL };

struct sym {
	u64 start;
	u32 size;
	u32 name;	/**< position in symtab.text */
};

struct symtab {
	struct sym *v;
	u8 *rank;	/**< binding of each; freed by sort */
	size_t n, room, rank_room;
	u64 *reach;	/**< greatest end of the symbols up to here: how far back an outer one may be */
	char *text;
	size_t text_len, text_room;
	const char **shown; /**< the names as they are shown, as they are asked for */
};

/**
 * @size 0: not known; it then ends at the next symbol or at @limit.
 * @return 0, or -ENOMEM
 */
int symtab__add(struct symtab *t, u64 start, u64 size, u64 limit, const char *name, size_t len,
		enum binding binding);
int symtab__sort(struct symtab *t);
/** @return the innermost symbol that covers @addr; NULL: none */
const struct sym *symtab__find(const struct symtab *t, u64 addr);
/** The name as it is shown, from @pool; demangled unless @raw. */
const char *symtab__name(struct symtab *t, const struct sym *s, struct strpool *pool, bool raw);
size_t symtab__bytes(const struct symtab *t);
void symtab__free(struct symtab *t);

#endif
