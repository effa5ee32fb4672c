// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "suggest.h"

#define NAME_SEEN 96 /* bytes of a name that are compared */

static int min3(int a, int b, int c)
{
	int ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn @a into @b. */
static int distance(const char *a, const char *b)
{
	int rows[3][NAME_SEEN + 1], *was = rows[0], *above = rows[1], *row = rows[2], *spare;
	int n = strnlen(a, NAME_SEEN), m = strnlen(b, NAME_SEEN), i, j;

	for (j = 0; j <= m; j++)
		above[j] = j;
	for (i = 1; i <= n; i++) {
		row[0] = i;
		for (j = 1; j <= m; j++) {
			row[j] = min3(above[j] + 1, row[j - 1] + 1,
				      above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    was[j - 2] + 1 < row[j])
				row[j] = was[j - 2] + 1;
		}
		spare = was;
		was = above;
		above = row;
		row = spare;
	}
	return above[m];
}

static int common_prefix(const char *a, const char *b)
{
	int n = 0;

	while (n < 31 && a[n] && a[n] == b[n])
		n++;
	return n;
}

/*
 * Lower is nearer, -1: not near. A name that holds what was wanted is near however long it is;
 * among equals the longer common beginning wins.
 */
static int rank(const char *wanted, const char *name)
{
	size_t n = strlen(wanted), m = strlen(name);
	int limit = n > 8 ? n / 4 : 2, d;

	if (n >= 3 && strstr(name, wanted))
		return 2 * 32 - common_prefix(wanted, name);
	if (m > n + limit || n > m + limit)
		return -1;
	d = distance(wanted, name);
	return d <= limit ? (d + 1) * 32 - common_prefix(wanted, name) : -1;
}

int suggest__nearest(const char *wanted, const char *const *names, size_t nr, const char **out,
		     int max)
{
	int ranks[16], n = 0, r, i;
	size_t k;

	if (max > (int)ARRAY_SIZE(ranks))
		max = ARRAY_SIZE(ranks);
	for (k = 0; k < nr; k++) {
		r = rank(wanted, names[k]);
		if (r < 0 || (n == max && r >= ranks[n - 1]))
			continue;
		for (i = n < max ? n++ : n - 1; i > 0 && ranks[i - 1] > r; i--) {
			ranks[i] = ranks[i - 1];
			out[i] = out[i - 1];
		}
		ranks[i] = r;
		out[i] = names[k];
	}
	return n;
}

int suggest__near(struct strbuf *out, const char *wanted, const char *const *names, size_t nr)
{
	const char *near[4];
	int i, n = suggest__nearest(wanted, names, nr, near, ARRAY_SIZE(near));

	for (i = 0; i < n; i++)
		strbuf__printf(out, "%s%s", i ? ", " : "; near: ", near[i]);
	return n;
}
