// SPDX-License-Identifier: GPL-2.0-only
/* features_system.c - rights, limits and settings of this process and this machine. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "../scope/cgroup_mounts.h"
#include "features.h"

static void add_kernel(struct features *f)
{
	struct utsname u;

	if (!uname(&u))
		features__add(f, "kernel", FEATURE_OK, NULL, "%s %s, %ld of %ld CPUs online",
			      u.release, u.machine, sysconf(_SC_NPROCESSORS_ONLN),
			      sysconf(_SC_NPROCESSORS_CONF));
}

static void add_capabilities(struct features *f)
{
	static const struct {
		int cap;
		const char *name;
		bool needed;
		const char *use;
	} wanted[] = {
		{39, "CAP_BPF", true, "BPF programs"},
		{38, "CAP_PERFMON", true, "events of other processes and of the kernel"},
		{CAP_SYSLOG, "CAP_SYSLOG", false, "names of kernel functions"},
		{CAP_SYS_PTRACE, "CAP_SYS_PTRACE", false, "symbols of others' processes"},
		{CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", false, "files of others, tracefs"},
		{CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE", false, "limits higher than those set"},
	};
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};
	struct strbuf missing = {0};
	bool needed = false, admin;
	size_t i;

	if (syscall(SYS_capget, &head, data))
		return;
	admin = data[0].effective & (1u << CAP_SYS_ADMIN);
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		/* what CAP_SYS_ADMIN could do before the two were split off, it still can */
		if ((data[wanted[i].cap / 32].effective & (1u << (wanted[i].cap % 32))) ||
		    (admin && wanted[i].cap != CAP_SYS_RESOURCE &&
		     wanted[i].cap != CAP_SYS_PTRACE && wanted[i].cap != CAP_DAC_READ_SEARCH))
			continue;
		strbuf__printf(&missing, "%s%s for %s", missing.len ? ", " : "", wanted[i].name,
			       wanted[i].use);
		needed |= wanted[i].needed;
	}
	if (missing.len)
		features__add(f, "capabilities", needed ? FEATURE_MISSING : FEATURE_PART,
			      "run as root, setcap what is missing to the program, or setpriv "
			      "--inh-caps and --ambient-caps",
			      "missing: %s", missing.s);
	else
		features__add(f, "capabilities", FEATURE_OK, NULL, "all that are of use are there");
	strbuf__free(&missing);
}

static void add_lockdown(struct features *f)
{
	_cleanup_fclose_ FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";

	if (!file || !fgets(line, sizeof(line), file)) {
		features__add(f, "lockdown", FEATURE_OK, NULL, "%s",
			      access("/sys/kernel/security", R_OK) || file
				      ? "cannot be read"
				      : "not told: no lockdown in this kernel, or securityfs is "
					"not mounted");
		return;
	}
	line[strcspn(line, "\n")] = 0;
	features__add(f, "lockdown",
		      strstr(line, "[none]")		  ? FEATURE_OK
		      : strstr(line, "[confidentiality]") ? FEATURE_MISSING
							  : FEATURE_PART,
		      strstr(line, "[none]") ? NULL
					     : "boot without lockdown= (secure boot sets it): it "
					       "forbids kprobes and, for "
					       "confidentiality, reading kernel memory",
		      "%s", line);
}

static void add_symbols(struct features *f)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/kallsyms", "re");
	u64 at = 0;

	if (file && fscanf(file, "%" SCNx64, &at) == 1 && at)
		features__add(f, "kernel symbols", FEATURE_OK, NULL,
			      "/proc/kallsyms shows addresses");
	else
		features__add(
			f, "kernel symbols", FEATURE_PART,
			"CAP_SYSLOG, or sysctl kernel.kptr_restrict=0; stacks show addresses else",
			"%s", file ? "/proc/kallsyms hides addresses" : strerror(errno));
}

static void add_limit(struct features *f, const char *name, int what, rlim_t enough,
		      const char *todo)
{
	struct rlimit lim;

	if (getrlimit(what, &lim))
		return;
	if (lim.rlim_max == RLIM_INFINITY || lim.rlim_max >= enough)
		features__add(f, name, FEATURE_OK, NULL, "can be raised to %s",
			      lim.rlim_max == RLIM_INFINITY ? "any value" : "enough");
	else
		features__add(f, name, FEATURE_PART, todo, "at most %llu",
			      (unsigned long long)lim.rlim_max);
}

void features__system(struct features *f)
{
	add_kernel(f);
	add_capabilities(f);
	add_lockdown(f);
	add_symbols(f);
	add_limit(f, "open files", RLIMIT_NOFILE, 4096,
		  "ulimit -n 4096: each event takes a few descriptors, 'syscalls:*' about 2000");
	add_limit(f, "locked memory", RLIMIT_MEMLOCK, 64u << 20,
		  "ulimit -l unlimited: kernels before 5.11 charge BPF maps to it");
}

void features__cgroups(struct features *f)
{
	struct cgroup_mounts mounts;
	const struct cgroup_mount *v2;
	size_t i, v1 = 0;

	if (cgroup_mounts__read(&mounts, NULL))
		return;
	for (i = 0; i < mounts.n; i++)
		v1 += !mounts.v[i].v2;
	v2 = cgroup_mounts__v2(&mounts);
	if (v2)
		features__add(f, "cgroups", FEATURE_OK, NULL, "cgroup2 at %s%s", v2->dir,
			      v1 ? ", v1 controllers beside it (hybrid)" : "");
	else
		features__add(f, "cgroups", v1 ? FEATURE_PART : FEATURE_MISSING,
			      "mount -t cgroup2 none DIR: _cgroup and --cgroup by name need it",
			      "%zu v1 hierarchies, no cgroup2", v1);
	cgroup_mounts__free(&mounts);
}
