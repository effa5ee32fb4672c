/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file profile_parts.h - what tamis profile is made of; for cmd/profile*.c.
 */
#ifndef TAMIS_CMD_PROFILE_PARTS_H
#define TAMIS_CMD_PROFILE_PARTS_H

#include "../collect/profiler.h"
#include "../options.h"
#include "../output/call_tree.h"
#include "../symbol/symbolizer.h"
#include "broken_stacks.h"

#define FREQ_DEFAULT 99
#define FRAMES_MAX   512
#define PROFILE_SETTLE_NS 1000000000ull

enum unwind_how { UNWIND_AUTO, UNWIND_FP, UNWIND_DWARF };

struct catalog;
struct loop;
struct scope;
struct sideband;
struct sideband_record;
struct workload;

struct profile {
	struct options *o;
	struct profiler *profiler;
	struct scope *scope;
	struct catalog *catalog;
	struct workload *workload;
	struct sideband *sideband; /* NULL: names by /proc alone */
	struct session *session; /* without BPF; owns the symbolizer then */
	struct symbolizer *symbolizer;
	struct call_tree *tree;
	struct broken_stacks *broken;
	enum unwind_how unwind;
	u64 ips[FRAMES_MAX];
	struct frame user[FRAMES_MAX], kernel[FRAMES_MAX];
	u64 began, ended;
	u64 settled; /* when the newest program has run for PROFILE_SETTLE_NS */
	bool told; /* the symbolizer knows what happened up to this interval's end */
	u64 samples, lost; /* without BPF: as the session counted them */
	int status; /* of the workload */
};


u32 profile__frequency(const struct profile *p);
/** Consecutive frames that are in no code become one "[unknown]". @return how many are left */
u32 profile__fold_unknown(struct frame *f, u32 n);

/** profile_collect.c: samples are counted in the kernel, until it is to end. */
int profile__collect(struct profile *p, struct err *err);
/** profile_unwind.c: the @n frames of p->user are looked at; is @s of a process without frame pointers? */
void profile__judge_stack(struct profile *p, const struct stack_count *s, u32 n);
/** profile_unwind.c: children are unwound as their parents are, new programs are judged anew. */
void profile__follow_process(struct profile *p, const struct sideband_record *rec);
/** profile_samples.c: the same without BPF, sample by sample. */
int profile__by_samples(struct profile *p, struct loop *l, struct err *err);
/** profile_output.c */
int profile__write(const struct profile *p, struct err *err);
void profile__summary(struct profile *p);

#endif
