// SPDX-License-Identifier: GPL-2.0-only
/* session_names.c - names that go with records: of tasks and of addresses. */
#include "session_state.h"

const char *session__comm(struct session *s, u32 tid)
{
	(void)s;
	(void)tid;
	return NULL;
}
