// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "record.h"
#include "sample.h"
#include "../../bpf/record.h"

static const struct record_head *head_of(const struct record *rec)
{
	return rec->size >= sizeof(struct record_head) ? rec->data : NULL;
}

/* Where the call chain begins; the record's end if there is none. */
static u32 chain_at(const struct record *rec, const struct record_head *head)
{
	u32 at = head->chain * 8u;

	return at >= sizeof(*head) && at <= rec->size ? at : rec->size;
}

static const void *bpf_raw(const struct record *rec, u32 *size)
{
	const struct record_head *head = head_of(rec);
	u32 at = rec->event->layout.raw, end;

	if (!head || !at)
		return NULL;
	end = chain_at(rec, head);
	if (at > end)
		return NULL;
	*size = end - at;
	return (const u8 *)rec->data + at;
}

static bool perf_part(const struct record *rec, u64 bit, struct sample_parts *parts)
{
	return !sample__parse_until(&rec->event->sample, rec->data, rec->size, bit, parts) &&
	       parts->has & bit;
}

static const void *perf_raw(const struct record *rec, u32 *size)
{
	struct sample_parts parts;

	if (!perf_part(rec, PERF_SAMPLE_RAW, &parts))
		return NULL;
	*size = parts.raw_size;
	return parts.raw;
}

const void *record__raw(const struct record *rec, u32 *size)
{
	*size = 0;
	if (rec->event->transport == TRANSPORT_PERF)
		return perf_raw(rec, size);
	return bpf_raw(rec, size);
}

static u32 perf_callchain(const struct record *rec, const u64 **ips)
{
	struct sample_parts parts;

	if (!perf_part(rec, PERF_SAMPLE_CALLCHAIN, &parts))
		return 0;
	*ips = parts.callchain;
	return parts.nr_callchain;
}

u32 record__callchain(const struct record *rec, const u64 **ips)
{
	const struct record_head *head;
	u32 at;

	*ips = NULL;
	if (rec->event->transport == TRANSPORT_PERF)
		return perf_callchain(rec, ips);
	head = head_of(rec);
	if (!head || !head->chain)
		return 0;
	at = chain_at(rec, head);
	*ips = (const u64 *)((const u8 *)rec->data + at);
	return (rec->size - at) / 8;
}

static u32 size_of_extra(enum extra which)
{
	switch (which) {
	case EXTRA_COMM:
		return 16;
	case EXTRA_CGROUP:
	case EXTRA_CONTAINER: /* found by the cgroup */
		return 8;
	default:
		return 4;
	}
}

static const void *perf_extra(const struct record *rec, enum extra which)
{
	struct sample_parts parts;

	if (which != EXTRA_CGROUP || !perf_part(rec, PERF_SAMPLE_CGROUP, &parts))
		return NULL;
	return parts.behind - 1;
}

const void *record__extra(const struct record *rec, enum extra which)
{
	u32 at;

	if (rec->event->transport == TRANSPORT_PERF)
		return perf_extra(rec, which);
	at = rec->event->layout.extra[which];
	if (!at || !head_of(rec) || at + size_of_extra(which) > rec->size)
		return NULL;
	return (const u8 *)rec->data + at;
}

/* perf gives ids as its opener's namespace has them; the raw record has the host's tid. */
static void perf_host_ids(const struct record *rec, u32 *tgid, u32 *tid)
{
	const u8 *raw;
	u32 len;

	*tgid = rec->tgid;
	*tid = rec->tid;
	raw = record__raw(rec, &len);
	if (raw && len >= 8)
		memcpy(tid, raw + 4, sizeof(*tid));
}

void record__host_ids(const struct record *rec, u32 *tgid, u32 *tid)
{
	const struct record_head *head;

	if (rec->event->transport == TRANSPORT_PERF) {
		perf_host_ids(rec, tgid, tid);
		return;
	}
	head = head_of(rec);
	*tgid = head ? head->tgid : 0;
	*tid = head ? head->tid : 0;
}
