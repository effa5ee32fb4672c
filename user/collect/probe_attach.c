// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../event/probe.h"
#include "privilege.h"
#include "probe_attach.h"

#define PMU_DIR		"/sys/bus/event_source/devices/"
#define SEMAPHORE_SHIFT 32 /* where config has the semaphore: format/ref_ctr_offset */

/* @return a number of a file in sysfs; -1: not there */
static int read_number(const char *path, const char *scan)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	int n;

	return f && fscanf(f, scan, &n) == 1 ? n : -1;
}

static bool is_return(const struct event *e)
{
	return e->kind == SPEC_URETPROBE || e->kind == SPEC_KRETPROBE;
}

static bool in_file(const struct event *e)
{
	return e->format->probe->file;
}

static int no_pmu(const struct event *e, struct err *err)
{
	if (in_file(e))
		return err__set(err, EOPNOTSUPP,
				"%s: this kernel has no uprobes (CONFIG_UPROBE_EVENTS)", e->label);
	return err__set(err, EOPNOTSUPP,
			"%s: this kernel has no kprobes (CONFIG_KPROBE_EVENTS); try fentry: or a "
			"tracepoint",
			e->label);
}

static int fill_attr(struct perf_event_attr *attr, const struct event *e,
		     const struct probe_place *place, struct err *err)
{
	const struct probe *p = e->format->probe;
	int type = read_number(in_file(e) ? PMU_DIR "uprobe/type" : PMU_DIR "kprobe/type", "%d");
	int bit = read_number(in_file(e) ? PMU_DIR "uprobe/format/retprobe"
					 : PMU_DIR "kprobe/format/retprobe",
			      "config:%d");

	if (type < 0)
		return no_pmu(e, err);
	*attr = (struct perf_event_attr){
		.type = type,
		.size = sizeof(*attr),
		.disabled = 1,
		.config1 = (uintptr_t)(in_file(e) ? p->file : p->function),
		.config2 = in_file(e) ? place->offset : p->offset,
	};
	if (is_return(e))
		attr->config |= 1ull << (bit < 0 ? 0 : bit);
	if (in_file(e) && place->semaphore) {
		if (access(PMU_DIR "uprobe/format/ref_ctr_offset", F_OK))
			return err__set(err, EOPNOTSUPP,
					"%s: its semaphore needs a kernel of 4.20 or later",
					e->label);
		attr->config |= place->semaphore << SEMAPHORE_SHIFT;
	}
	return 0;
}

static int refused(const struct event *e, int code, struct err *err)
{
	const struct probe *p = e->format->probe;
	char what[512];

	if (code == ENOENT && !in_file(e))
		return err__set(err, code, "%s: the kernel has no function %s", e->label,
				p->function);
	if (code == EADDRINUSE || code == EINVAL || code == EILSEQ)
		return err__set(err, code,
				"%s: the kernel does not let this place be probed (%s): it is no "
				"start of an instruction, or is not traceable",
				e->label, strerror(code));
	snprintf(what, sizeof(what), "cannot attach to %s", e->label);
	return privilege__explain(err, code, what);
}

/* CPU 0 may be offline; any one serves, for the program runs wherever the place is hit. */
static int open_perf(struct perf_event_attr *attr)
{
	int cpu, fd = -1;

	for (cpu = 0; cpu < 64 && fd < 0; cpu++) {
		fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 && errno != ENODEV)
			break;
	}
	return fd < 0 ? -errno : fd;
}

static int attach_place(struct attachment *a, const struct event *e,
			const struct probe_place *place, int prog, struct err *err)
{
	struct perf_event_attr attr;
	_cleanup_close_ int perf = -1;
	int ret = fill_attr(&attr, e, place, err);

	if (ret)
		return ret;
	perf = open_perf(&attr);
	if (perf < 0)
		return refused(e, -perf, err);
	a->link = bpf_link_create(prog, perf, BPF_PERF_EVENT, NULL);
	if (a->link >= 0)
		return 0;
	/* links of perf events came with 5.15 */
	if (ioctl(perf, PERF_EVENT_IOC_SET_BPF, prog))
		return refused(e, errno, err);
	a->perf = steal_fd(&perf);
	return 0;
}

static bool by_trampoline(const struct event *e)
{
	return e->kind == SPEC_FENTRY || e->kind == SPEC_FEXIT;
}

enum bpf_prog_type probe_attach__type(const struct event *e, int *attach_type)
{
	*attach_type = e->kind == SPEC_FENTRY  ? BPF_TRACE_FENTRY
		       : e->kind == SPEC_FEXIT ? BPF_TRACE_FEXIT
					       : 0;
	return by_trampoline(e) ? BPF_PROG_TYPE_TRACING : BPF_PROG_TYPE_KPROBE;
}

static size_t nr_places(const struct event *e)
{
	return in_file(e) ? e->format->probe->nr_places : 1;
}

int probe_attach__all(struct probe_links *l, const struct event *e, int prog, struct err *err)
{
	const struct probe *p = e->format->probe;
	size_t i, n = nr_places(e);
	int ret = 0;

	l->v = calloc(n, sizeof(*l->v));
	if (!l->v)
		return err__set(err, ENOMEM, "out of memory");
	for (i = 0; i < n && !ret; i++, l->n++) {
		l->v[i] = (struct attachment)ATTACHMENT_NONE;
		if (by_trampoline(e))
			ret = attach__raw(&l->v[i], prog, NULL, e->label, err);
		else
			ret = attach_place(&l->v[i], e, in_file(e) ? &p->places[i] : NULL, prog,
					   err);
	}
	if (ret)
		probe_attach__free(l);
	return ret;
}

void probe_attach__free(struct probe_links *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		attach__detach(&l->v[i]);
	free(l->v);
	*l = (struct probe_links){0};
}
