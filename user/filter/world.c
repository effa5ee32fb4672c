// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "../base/guard.h"
#include "world.h"

/* The end is the nearest higher address of any symbol, as the kernel's own lookup has it. */
static int scan_kallsyms(FILE *f, const char *name, u64 *start, u64 *end)
{
	char line[1024], type, symbol[512];
	unsigned long long addr;
	bool found = false;

	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%llx %c %511s", &addr, &type, symbol) == 3 &&
			strchr("tTwW", type) && !strcmp(symbol, name);
	if (!found)
		return -ENOENT;
	if (!addr)
		return -EPERM;
	*start = addr;
	*end = UINT64_MAX;
	rewind(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx", &addr) == 1 && addr > *start && addr < *end)
			*end = addr;
	return 0;
}

int world__function(const struct expr_world *w, const char *name, u64 *start, u64 *end)
{
	_cleanup_fclose_ FILE *f = NULL;

	if (w && w->function)
		return w->function(w->ctx, name, start, end);
	f = fopen("/proc/kallsyms", "re");
	return f ? scan_kallsyms(f, name, start, end) : -errno;
}

static int id_below(const char *mount, const char *path, u64 *id)
{
	struct {
		struct file_handle h;
		char bytes[MAX_HANDLE_SZ];
	} handle = {.h.handle_bytes = sizeof(u64)};
	char full[4200];
	int mount_id;

	snprintf(full, sizeof(full), "%s/%s", mount, path);
	if (name_to_handle_at(AT_FDCWD, full, &handle.h, &mount_id, 0))
		return -errno;
	memcpy(id, handle.h.f_handle, sizeof(*id));
	return 0;
}

int world__cgroup(const struct expr_world *w, const char *path, u64 *id)
{
	struct stat st;

	if (w && w->cgroup)
		return w->cgroup(w->ctx, path, id);
	/* a hybrid machine mounts the version that BPF helpers speak of below /unified */
	if (!stat("/sys/fs/cgroup/cgroup.procs", &st))
		return id_below("/sys/fs/cgroup", path, id);
	return id_below("/sys/fs/cgroup/unified", path, id);
}

int world__container(const struct expr_world *w, const char *name, u64 *ids, int max)
{
	return w && w->container ? w->container(w->ctx, name, ids, max) : -EOPNOTSUPP;
}
