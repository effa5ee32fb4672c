/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file table.h - what an event aggregates in the kernel, read when it is asked for.
 *
 * Keys have one part for each expression of by=; without by= there is one row with no parts.
 * A row that got no update is not there. Integers follow the type of their expression.
 */
#ifndef TAMIS_COLLECT_TABLE_H
#define TAMIS_COLLECT_TABLE_H

#include "../base/err.h"
#include "../event/event.h"

struct table;

enum part_kind {
	PART_INT, /**< signed, in num */
	PART_UINT, /**< unsigned, in num */
	PART_TEXT, /**< text, len; no NUL inside */
	PART_NO_TEXT, /**< user text that was not in memory */
	PART_CGROUP, /**< id of a cgroup in num; of _cgroup and _container */
	PART_STACK, /**< kernel frames: ips, nr_ips; leaf first; ips NULL: not kept, table full */
	PART_USTACK, /**< user frames of the process in @process */
};

/** A user stack's process: equal addresses of two processes are two keys. */
struct key_process {
	u32 tgid; /**< as the host numbers it */
	u64 start_time; /**< ns since boot; 0: not known */
	u64 exec_id; /**< counts its execs; 0: not known */
};

struct key_part {
	enum part_kind kind;
	u64 num;
	const char *text; /**< borrowed from the snapshot, as ips */
	u32 len;
	const u64 *ips;
	u32 nr_ips;
	struct key_process process;
};

/** A histogram: numbers of values in [low, high]; what is empty is left out. */
struct bucket {
	s64 low; /**< as u64 where the table's values are unsigned */
	s64 high; /**< the last value in it */
	u64 count;
};

struct hist {
	struct bucket *buckets; /**< ascending; owned by the snapshot */
	size_t nr;
};

struct row {
	struct key_part *key; /**< table__nr_parts() of them; owned by the snapshot */
	u64 count; /**< updates; of every operator the same */
	u64 sum[AGG_MAX_OP]; /**< [AGG_SUM], [AGG_AVG]: sums, wrapping at 64 bits */
	u64 min, max; /**< as s64 or u64 by table__is_signed() */
	double avg; /**< 0 without avg= */
	struct hist hist, lhist;
};

struct snapshot {
	struct row *rows;
	size_t nr;
	void *memory; /**< internal */
};

/** Names of the parts as the user wrote them: "id", "_comm", "stack". */
size_t table__nr_parts(const struct table *t);
const char *table__part_name(const struct table *t, size_t i);
enum part_kind table__part_kind(const struct table *t, size_t i);
/** Does the event ask for the operator? */
bool table__has(const struct table *t, enum agg_op op);
/** How many operators the event asks for: with one, a Python value is a plain int. */
unsigned int table__nr_ops(const struct table *t);
/** Sign of the expression of sum=, min=, ... */
bool table__is_signed(const struct table *t, enum agg_op op);
/** Are the operator's values ns: does its expression use latency or _time? */
bool table__is_time(const struct table *t, enum agg_op op);
/** top= (20 if not given). */
unsigned int table__top(const struct table *t);
struct event *table__event(const struct table *t);

/**
 * Reads all rows. With @clear they are taken out, and no update in between is lost or counted
 * twice; that waits for a grace period of the kernel (8-20 ms), which tables__snapshot() does once
 * for many tables.
 */
int table__snapshot(struct table *t, bool clear, struct snapshot *ret, struct err *err);
void snapshot__free(struct snapshot *s);
/** Updates and stacks that did not fit, since it was attached. */
u64 table__lost(const struct table *t);

/** The value that --sort and top() order by: the operator's number of a row; count of hist. */
double row__number(const struct table *t, const struct row *r, enum agg_op op);
/** Sorts by an operator, largest first; equal ones by key. */
void snapshot__sort(const struct table *t, struct snapshot *s, enum agg_op by);
/**
 * The value below which @percent of the values are: within a bucket as if they were spread
 * evenly. 0 for an empty one.
 */
double hist__percentile(const struct hist *h, bool is_signed, double percent);

#endif
