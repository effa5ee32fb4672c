// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "names.h"

int names__add(struct names *names, const char *name)
{
	char *copy = strdup(name);

	if (!copy || array__push(names->v, names->n, names->room, copy)) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void names__sort(struct names *names)
{
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), compare);
}

bool names__find(const struct names *names, const char *name)
{
	return names->n && bsearch(&name, names->v, names->n, sizeof(*names->v), compare);
}

void names__free(struct names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
	*names = (struct names){0};
}
