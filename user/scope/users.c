// SPDX-License-Identifier: GPL-2.0-only
/* users.c - user names and command names. */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "../base/log.h"
#include "../filter/glob.h"
#include "parts.h"

#define COMM_MAX 15 /* TASK_COMM_LEN without the NUL */

/*
 * bpf_get_current_uid_gid() tells the uid outside of all user namespaces. The map of a namespace
 * below the initial one leads there; the map of one further down leads to its parent only.
 */
static int outside(u32 uid, s64 *ret)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/uid_map", "re");
	u32 in, out, n;

	*ret = uid;
	if (!f)
		return 0;
	while (fscanf(f, "%" SCNu32 "%" SCNu32 "%" SCNu32, &in, &out, &n) == 3)
		if (uid >= in && uid - in < n) {
			*ret = (s64)out + (uid - in);
			return 0;
		}
	return -ENOENT;
}

int user__parse(const char *text, s64 *uid, struct err *err)
{
	struct passwd *pw;
	char *end;
	u64 n = strtoull(text, &end, 10);

	if (end == text || *end) {
		errno = 0;
		pw = getpwnam(text);
		if (!pw)
			return err__usage(err, "-u %s: unknown user", text);
		n = pw->pw_uid;
	}
	if (n >= UINT32_MAX)
		return err__usage(err, "-u %s: a uid is less than %u", text, UINT32_MAX);
	if (outside((u32)n, uid))
		return err__usage(err,
				  "-u %s: uid %" PRIu64 " does not exist in this user namespace",
				  text, n);
	return 0;
}

static int check_glob(const char *text, struct err *err)
{
	struct glob g;

	if (glob__compile(&g, text) < 0)
		return err__usage(err, "--comm %s: a pattern has at most %d elements", text,
				  GLOB_MAX);
	if (glob__min_length(text) > COMM_MAX)
		return err__usage(err,
				  "--comm %s: can never match, the kernel keeps %d bytes of a name",
				  text, COMM_MAX);
	return 0;
}

int comm__parse(const char *text, char **comm, bool *is_glob, struct log *log, struct err *err)
{
	size_t literal = strcspn(text, "*?[\\"), len = strlen(text);

	if (!len)
		return err__usage(err, "--comm: a name is missing");
	*comm = malloc(len + 1);
	if (!*comm)
		return err__set(err, ENOMEM, "--comm: out of memory");
	strcpy(*comm, text);
	*is_glob = literal < COMM_MAX && !glob__is_plain(text, *comm);
	if (*is_glob) {
		strcpy(*comm, text);
		return check_glob(text, err);
	}
	if (strlen(*comm) > COMM_MAX) {
		(*comm)[COMM_MAX] = 0;
		log__once(log, LOG_NOTICE,
			  "--comm %s: the kernel keeps %d bytes of a name; comparing with \"%s\"",
			  text, COMM_MAX, *comm);
	}
	return 0;
}
