// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "../event/catalog.h"
#include "attach.h"
#include "bpf/follow.h"
#include "bpf/follow.skel.h"
#include "follow.h"
#include "kernel.h"
#include "parts.h"

#define ENTRIES_MIN 1024u
#define ENTRIES_MAX 65536u
#define SWEEP_AFTER 64 /* skipped frees */

struct follow {
	struct follow_bpf *skel;
	struct bpf_link *on_fork, *on_exit, *on_free;
	u64 swept; /* frees that had been skipped by the last sweep */
	bool host_ids; /* the kernel's numbers are those of our /proc */
};

/* More tasks than there are numbers cannot be. */
static u32 entries(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/pid_max", "re");
	u32 max = ENTRIES_MAX;

	if (f && fscanf(f, "%u", &max) != 1)
		max = ENTRIES_MAX;
	return max < ENTRIES_MIN ? ENTRIES_MIN : max > ENTRIES_MAX ? ENTRIES_MAX : max;
}

static int field_offset(struct catalog *catalog, const char *name, const char *field, u32 *at,
			u32 *id, struct err *err)
{
	struct event_format *format = NULL;
	const struct field *f = NULL;
	int r = catalog__format(catalog, "sched", name, &format, err);

	if (!r) {
		f = event_format__field(format, field);
		*id = format->id;
	}
	if (f)
		*at = f->offset;
	event_format__put(format);
	return f ? 0
		 : err__set(err, r ? -r : ENOENT,
			    "children cannot be followed: this kernel has no "
			    "%s in sched:%s",
			    field, name);
}

static int set_seeds(struct follow_bpf *skel, const struct scope_kernel *k, struct err *err)
{
	size_t i;

	if (k->nr_namespaces > FOLLOW_NAMESPACES)
		return err__set(err, E2BIG,
				"children cannot be followed: the processes are of %zu pid "
				"namespaces, more than %d",
				k->nr_namespaces, FOLLOW_NAMESPACES);
	skel->rodata->by_thread = k->by_thread;
	skel->rodata->nr_namespaces = (u32)k->nr_namespaces;
	for (i = 0; i < k->nr_namespaces; i++) {
		skel->rodata->ns_dev[i] = k->namespaces[i].dev;
		skel->rodata->ns_ino[i] = k->namespaces[i].ino;
	}
	bpf_map__set_max_entries(skel->maps.seeds, (u32)k->nr_seeds);
	bpf_map__set_max_entries(skel->maps.tasks, entries());
	return 0;
}

/* Numbers of the kernel's own go into the set itself, so that their end is seen there. */
static int insert_seeds(struct follow_bpf *skel, const struct scope_kernel *k, struct err *err)
{
	struct followed value = {.followed = 1};
	u32 one = 1;
	size_t i;
	int r = 0;

	for (i = 0; !r && i < k->nr_seeds; i++) {
		const struct scope_seed *seed = &k->seeds[i];
		u64 key = seed__key(k, seed->ns, seed->key);

		r = k->nr_namespaces ? bpf_map_update_elem(bpf_map__fd(skel->maps.seeds), &key,
							   &one, BPF_ANY)
				     : bpf_map_update_elem(bpf_map__fd(skel->maps.tasks),
							   &seed->key, &value, BPF_ANY);
	}
	return r ? err__set(err, -r, "children cannot be followed: %s", strerror(-r)) : 0;
}

struct ids {
	u32 on_fork, on_exit, on_free;
};

/* What the records of this kernel look like. */
static int find_fields(struct follow_bpf *skel, struct catalog *catalog, struct ids *ids,
		       struct err *err)
{
	u32 unused;
	int r = field_offset(catalog, "sched_process_fork", "child_pid",
			     (u32 *)&skel->rodata->child_pid_at, &ids->on_fork, err);

	if (!r)
		r = field_offset(catalog, "sched_process_exit", "pid", &unused, &ids->on_exit, err);
	return r ? r
		 : field_offset(catalog, "sched_process_free", "pid",
				(u32 *)&skel->rodata->freed_pid_at, &ids->on_free, err);
}

/* Ends are seen before beginnings are, so that no task stays in the set for ever. */
static int attach_all(struct follow *f, const struct ids *ids, struct err *err)
{
	static const char what[] = "children cannot be followed";
	struct follow_bpf *skel = f->skel;
	int r = attach_tracepoint(skel->progs.on_free, ids->on_free, what, &f->on_free, err);

	if (!r)
		r = attach_tracepoint(skel->progs.on_exit, ids->on_exit, what, &f->on_exit, err);
	return r ? r : attach_tracepoint(skel->progs.on_fork, ids->on_fork, what, &f->on_fork, err);
}

static int start(struct follow *f, const struct scope_kernel *k, struct catalog *catalog,
		 struct err *err)
{
	struct ids ids = {0};
	int r = find_fields(f->skel, catalog, &ids, err);

	if (!r)
		r = set_seeds(f->skel, k, err);
	if (r)
		return r;
	r = follow_bpf__load(f->skel);
	if (r)
		return err__set(
			err, -r,
			"children cannot be followed: the kernel does not load the program: %s%s",
			strerror(-r), r == -EPERM ? "; it needs CAP_BPF and CAP_PERFMON" : "");
	r = insert_seeds(f->skel, k, err);
	return r ? r : attach_all(f, &ids, err);
}

int follow__start(struct follow **ret, const struct scope_kernel *k, struct catalog *catalog,
		  struct err *err)
{
	struct follow *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return err__set(err, ENOMEM, "scope: out of memory");
	f->host_ids = !k->nr_namespaces;
	f->skel = follow_bpf__open();
	r = f->skel ? start(f, k, catalog, err)
		    : err__set(err, errno, "follow.bpf.o: %s", strerror(errno));
	if (r)
		follow__free(f);
	else
		*ret = f;
	return r;
}

void follow__stop(struct follow *f)
{
	bpf_link__destroy(f->on_fork);
	bpf_link__destroy(f->on_exit);
	bpf_link__destroy(f->on_free);
	f->on_fork = f->on_exit = f->on_free = NULL;
}

void follow__free(struct follow *f)
{
	if (!f)
		return;
	follow__stop(f);
	follow_bpf__destroy(f->skel);
	free(f);
}

int follow__set_fd(const struct follow *f)
{
	return bpf_map__fd(f->skel->maps.tasks);
}

static u64 missed_runs(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {0};
	u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size))
		return 0;
	return info.recursion_misses;
}

/* A task that exited and that /proc does not have any more. */
static bool is_left_behind(int fd, u32 key)
{
	struct followed value;
	struct task_stat st;

	return !bpf_map_lookup_elem(fd, &key, &value) && value.exited && !task_stat__read(key, &st);
}

/*
 * The kernel skips a classic program that interrupts another one, and frees come in interrupts: a
 * tenth of them was seen to be skipped. Each look is one bpf(2) call, and those make the kernel
 * skip programs, too, so it is done seldom.
 */
void follow__sweep(struct follow *f)
{
	u64 missed = f->host_ids ? missed_runs(f->skel->progs.on_free) : 0;
	int fd = follow__set_fd(f);
	u32 key, next;
	int r;

	if (missed < f->swept + SWEEP_AFTER)
		return;
	f->swept = missed;
	for (r = bpf_map_get_next_key(fd, NULL, &next); !r;) {
		key = next;
		r = bpf_map_get_next_key(fd, &key, &next);
		/* asked twice: a number that is used again in between is alive */
		if (is_left_behind(fd, key) && is_left_behind(fd, key))
			bpf_map_delete_elem(fd, &key);
	}
}

void follow__lost(const struct follow *f, u64 *full, u64 *missed)
{
	*full = f->skel->bss->full;
	*missed = missed_runs(f->skel->progs.on_fork);
}

bool follow__alive(const struct follow *f)
{
	u32 key, *at = NULL;
	struct followed value;
	struct task_stat st;
	int fd = follow__set_fd(f);

	for (; !bpf_map_get_next_key(fd, at, &key); at = &key) {
		if (bpf_map_lookup_elem(fd, &key, &value) || !value.followed)
			continue;
		/* in another pid namespace the numbers say nothing to us */
		if (!f->host_ids || (task_stat__read(key, &st) && !st.dead))
			return true;
	}
	return false;
}
