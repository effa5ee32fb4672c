/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file perf_parts.h - what the perf transport is made of; for user/collect/perf_*.c alone.
 */
#ifndef TAMIS_COLLECT_PERF_PARTS_H
#define TAMIS_COLLECT_PERF_PARTS_H

#include "perf_ring.h"
#include "perf_transport.h"
#include "../event/sample.h"
#include "source.h"


/** What this kernel's perf_event_open() takes; asked by trying. */
struct perf_features {
	bool lost;		/**< PERF_FORMAT_LOST: losses by event */
	bool inherit_thread;	/**< to new threads, but not to new processes */
};

/** rate=: records of one event on one CPU in the second that it is. */
struct perf_rate {
	u64 second, n;
};

/** One event of the transport. Offsets are from the header of a sample. */
struct perf_slot {
	struct event *event;	/**< borrowed */
	struct source source;
	u16 at_tid, at_time, at_cpu, min_size;
	bool leave_out_own;
	char *kernel_filter;	/**< for PERF_EVENT_IOC_SET_FILTER; owned, NULL: none */
	int program;		/**< BPF that checks the scope of a source; -1: none */
	unsigned int check;	/**< REST_* that is left for user space */
	u64 *cpus;		/**< of the event's own cpus=; owned, NULL: all */
	size_t nr_cpus;
	const struct expr *filter; /**< what the kernel cannot be asked; borrowed, NULL: none */
	u64 sample, sampled;	/**< one in how many, where user space filters; 0: all */
	struct perf_rate *rates; /**< by CPU, for rate=; owned, NULL: no limit */
	size_t nr_rates;
	u64 rate_limited;
	u64 fired, own, rejected, out_of_scope, unreadable, throttled;
	u64 lost_told;		/**< by LOST records of rings that this event has for itself */
};

/** One perf event of the kernel: an event on one CPU, maybe of one thread. */
struct perf_fd {
	int fd;
	u64 id;
	u16 slot;
	u16 cpu;
	bool leads;		/**< the group's leader: enabled last */
	u64 lost_told;		/**< of perf_fd__lost(), where the ring has several events */
};

/** The ring of one CPU, with the dummy event that owns it. */
struct perf_stream {
	struct stream stream;	/**< first */
	struct perf_transport *t;
	struct perf_ring ring;
	int fd;			/**< the dummy */
	u16 cpu;
	u64 last_id;		/**< samples often come in runs of one event */
	struct perf_slot *last_slot;
	struct perf_slot *only;	/**< the only event that writes here; NULL: there are several */
	u64 handed_out;		/**< end of the last record that was handed out */
	u64 last_time;
	u64 lost, unknown;	/**< by LOST records; records of no event of ours */
	bool gone;		/**< the CPU went offline */
	bool tail_told;
};

struct perf_id {
	u64 id;			/**< 0: free */
	u16 slot;
};

struct perf_transport {
	struct perf_transport_opts opts;
	struct perf_features features;
	struct perf_slot **slots; /**< streams hold pointers to them */
	size_t nr_slots, slots_room;
	struct perf_fd *fds;
	size_t nr_fds, fds_room;
	struct perf_stream **streams; /**< likewise */
	size_t nr_streams, streams_room;
	struct perf_id *ids;	/**< a hash by id, nr_ids a power of two */
	size_t nr_ids;
	u64 *cpus;		/**< those that are open; owned */
	size_t nr_cpus;
	u64 ring_bytes;		/**< what could be mapped so far */
	int epoll;
	u32 own_tgid;
	bool attached, detached;
};

/** perf_features.c */
void perf_features__probe(struct perf_features *f);
int perf_event__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags);

/** Whose samples, as perf_event_open() takes it. */
struct perf_target {
	pid_t pid;		/**< -1: everybody; a descriptor with @cgroup */
	bool cgroup;
};

struct perf_targets {
	struct perf_target *v;
	size_t n, room;
};

/** perf_targets.c: threads and cgroups of the scope, as they are now. @return 0 or -errno */
int perf_targets__find(struct perf_targets *ts, const struct scope *scope, struct err *err);
void perf_targets__free(struct perf_targets *ts);
/** Online CPUs of the scope as a bitmap of *bits. Owned by the caller. */
int perf_cpus__find(u64 **cpus, size_t *bits, const struct scope *scope, struct err *err);

static inline bool cpu_in(const u64 *cpus, size_t bits, unsigned int cpu)
{
	return !cpus || (cpu < bits && cpus[cpu / 64] >> cpu % 64 & 1);
}

/** perf_open.c: opens all events on @cpu, with its ring; disabled. -ENODEV: the CPU is offline */
int perf_open__cpu(struct perf_transport *t, unsigned int cpu, const struct perf_targets *ts,
		   struct err *err);
int perf_open__enable(struct perf_transport *t, size_t from, struct err *err);

/** perf_stream.c */
extern const struct stream_ops perf_stream_ops;
/** Where the parts that every record needs are in @slot's samples. */
void perf_slot__locate(struct perf_slot *slot);
/** NULL: not one of ours. */
struct perf_slot *perf_ids__find(const struct perf_transport *t, u64 id);
int perf_ids__build(struct perf_transport *t);

/** What perf_event_open() cannot be told of a scope; bits. */
enum {
	REST_IDS = 1,		/**< events are opened for cgroups: tgids and tids */
	REST_EXACT = 2,		/**< a cgroup without its descendants */
	REST_COMM = 4,
	REST_BPF = 8,		/**< only BPF can check it */
};

/** perf_scope.c: are events opened for cgroups? Else for threads, or for everybody. */
bool perf_scope__by_cgroup(const struct scope *s);
/** REST_* of the scope; it may be NULL. */
unsigned int perf_scope__rest(const struct scope *s);
/** Arranges for the rest to be checked for samples of @slot. */
int perf_scope__prepare(const struct perf_transport *t, struct perf_slot *slot, struct err *err);
/** Is the record in scope, as far as @check says? */
bool perf_scope__has(const struct scope *s, unsigned int check, const struct record *rec);

/** perf_filter.c: before the attributes are made, since it may need more of a sample. */
int perf_slot__filter(struct perf_slot *slot, const struct expr *filter, struct log *log,
		      struct err *err);
/** sample= and rate=. */
int perf_slot__thin_out(struct perf_slot *slot, struct err *err);
bool perf_slot__passes(struct perf_slot *slot, const struct scope *scope, const struct record *rec);

/** perf_lost.c: samples of @fd that its ring had no room for, ever. */
u64 perf_fd__lost(const struct perf_transport *t, const struct perf_fd *fd);

#endif
