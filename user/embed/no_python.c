// SPDX-License-Identifier: GPL-2.0-only
/* no_python.c - script.h for a tamis that is built without Python: every call says so. */
#include <errno.h>
#include "script.h"

static int none(struct err *err)
{
	return err__set(err, EOPNOTSUPP,
			"this tamis was built without Python (make PYTHON=): no scripts");
}

bool script__available(void)
{
	return false;
}

void script__interrupt(void)
{
}

int script__load(struct script **ret, const struct script_opts *opts, struct err *err)
{
	*ret = NULL;
	return none(err);
}

int script__init(struct script *s, struct session *session, struct err *err)
{
	return none(err);
}

const struct session_sink *script__sink(struct script *s)
{
	return NULL;
}

bool script__stopped(const struct script *s)
{
	return true;
}

int script__interval(struct script *s)
{
	return SCRIPT_STOP;
}

int script__print_stat(struct script *s, int indent)
{
	return SCRIPT_STOP;
}

void script__exit(struct script *s)
{
}

void script__counts(const struct script *s, u64 *live_events, u64 *undelivered)
{
	*live_events = *undelivered = 0;
}

int script__status(const struct script *s)
{
	return -1;
}

int script__free(struct script *s, struct err *err)
{
	return 0;
}

int script__help(const struct script_opts *opts, struct session *session, struct strbuf *out,
		 struct err *err)
{
	return none(err);
}

void script__describe(struct strbuf *out)
{
	strbuf__puts(out, "Python: not built in\n");
}
