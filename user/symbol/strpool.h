/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file strpool.h - a pool of strings, each kept once; pointers stay valid until the pool is freed.
 */
#ifndef TAMIS_SYMBOL_STRPOOL_H
#define TAMIS_SYMBOL_STRPOOL_H

#include "../base/types.h"

#define NAME_MAX_LEN 16384	/**< longer ones are cut */

struct strpool;

/** @return NULL without memory */
struct strpool *strpool__new(void);
void strpool__free(struct strpool *n);
/** @return the id of the string, never 0; 0 without memory */
u32 strpool__id(struct strpool *n, const char *s, size_t len);
const char *strpool__str(const struct strpool *n, u32 id);
/** @return the pool's own copy; "?" without memory */
const char *strpool__intern(struct strpool *n, const char *s);
/** Memory it takes. */
size_t strpool__bytes(const struct strpool *n);

#endif
