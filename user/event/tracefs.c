// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include "../base/guard.h"
#include "../base/log.h"
#include "tracefs.h"

#define MOUNT_IT "mount -t tracefs nodev /sys/kernel/tracing"

/* A directory is tracefs if it has events; copies of one serve as well. */
static int open_dir(const char *path)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int events = -1;

	if (fd < 0)
		return -errno;
	events = openat(fd, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (events < 0)
		return -errno;
	return steal_fd(&fd);
}

static int open_named(const char *path, const char *named_by, struct err *err)
{
	int fd = open_dir(path);

	if (fd == -ENOENT || fd == -ENOTDIR)
		return err__usage(err, "%s %s is not a tracefs: it has no directory events",
				  named_by, path);
	if (fd < 0)
		return err__set(err, -fd, "%s %s: %s", named_by, path, strerror(-fd));
	return fd;
}

static int open_detached(void)
{
	_cleanup_close_ int fs = fsopen("tracefs", FSOPEN_CLOEXEC);
	int fd;

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -errno;
	fd = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

static int refuse(const char *denied, int cause, struct err *err)
{
	if (denied)
		return err__set(
			err, EACCES,
			"%s may not be read by this user; run as root, give it "
			"CAP_DAC_READ_SEARCH, or as root: mount -o remount,mode=755 %s",
			denied, denied);
	if (cause == ENODEV)
		return err__set(err, ENODEV, "this kernel has no tracefs (CONFIG_TRACING)");
	return err__set(
		err, cause,
		"tracefs is not mounted, and mounting it for this process alone failed (%s); as "
		"root: " MOUNT_IT,
		strerror(cause));
}

int tracefs__open(const char *dir, struct log *log, struct err *err)
{
	static const char *const usual[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	const char *env = getenv("TAMIS_TRACEFS"), *denied = NULL;
	size_t i;
	int fd;

	if (dir)
		return open_named(dir, "--tracefs", err);
	if (env && *env)
		return open_named(env, "TAMIS_TRACEFS", err);
	for (i = 0; i < ARRAY_SIZE(usual); i++) {
		fd = open_dir(usual[i]);
		if (fd >= 0)
			return fd;
		if (fd == -EACCES && !denied)
			denied = usual[i];
	}
	fd = open_detached();
	if (fd < 0)
		return refuse(denied, -fd, err);
	log__say(log, LOG_DEBUG, "tracefs is not mounted; using a mount of this process alone");
	return fd;
}
