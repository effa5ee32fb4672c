// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include "array.h"

int array__reserve(void **a, size_t n, size_t *room, size_t elem)
{
	size_t want = *room ? *room * 2 : 8;
	void *p;

	if (n < *room)
		return 0;
	p = reallocarray(*a, want, elem);
	if (!p)
		return -ENOMEM;
	*a = p;
	*room = want;
	return 0;
}
