// SPDX-License-Identifier: GPL-2.0-only
/* container.c - what --container names. */
#include <errno.h>
#include "parts.h"

int container__resolve(const char *text, struct scope_cgroup *cg UNUSED, struct err *err)
{
	return err__set(err, EOPNOTSUPP, "--container %s: not built yet", text);
}
