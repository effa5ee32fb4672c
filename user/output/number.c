// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include "number.h"

static void scaled(struct strbuf *b, double v, double base, const char *const *units, int n)
{
	int i = 0;

	while (i + 1 < n && fabs(v) >= base - base / 2000) {
		v /= base;
		i++;
	}
	strbuf__printf(b, "%.3g%s", v, units[i]);
}

void number__time(struct strbuf *b, double ns)
{
	static const char *const units[] = {" ns", " us", " ms", " s"};

	if (fabs(ns) >= 1e12)
		strbuf__printf(b, "%.0f s", ns / 1e9);
	else
		scaled(b, ns, 1000, units, 4);
}

void number__short(struct strbuf *b, double v)
{
	static const char *const units[] = {"", "K", "M", "G", "T", "P", "E"};

	if (fabs(v) < 100000 && v == trunc(v))
		strbuf__printf(b, "%.0f", v);
	else
		scaled(b, v, 1000, units, 7);
}
