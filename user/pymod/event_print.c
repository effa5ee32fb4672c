// SPDX-License-Identifier: GPL-2.0-only
/* event_print.c - one event as a line (and its call chain as more), as `tamis trace` prints it. */
#include "pymod.h"

int print__event(struct strbuf *out, struct pevent *e, bool timestamp, bool callchain)
{
	_cleanup_decref_ PyObject *text = pevent__str((PyObject *)e);
	const char *s = text ? PyUnicode_AsUTF8(text) : NULL;

	if (!s)
		return -1;
	strbuf__printf(out, "%s: %s\n", e->rec.event->label, s);
	return 0;
}
