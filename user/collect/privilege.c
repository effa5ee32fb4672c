// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "privilege.h"

/* Newer than some linux/capability.h */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF	    39
#endif

static bool has_cap(int cap)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &head, data))
		return false;
	return data[cap / 32].effective & (1u << (cap % 32));
}

/* @return the number in a file of /proc/sys; -1: cannot be read */
static int read_number(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	int n;

	return f && fscanf(f, "%d", &n) == 1 ? n : -1;
}

static void add_capabilities(struct strbuf *b)
{
	int paranoid = read_number("/proc/sys/kernel/perf_event_paranoid");

	if (has_cap(CAP_SYS_ADMIN))
		return;
	if (!has_cap(CAP_BPF))
		strbuf__printf(b, "\nCAP_BPF is missing (unprivileged_bpf_disabled is %d)",
			       read_number("/proc/sys/kernel/unprivileged_bpf_disabled"));
	if (!has_cap(CAP_PERFMON))
		strbuf__printf(b, "\nCAP_PERFMON is missing (perf_event_paranoid is %d)", paranoid);
	else if (paranoid > 2) /* upstream has no such level */
		strbuf__printf(b,
			       "\nperf_event_paranoid is %d, with which this kernel wants "
			       "CAP_SYS_ADMIN",
			       paranoid);
}

static void add_lockdown(struct strbuf *b)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128];

	if (f && fgets(line, sizeof(line), f) && strstr(line, "[confidentiality]"))
		strbuf__puts(b, "\nthe kernel is locked down for confidentiality, which forbids "
				"BPF programs to read its memory");
}

static void add_limit(struct strbuf *b, int what, const char *name, const char *how)
{
	struct rlimit lim;

	if (getrlimit(what, &lim) || lim.rlim_cur == RLIM_INFINITY)
		return;
	strbuf__printf(b, "\n%s is %llu (%s)", name, (unsigned long long)lim.rlim_cur, how);
}

static void add_causes(struct strbuf *b, int code)
{
	if (code == EPERM || code == EACCES) {
		add_capabilities(b);
		add_lockdown(b);
	}
	/* before 5.11 BPF memory is locked memory, and too much of it is EPERM */
	if (code == ENOMEM || code == EAGAIN || (code == EPERM && !b->len)) {
		add_limit(b, RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK", "ulimit -l unlimited");
		add_limit(b, RLIMIT_AS, "RLIMIT_AS", "ulimit -v unlimited");
	}
	if (code == EMFILE)
		add_limit(b, RLIMIT_NOFILE, "RLIMIT_NOFILE", "ulimit -n, or fewer events");
}

int privilege__explain(struct err *err, int code, const char *what)
{
	struct strbuf b = {0};
	int ret;

	add_causes(&b, code);
	ret = err__set(err, code, "%s: %s%s", what, strerror(code), b.len ? b.s : "");
	strbuf__free(&b);
	return ret;
}

void privilege__add(struct err *err)
{
	struct strbuf b = {0};
	size_t n = strlen(err->text);

	add_causes(&b, err->code);
	if (b.len)
		snprintf(err->text + n, sizeof(err->text) - n, "%s", b.s);
	strbuf__free(&b);
}
