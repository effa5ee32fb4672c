/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file array.h - growing arrays: `array__push(a, n, room, value)` on three plain variables.
 */
#ifndef TAMIS_BASE_ARRAY_H
#define TAMIS_BASE_ARRAY_H

#include <errno.h>
#include "types.h"

/** Makes room for one more element of @elem bytes behind @n. @return 0 or -ENOMEM */
int array__reserve(void **a, size_t n, size_t *room, size_t elem);

/** Appends @value to @a. @room is a size_t. @return 0 or -ENOMEM */
#define array__push(a, n, room, value)                                                             \
	(array__reserve((void **)&(a), (n), &(room), sizeof(*(a))) ? -ENOMEM                       \
								   : ((a)[(n)++] = (value), 0))

#endif
