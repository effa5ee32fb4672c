// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "../base/guard.h"
#include "output_file.h"

int output_file__open(const char *path, bool again, struct err *err)
{
	_cleanup_close_ int fd = -1;

	if (!path)
		return 0;
	/* appended to when reopened: after a rotation the name may be the old file again */
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (again ? O_APPEND : O_TRUNC), 0666);
	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		return err__set(err, errno, "-o %s: %s", path, strerror(errno));
	return 0;
}

int output_file__write(const struct strbuf *b, struct err *err)
{
	size_t at = 0;
	ssize_t n;

	if (b->failed)
		return err__set(err, ENOMEM, "out of memory for a line of output");
	while (at < b->len) {
		n = write(STDOUT_FILENO, b->s + at, b->len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)
			return -EPIPE;
		if (n < 0)
			return err__set(err, errno, "cannot write to stdout: %s", strerror(errno));
		at += n;
	}
	return 0;
}
