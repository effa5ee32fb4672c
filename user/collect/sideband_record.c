// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include "../event/sample.h"
#include "sideband_record.h"

#define TRAILER 32 /* TID, TIME, CPU, IDENTIFIER */

/* Newer than the headers that this may be built with. */
#define RECORD_CGROUP 19

/* The kernel's layouts; a text follows each that has one. */
struct mmap2_record {
	struct perf_event_header header;
	u32 pid, tid;
	u64 addr, len, pgoff;
	union {
		struct {
			u32 maj, min;
			u64 ino, ino_generation;
		};
		struct {
			u8 build_id_size, reserved1;
			u16 reserved2;
			u8 build_id[20];
		};
	};
	u32 prot, flags;
	char path[];
};

struct comm_record {
	struct perf_event_header header;
	u32 pid, tid;
	char comm[];
};

struct task_record {
	struct perf_event_header header;
	u32 pid, ppid, tid, ptid;
	u64 time;
};

struct ksymbol_record {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 type, flags;
	char name[];
};

struct cgroup_record {
	struct perf_event_header header;
	u64 id;
	char path[];
};

struct lost_record {
	struct perf_event_header header;
	u64 id, lost;
};

/* A text from @at up to the trailer that ends inside it. */
static const char *text_at(const struct perf_event_header *h, size_t at)
{
	size_t end = h->size - TRAILER;

	return at < end && memchr((const char *)h + at, 0, end - at) ? (const char *)h + at : NULL;
}

static bool holds(const struct perf_event_header *h, size_t bytes)
{
	return h->size >= bytes + TRAILER;
}

static bool parse_mmap(struct sideband_record *rec, const struct perf_event_header *h)
{
	const struct mmap2_record *m = (const void *)h;

	if (!holds(h, sizeof(*m)))
		return false;
	rec->kind = SIDEBAND_MMAP;
	rec->tgid = m->pid;
	rec->tid = m->tid;
	rec->mmap.start = m->addr;
	rec->mmap.len = m->len;
	rec->mmap.pgoff = m->pgoff;
	rec->mmap.prot = m->prot;
	rec->mmap.flags = m->flags;
	rec->mmap.path = text_at(h, offsetof(struct mmap2_record, path));
	if (h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		rec->mmap.build_id = m->build_id;
		rec->mmap.build_id_size = m->build_id_size <= 20 ? m->build_id_size : 20;
	} else {
		rec->mmap.maj = m->maj;
		rec->mmap.min = m->min;
		rec->mmap.ino = m->ino;
		rec->mmap.ino_generation = m->ino_generation;
	}
	return rec->mmap.path && m->prot & PROT_EXEC;
}

static bool parse_comm(struct sideband_record *rec, const struct perf_event_header *h)
{
	const struct comm_record *c = (const void *)h;

	if (!holds(h, sizeof(*c)))
		return false;
	rec->kind = SIDEBAND_COMM;
	rec->tgid = c->pid;
	rec->tid = c->tid;
	rec->comm.name = text_at(h, offsetof(struct comm_record, comm));
	rec->comm.exec = h->misc & PERF_RECORD_MISC_COMM_EXEC;
	return rec->comm.name;
}

static bool parse_task(struct sideband_record *rec, const struct perf_event_header *h,
		       enum sideband_kind kind)
{
	const struct task_record *t = (const void *)h;

	if (!holds(h, sizeof(*t)))
		return false;
	rec->kind = kind;
	rec->tgid = t->pid;
	rec->tid = t->tid;
	rec->fork.parent_tgid = t->ppid;
	rec->fork.parent_tid = t->ptid;
	return true;
}

static bool parse_ksymbol(struct sideband_record *rec, const struct perf_event_header *h)
{
	const struct ksymbol_record *k = (const void *)h;

	if (!holds(h, sizeof(*k)))
		return false;
	rec->kind = SIDEBAND_KSYMBOL;
	rec->ksymbol.addr = k->addr;
	rec->ksymbol.len = k->len;
	rec->ksymbol.type = k->type;
	rec->ksymbol.gone = k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	rec->ksymbol.name = text_at(h, offsetof(struct ksymbol_record, name));
	return rec->ksymbol.name;
}

static bool parse_cgroup(struct sideband_record *rec, const struct perf_event_header *h)
{
	const struct cgroup_record *c = (const void *)h;

	if (!holds(h, sizeof(*c)))
		return false;
	rec->kind = SIDEBAND_CGROUP;
	rec->cgroup.id = c->id;
	rec->cgroup.path = text_at(h, offsetof(struct cgroup_record, path));
	return rec->cgroup.path;
}

static bool parse_lost(struct sideband_record *rec, const struct perf_event_header *h)
{
	const struct lost_record *l = (const void *)h;

	if (!holds(h, sizeof(*l)))
		return false;
	rec->kind = SIDEBAND_LOST;
	rec->lost = l->lost;
	return true;
}

bool sideband_record__parse(struct sideband_record *rec, const struct perf_event_header *h, u16 cpu)
{
	static const struct sample_layout layout = {.sample_type = SIDEBAND_PARTS};
	struct sample_parts id;

	memset(rec, 0, sizeof(*rec));
	rec->cpu = cpu;
	if (h->size < sizeof(*h) + TRAILER || sample__parse_id(&layout, h, h->size, &id))
		return false;
	rec->time = id.time;
	switch (h->type) {
	case PERF_RECORD_MMAP2:
		return parse_mmap(rec, h);
	case PERF_RECORD_COMM:
		return parse_comm(rec, h);
	case PERF_RECORD_FORK:
		return parse_task(rec, h, SIDEBAND_FORK);
	case PERF_RECORD_EXIT:
		return parse_task(rec, h, SIDEBAND_EXIT);
	case PERF_RECORD_KSYMBOL:
		return parse_ksymbol(rec, h);
	case RECORD_CGROUP:
		return parse_cgroup(rec, h);
	case PERF_RECORD_LOST:
		return parse_lost(rec, h);
	default:
		return false;
	}
}
