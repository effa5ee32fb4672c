// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "../base/strbuf.h"
#include "symbolizer.h"

void frame__name(const struct frame *f, struct strbuf *out)
{
	const char *slash;

	if (f->symbol) {
		strbuf__puts(out, f->symbol);
		return;
	}
	if (!f->dso) {
		strbuf__printf(out, "0x%llx", (unsigned long long)f->addr);
		return;
	}
	slash = strrchr(f->dso, '/');
	strbuf__printf(out, "%s+0x%llx", slash && slash[1] ? slash + 1 : f->dso,
		       (unsigned long long)f->offset);
}

void frame__print(const struct frame *f, struct strbuf *out)
{
	frame__name(f, out);
	if (f->symbol)
		strbuf__printf(out, "+0x%llx", (unsigned long long)f->offset);
	if (f->dso)
		strbuf__printf(out, " (%s)", f->dso);
}
