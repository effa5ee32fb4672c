// SPDX-License-Identifier: GPL-2.0-only
/* kernel.c - the maps of a scope, and taking out of them what has gone. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../base/clock.h"
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/kernel_types.h"
#include "../base/log.h"
#include "../filter/glob.h"
#include "follow.h"
#include "kernel.h"
#include "parts.h"

#define CHECK_NS 100000000ull /* how often liveness is looked at */

u64 seed__key(const struct scope_kernel *k, u32 ns, u32 id)
{
	return id | (k->nr_namespaces ? k->namespaces[ns].ino << 32 : 0);
}

u64 cgroup__key(const struct scope_cgroup *cg)
{
	return cg->id ^ (u64)(cg->v1 + 1) << 56;
}

static size_t page_round(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

void scope_kernel__free(struct scope_kernel *k)
{
	if (!k)
		return;
	follow__free(k->follow);
	if (k->slots)
		munmap(k->slots, page_round(SLOTS_MAX * sizeof(u32)));
	guard_close(&k->slots_fd);
	guard_close(&k->seeds_fd);
	guard_close(&k->cgroups_fd);
	guard_close(&k->cpus_fd);
	guard_close(&k->glob_fd);
	free(k->namespaces);
	free(k->seeds);
	free(k);
}

static int map_failed(struct err *err, const char *what, int code)
{
	return err__set(err, code, "scope: the kernel's map of %s cannot be made: %s%s", what,
			strerror(code), code == EPERM ? "; it needs CAP_BPF" : "");
}

/* Ids in another namespace are those of that namespace. */
static int seed_namespace(struct scope_kernel *k, struct scope_seed *seed, struct err *err)
{
	struct scope_ns ns, *v;
	int r = pidns__of(seed->id, &ns.dev, &ns.ino, err);

	for (seed->ns = 0; !r && seed->ns < k->nr_namespaces; seed->ns++)
		if (k->namespaces[seed->ns].ino == ns.ino)
			break;
	if (r || seed->ns < k->nr_namespaces)
		return r;
	v = reallocarray(k->namespaces, k->nr_namespaces + 1, sizeof(*v));
	if (!v)
		return err__set(err, ENOMEM, "scope: out of memory");
	v[k->nr_namespaces++] = ns;
	k->namespaces = v;
	return 0;
}

static int add_seed(struct scope_kernel *k, const struct scope *s, u32 id, struct err *err)
{
	struct scope_seed *seed = &k->seeds[k->nr_seeds];
	struct task_stat st;
	int r = 0;

	*seed = (struct scope_seed){.id = id, .key = id};
	if (!task_stat__read(id, &st))
		return err__set(err, ESRCH, "%s %u: it has ended", k->by_thread ? "-t" : "-p", id);
	seed->start = st.start;
	if (s->own_ns_ino) {
		r = seed_namespace(k, seed, err);
		seed->key = task__inner_pid(id);
	}
	k->nr_seeds += !r;
	return r;
}

/* With both -p and -t the threads are what is left of the processes. */
static int add_seeds(struct scope_kernel *k, const struct scope *s, struct err *err)
{
	size_t n = s->nr_tids ? s->nr_tids : s->nr_tgids, i;
	const u32 *ids = s->nr_tids ? s->tids : s->tgids;
	int r = 0;

	if (!n && s->workload) {
		ids = &s->workload;
		n = 1;
	}
	k->by_thread = s->nr_tids > 0;
	k->seeds = calloc(n + 1, sizeof(*k->seeds));
	if (!k->seeds)
		return err__set(err, ENOMEM, "scope: out of memory");
	for (i = 0; !r && i < n; i++)
		r = add_seed(k, s, ids[i], err);
	return r;
}

static int make_slots(struct scope_kernel *k, struct err *err)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	size_t i;

	k->slots_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "tamis_slots", 4, SLOTS_MAX * sizeof(u32),
				     1, &opts);
	if (k->slots_fd < 0)
		return map_failed(err, "processes", errno);
	k->slots = mmap(NULL, page_round(SLOTS_MAX * sizeof(u32)), PROT_READ | PROT_WRITE,
			MAP_SHARED, k->slots_fd, 0);
	if (k->slots == MAP_FAILED) {
		k->slots = NULL;
		return map_failed(err, "processes", errno);
	}
	for (i = 0; i < SLOTS_MAX; i++)
		k->slots[i] = i < k->nr_seeds ? k->seeds[i].key : NO_PID;
	return 0;
}

static int make_seeds(struct scope_kernel *k, struct err *err)
{
	u32 one = 1;
	size_t i;

	k->seeds_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "tamis_pids", sizeof(u64), sizeof(u32),
				     (u32)k->nr_seeds, NULL);
	if (k->seeds_fd < 0)
		return map_failed(err, "processes", errno);
	for (i = 0; i < k->nr_seeds; i++) {
		u64 key = seed__key(k, k->seeds[i].ns, k->seeds[i].key);

		if (bpf_map_update_elem(k->seeds_fd, &key, &one, BPF_ANY))
			return map_failed(err, "processes", errno);
	}
	return 0;
}

static int make_cgroups(struct scope_kernel *k, const struct scope *s, struct err *err)
{
	u32 one = 1;
	size_t i;

	k->cgroups_fd = bpf_map_create(BPF_MAP_TYPE_HASH, "tamis_cgroups", sizeof(u64), sizeof(u32),
				       (u32)s->nr_cgroups, NULL);
	if (k->cgroups_fd < 0)
		return map_failed(err, "cgroups", errno);
	for (i = 0; i < s->nr_cgroups; i++) {
		u64 key = cgroup__key(&s->cgroups[i]);

		if (bpf_map_update_elem(k->cgroups_fd, &key, &one, BPF_ANY))
			return map_failed(err, "cgroups", errno);
	}
	return 0;
}

static int make_array(int *fd, const char *name, const void *value, size_t size, struct err *err)
{
	u32 zero = 0;

	*fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, 4, (u32)size, 1, NULL);
	if (*fd < 0 || bpf_map_update_elem(*fd, &zero, value, BPF_ANY))
		return map_failed(err, name, errno);
	return 0;
}

static bool has_v1(const struct scope *s)
{
	size_t i;

	for (i = 0; i < s->nr_cgroups; i++)
		if (s->cgroups[i].v1 >= 0)
			return true;
	return false;
}

/* What only the kernel's types tell, looked up once for all events. */
static int find_layouts(struct scope *s, struct err *err)
{
	_cleanup_(kernel_types__free) struct kernel_types types = {0};
	struct scope_kernel *k = s->kernel;

	if (s->pidns_ino && s->pidns_level >= 0)
		k->has_pidns_layout = pidns_layout__find(&k->pidns_layout, &types);
	return has_v1(s) ? cgroup_layout__find(&k->cgroup_layout, &types, err) : 0;
}

static int fill(struct scope *s, struct catalog *catalog, struct err *err)
{
	struct scope_kernel *k = s->kernel;
	int r = add_seeds(k, s, err);
	struct glob g;

	if (!r && k->nr_seeds)
		r = k->nr_seeds <= SLOTS_MAX ? make_slots(k, err) : make_seeds(k, err);
	if (!r && s->nr_cgroups > 1)
		r = make_cgroups(k, s, err);
	if (!r && s->cpus)
		r = make_array(&k->cpus_fd, "tamis_cpus", s->cpus, s->nr_cpus / 8, err);
	if (!r && s->comm_is_glob && glob__compile(&g, s->comm) >= 0)
		r = make_array(&k->glob_fd, "tamis_comm", &g, sizeof(g), err);
	if (!r)
		r = find_layouts(s, err);
	if (!r && k->nr_seeds && s->follow)
		r = follow__start(&k->follow, k, catalog, err);
	return r;
}

int scope__arm(struct scope *s, struct catalog *catalog, struct err *err)
{
	struct scope_kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return err__set(err, ENOMEM, "scope: out of memory");
	k->slots_fd = k->seeds_fd = k->cgroups_fd = k->cpus_fd = k->glob_fd = -1;
	scope_kernel__free(s->kernel);
	s->kernel = k;
	return fill(s, catalog, err);
}

void scope__disarm(struct scope *s)
{
	if (s->kernel && s->kernel->follow)
		follow__stop(s->kernel->follow);
}

void scope__tick(struct scope *s)
{
	if (s->kernel && s->kernel->follow)
		follow__sweep(s->kernel->follow);
}

void scope__lost(const struct scope *s, u64 *full, u64 *missed)
{
	*full = *missed = 0;
	if (s->kernel && s->kernel->follow)
		follow__lost(s->kernel->follow, full, missed);
}

static void take_out(struct scope_kernel *k, size_t i)
{
	u64 key = seed__key(k, k->seeds[i].ns, k->seeds[i].key);

	if (k->slots)
		k->slots[i] = NO_PID;
	else if (k->seeds_fd >= 0)
		bpf_map_delete_elem(k->seeds_fd, &key);
}

static bool tasks_alive(struct scope *s, struct log *log)
{
	struct scope_kernel *k = s->kernel;
	bool alive = !k->nr_seeds;
	struct task_stat st;
	size_t i;

	for (i = 0; i < k->nr_seeds; i++) {
		struct scope_seed *seed = &k->seeds[i];

		if (seed->gone)
			continue;
		if (task_stat__read(seed->id, &st) && !st.dead && st.start == seed->start) {
			alive = true;
			continue;
		}
		seed->gone = true;
		take_out(k, i);
		if (s->nr_tgids || s->nr_tids)
			log__say(log, LOG_NOTICE, "%s %u has ended",
				 k->by_thread ? "thread" : "process", seed->id);
	}
	return alive || (k->follow && follow__alive(k->follow));
}

static bool cgroups_alive(struct scope *s, struct log *log)
{
	bool alive = !s->nr_cgroups;
	size_t i;

	for (i = 0; i < s->nr_cgroups; i++) {
		u64 bit = i < 64 ? 1ull << i : 0;

		if (cgroup__alive(&s->cgroups[i])) {
			alive = true;
			continue;
		}
		if (!(s->kernel->gone_cgroups & bit))
			log__once(log, LOG_NOTICE, "cgroup %s has been removed",
				  s->cgroups[i].path);
		s->kernel->gone_cgroups |= bit;
	}
	return alive;
}

static bool pidns_alive(struct scope *s, struct log *log)
{
	if (!s->pidns_ino || pidns__alive(s->pidns_pid, s->pidns_ino))
		return true;
	log__once(log, LOG_NOTICE, "the pid namespace of process %u has ended", s->pidns_pid);
	return false;
}

/* Without BPF it is not known who follows, and a pid that is given anew at once is missed. */
static bool named_alive(const struct scope *s)
{
	struct task_stat st;
	size_t i;

	for (i = 0; i < s->nr_tgids; i++)
		if (task_stat__read(s->tgids[i], &st) && !st.dead)
			return true;
	for (i = 0; i < s->nr_tids; i++)
		if (task_stat__read(s->tids[i], &st) && !st.dead)
			return true;
	return s->follow || !(s->nr_tgids + s->nr_tids);
}

bool scope__alive(struct scope *s, struct log *log)
{
	u64 now = clock__ns(CLOCK_MONOTONIC_COARSE);
	bool tasks;

	if (!s->kernel)
		return named_alive(s);
	if (now - s->kernel->checked < CHECK_NS)
		return !s->kernel->ended;
	s->kernel->checked = now;
	tasks = tasks_alive(s, log);
	s->kernel->ended = !cgroups_alive(s, log) || !pidns_alive(s, log) || !tasks;
	return !s->kernel->ended;
}
