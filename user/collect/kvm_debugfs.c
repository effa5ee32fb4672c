// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/log.h"
#include "kvm_debugfs.h"

#define USUAL_DIR "/sys/kernel/debug/kvm"

/* What a file of a machine said when it was first read. */
struct baseline {
	char *key; /* "PID-FD/file" */
	u64 value;
};

struct kvm_debugfs {
	int fd; /* KVM's directory */
	bool past;
	bool first; /* machines that are there already are being read */
	struct log *log;
	struct baseline *v; /* sorted by key */
	size_t n, room;
	size_t unreadable; /* files of the last read */
	int why;
};

static int open_detached(void)
{
	_cleanup_close_ int fs = fsopen("debugfs", FSOPEN_CLOEXEC);
	_cleanup_close_ int mnt = -1;
	int fd;

	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -errno;
	mnt = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (mnt < 0)
		return -errno;
	fd = openat(mnt, "kvm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_dir(const char *dir, struct err *err)
{
	int fd = open(dir ? dir : USUAL_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC), cause;

	if (fd >= 0)
		return fd;
	if (dir || errno == EACCES)
		return err__set(err, errno, "%s: %s", dir ? dir : USUAL_DIR, strerror(errno));
	fd = open_detached();
	if (fd >= 0)
		return fd;
	cause = -fd;
	if (cause == ENOENT)
		return err__set(err, cause, "debugfs has no directory kvm: is kvm loaded?");
	return err__set(err, cause,
			"debugfs is not mounted, and mounting it for this process alone "
			"failed (%s); as root: mount -t debugfs debugfs /sys/kernel/debug",
			strerror(cause));
}

int kvm_debugfs__open(struct kvm_debugfs **ret, const char *dir, bool past, struct log *log,
		      struct err *err)
{
	struct kvm_debugfs *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return err__set(err, ENOMEM, "out of memory");
	*k = (struct kvm_debugfs){
		.fd = open_dir(dir, err), .past = past, .first = true, .log = log};
	if (k->fd < 0) {
		free(k);
		return -err->code;
	}
	/* What is there now is where the machines that are there now begin. */
	r = past ? 0 : kvm_debugfs__read(k, NULL, err);
	k->first = false;
	if (r)
		kvm_debugfs__close(k);
	else
		*ret = k;
	return r;
}

void kvm_debugfs__close(struct kvm_debugfs *k)
{
	size_t i;

	if (!k)
		return;
	for (i = 0; i < k->n; i++)
		free(k->v[i].key);
	free(k->v);
	close(k->fd);
	free(k);
}

/* Times and histograms are no counts of events. */
static bool is_counter(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && strncmp(name, "vcpu", 4) &&
	       !(n > 3 && !strcmp(name + n - 3, "_ns")) && !strstr(name, "_hist") &&
	       strcmp(name, "halt_poll_invalid") && strcmp(name, "nx_lpage_splits") &&
	       strncmp(name, "max_", 4) && strncmp(name, "pages_", 6);
}

/* "PID-FD" @return the pid; 0: another directory */
static u32 machine_of(const char *name)
{
	char *end;
	unsigned long pid = isdigit((unsigned char)*name) ? strtoul(name, &end, 10) : 0;

	if (!pid || *end != '-' || !isdigit((unsigned char)end[1]))
		return 0;
	return pid;
}

/* @return false: it cannot be read, or is no number */
static bool read_number(struct kvm_debugfs *k, int dir, const char *name, u64 *value)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char text[64], *end;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0 && errno != ENOENT && errno != EISDIR) {
		k->unreadable++;
		k->why = errno;
	}
	if (n <= 0)
		return false;
	text[n] = 0;
	*value = strtoull(text, &end, 10);
	return end > text && (!*end || *end == '\n');
}

static struct baseline *baseline(struct kvm_debugfs *k, const char *key, u64 value)
{
	size_t lo = 0, hi = k->n, mid;
	struct baseline b = {NULL, value};
	int d;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		d = strcmp(k->v[mid].key, key);
		if (!d)
			return &k->v[mid];
		if (d < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	b.key = strdup(key);
	if (!b.key || array__push(k->v, k->n, k->room, b)) {
		free(b.key);
		return NULL;
	}
	memmove(&k->v[lo + 1], &k->v[lo], (k->n - 1 - lo) * sizeof(b));
	k->v[lo] = b;
	return &k->v[lo];
}

static int read_file(struct kvm_debugfs *k, int dir, const char *machine, const char *name,
		     struct counts *c)
{
	char key[512];
	struct baseline *b;
	u64 value;

	if (!is_counter(name) || !read_number(k, dir, name, &value))
		return 0;
	snprintf(key, sizeof(key), "%s/%s", machine, name);
	/* A machine that was made since counts from 0. */
	b = baseline(k, key, k->first && !k->past ? value : 0);
	if (!b)
		return -ENOMEM;
	return c ? counts__set(c, name, NULL, machine_of(machine), value - b->value) : 0;
}

static DIR *open_list(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

static int read_machine(struct kvm_debugfs *k, const char *machine, struct counts *c)
{
	DIR *d = open_list(k->fd, machine);
	struct dirent *e;
	int ret = 0;

	while (d && !ret && (e = readdir(d)))
		ret = read_file(k, dirfd(d), machine, e->d_name, c);
	if (d)
		closedir(d);
	return ret;
}

int kvm_debugfs__read(void *ctx, struct counts *c, struct err *err)
{
	struct kvm_debugfs *k = ctx;
	DIR *d = open_list(k->fd, ".");
	struct dirent *e;
	int ret = 0;

	if (!d)
		return err__set(err, errno, "debugfs: kvm: %s", strerror(errno));
	k->unreadable = 0;
	while (!ret && (e = readdir(d)))
		if (machine_of(e->d_name))
			ret = read_machine(k, e->d_name, c);
	closedir(d);
	if (k->unreadable)
		log__once(k->log, LOG_NOTICE,
			  "files of KVM in debugfs cannot be read (%s%s) and are left out",
			  strerror(k->why), k->why == EPERM ? ": lockdown?" : "");
	return ret ? err__set(err, ENOMEM, "out of memory") : 0;
}

int kvm_debugfs__declare(struct kvm_debugfs *k, struct counts *c)
{
	DIR *d = open_list(k->fd, ".");
	struct dirent *e;
	struct stat st;
	int ret = 0;

	while (d && !ret && (e = readdir(d)))
		if (is_counter(e->d_name) &&
		    !fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			ret = counts__event(c, e->d_name);
	if (d)
		closedir(d);
	return ret;
}
