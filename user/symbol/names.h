/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file names.h - a pool of strings, each kept once; pointers stay valid until the pool is freed.
 */
#ifndef TAMIS_SYMBOL_NAMES_H
#define TAMIS_SYMBOL_NAMES_H

#include "../base/types.h"

#define NAME_MAX_LEN 16384	/**< longer ones are cut */

struct names;

/** @return NULL without memory */
struct names *names__new(void);
void names__free(struct names *n);
/** @return the id of the string, never 0; 0 without memory */
u32 names__id(struct names *n, const char *s, size_t len);
const char *names__str(const struct names *n, u32 id);
/** @return the pool's own copy; "?" without memory */
const char *names__intern(struct names *n, const char *s);
/** Memory it takes. */
size_t names__bytes(const struct names *n);

#endif
