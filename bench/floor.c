// SPDX-License-Identifier: GPL-2.0-only
/*
 * floor ROW [ARG] - the smallest collector for a row of the bench. Prints "ready", runs until a
 * signal, prints what it saw as one line of JSON.
 *
 *	A1			raw system calls by id
 *	A2			switches by command name
 *	B NAME			openat of NAME, one record each
 *	C NUMBER		each raw system call into a ring, drained in C; counts NUMBER
 *	E			log2 histogram of the time from wakeup to switch
 *	F CGROUP_DIR		A1 in a cgroup and below
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "user/base/types.h"
#include "bench/floor.h"
#include "bench/floor.skel.h"

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = sig;
}

__attribute__((noreturn)) static void fail(const char *what)
{
	fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	exit(1);
}

static const struct row {
	const char *name, *programs[3];
} rows[] = {
	{"A1", {"count_by_id"}},   {"A1-own", {"count_others_by_id"}}, {"A2", {"count_by_comm"}},	{"B", {"open_by_name"}},
	{"C", {"emit"}},	   {"E", {"wakeup", "switched"}}, {"F", {"count_in_cgroup"}},
};

static bool wants(const struct row *row, const char *program)
{
	int i;

	for (i = 0; row->programs[i]; i++)
		if (!strcmp(row->programs[i], program))
			return true;
	return false;
}

/* The id of a cgroup2 folder is its inode, its level the folders between it and the mount. */
static void scope_to_cgroup(struct floor_bpf *f, const char *dir)
{
	const char *p = strstr(dir, "/sys/fs/cgroup");
	struct stat st;

	if (stat(dir, &st))
		fail(dir);
	p = p ? p + strlen("/sys/fs/cgroup") : dir;
	if (!strncmp(p, "/unified", 8))
		p += 8;
	f->rodata->cgroup_id = st.st_ino;
	for (; *p; p++)
		f->rodata->cgroup_level += *p == '/' && p[1];
}

static u64 sum(struct bpf_map *map, const void *key)
{
	int cpu, cpus = libbpf_num_possible_cpus();
	u64 values[MAX_CPUS], total = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(map), key, values))
		return 0;
	for (cpu = 0; cpu < cpus; cpu++)
		total += values[cpu];
	return total;
}

static u64 sum_array(struct bpf_map *map, u32 entries)
{
	u64 total = 0;
	u32 key;

	for (key = 0; key < entries; key++)
		total += sum(map, &key);
	return total;
}

static u64 sum_hash(struct bpf_map *map)
{
	char key[16], *last = NULL;
	u64 total = 0;

	while (!bpf_map_get_next_key(bpf_map__fd(map), last, key)) {
		total += sum(map, key);
		last = key;
	}
	return total;
}

static u64 seen, bytes;

static int on_record(void *ctx, void *data, size_t size)
{
	const struct floor_record *r = data;

	seen += r->id == *(long *)ctx;
	bytes += size;
	return 0;
}

/* Counts the records of system call @id, and reads all of them. */
static struct ring_buffer *open_rings(struct floor_bpf *f, long *id)
{
	struct ring_buffer *rings = NULL;
	u32 cpu, cpus = libbpf_num_possible_cpus();
	int fd;

	for (cpu = 0; cpu < cpus; cpu++) {
		fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, RING_BYTES, NULL);
		if (fd < 0 || bpf_map_update_elem(bpf_map__fd(f->maps.rings), &cpu, &fd, BPF_ANY))
			fail("ring");
		if (!rings)
			rings = ring_buffer__new(fd, on_record, id, NULL);
		else if (ring_buffer__add(rings, fd, on_record, id))
			fail("ring_buffer__add");
		if (!rings)
			fail("ring_buffer__new");
	}
	return rings;
}

/* Drains every few milliseconds while records come; sleeps, to be woken, when none do. */
static void drain(struct floor_bpf *f, struct ring_buffer *rings)
{
	int epoll = ring_buffer__epoll_fd(rings), n;
	struct epoll_event e;

	while (!stopped) {
		n = ring_buffer__consume(rings);
		__atomic_store_n(&f->bss->reader_asleep, !n, __ATOMIC_SEQ_CST);
		epoll_wait(epoll, &e, 1, n ? 5 : 200);
	}
}

int main(int argc, char **argv)
{
	const struct row *row = NULL;
	struct ring_buffer *rings = NULL;
	struct bpf_program *prog;
	struct floor_bpf *f;
	u32 lost = COUNTER_LOST;
	long id = argc > 2 && *argv[1] == 'C' ? atol(argv[2]) : 0;
	size_t i;

	for (i = 0; argc > 1 && i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, argv[1]))
			row = &rows[i];
	if (!row || (strchr("BCF", *row->name) && argc < 3)) {
		fprintf(stderr, "usage: floor A1|A1-own|A2|B NAME|C NUMBER|E|F CGROUP_DIR\n");
		return 2;
	}
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	libbpf_set_print(NULL);
	f = floor_bpf__open();
	if (!f)
		fail("open");
	bpf_object__for_each_program(prog, f->obj)
		bpf_program__set_autoload(prog, wants(row, bpf_program__name(prog)));
	f->rodata->own_tgid = getpid();
	if (*row->name == 'F')
		scope_to_cgroup(f, argv[2]);
	if (*row->name == 'B') {
		strncpy((char *)f->rodata->wanted, argv[2], sizeof(f->rodata->wanted) - 1);
		f->rodata->wanted_len = strlen(argv[2]) + 1;
	}
	if (floor_bpf__load(f))
		fail("load");
	if (*row->name == 'B' || *row->name == 'C')
		rings = open_rings(f, &id);
	if (floor_bpf__attach(f))
		fail("attach");
	printf("ready\n");
	fflush(stdout);
	if (rings)
		drain(f, rings);
	while (!stopped)
		pause();
	floor_bpf__detach(f);
	if (rings)
		ring_buffer__consume(rings);
	else
		seen = sum_array(f->maps.by_id, 512) + sum_hash(f->maps.by_comm) +
		       sum_array(f->maps.latencies, 64);
	printf("{\"seen\": %llu, \"lost\": %llu, \"bytes\": %llu}\n", (unsigned long long)seen,
	       (unsigned long long)sum(f->maps.counters, &lost), (unsigned long long)bytes);
	floor_bpf__destroy(f);
	return 0;
}
