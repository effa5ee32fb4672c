// SPDX-License-Identifier: GPL-2.0-only
/* profile_unwind.c - which processes are unwound by tables because they have no frame pointers. */
#include "../collect/sideband.h"
#include "profile_parts.h"

static bool unwind_by_tables(struct profile *p, u32 tgid)
{
	struct err err = {0};

	if (!profiler__unwind(p->profiler, tgid, &err))
		return true;
	log__once(&p->o->log, LOG_NOTICE,
		  "programs without frame pointers cannot be unwound by tables: %s", err.text);
	return false;
}

void profile__judge_stack(struct profile *p, const struct stack_count *s, u32 n)
{
	bool broken = n && broken_stacks__is(p->user, n);

	if (!n || !broken_stacks__note(p->broken, s->tgid, s->samples, broken))
		return;
	if (!s->copy && p->unwind == UNWIND_AUTO && unwind_by_tables(p, s->tgid))
		log__say(&p->o->log, LOG_DEBUG,
			 "%s (%u) has no frame pointers: its stacks are unwound by tables from "
			 "now on",
			 s->comm, s->tgid);
}

/* The same program in the same state: what was found out of the parent holds. */
static void inherit(struct profile *p, u32 parent, u32 child)
{
	if (parent != child && broken_stacks__inherit(p->broken, parent, child))
		unwind_by_tables(p, child);
}

static void forget(struct profile *p, u32 tgid)
{
	if (broken_stacks__forget(p->broken, tgid))
		profiler__unwind_no_more(p->profiler, tgid);
}

void profile__follow_process(struct profile *p, const struct sideband_record *rec)
{
	if (p->unwind != UNWIND_AUTO)
		return;
	if (rec->kind == SIDEBAND_FORK)
		inherit(p, rec->fork.parent_tgid, rec->tgid);
	if (rec->kind == SIDEBAND_EXIT && rec->tid == rec->tgid)
		forget(p, rec->tgid);
	if (rec->kind == SIDEBAND_COMM && rec->comm.exec) {
		forget(p, rec->tgid);
		p->settled = rec->time + PROFILE_SETTLE_NS;
	}
}
