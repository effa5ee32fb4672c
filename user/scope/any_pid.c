// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include "../base/guard.h"
#include "scope.h"

static u32 first_process(const char *dir)
{
	char path[4096];
	_cleanup_fclose_ FILE *f = NULL;
	unsigned int pid;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	f = fopen(path, "re");
	return f && fscanf(f, "%u", &pid) == 1 ? pid : 0;
}

u32 scope__any_pid(const struct scope *s)
{
	size_t i;
	u32 pid = 0;

	if (s->nr_tgids)
		return s->tgids[0];
	if (s->nr_tids)
		return s->tids[0];
	for (i = 0; i < s->nr_cgroups && !pid; i++)
		pid = first_process(s->cgroups[i].path);
	return pid;
}
