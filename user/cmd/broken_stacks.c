// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "broken_stacks.h"

#define PLACES	  4096u	/* a power of two; forgotten when three quarters are used */
#define ENOUGH	  5	/* samples of one process */
#define ENOUGH_ALL 50	/* of all */

struct place {
	u32 tgid; /* 0: free */
	bool told;
	u64 samples, broken;
};

struct broken_stacks {
	struct place v[PLACES];
	u32 used;
	u64 samples, broken;
};

struct broken_stacks *broken_stacks__new(void)
{
	return calloc(1, sizeof(struct broken_stacks));
}

void broken_stacks__free(struct broken_stacks *b)
{
	free(b);
}

/* A leaf may be in code that nobody told of; its callers are called from code or are no callers. */
bool broken_stacks__is(const struct frame *user, u32 n)
{
	u32 i;

	for (i = 1; i < n; i++)
		if (!user[i].dso)
			return true;
	return n && n <= 2;
}

/* The place of @tgid, or the free one where it would be. */
static struct place *find(struct broken_stacks *b, u32 tgid)
{
	u32 i = (tgid * 2654435761u) & (PLACES - 1);

	for (; b->v[i].tgid && b->v[i].tgid != tgid; i = (i + 1) & (PLACES - 1))
		;
	return &b->v[i];
}

static struct place *place_of(struct broken_stacks *b, u32 tgid)
{
	struct place *p;

	if (b->used > PLACES / 4 * 3) {
		memset(b->v, 0, sizeof(b->v));
		b->used = 0;
	}
	p = find(b, tgid);
	if (!p->tgid)
		b->used++;
	p->tgid = tgid;
	return p;
}

bool broken_stacks__note(struct broken_stacks *b, u32 tgid, u64 samples, bool broken)
{
	struct place *p = place_of(b, tgid);

	p->samples += samples;
	b->samples += samples;
	if (broken) {
		p->broken += samples;
		b->broken += samples;
	}
	if (p->told || p->broken < ENOUGH || p->broken * 2 <= p->samples)
		return false;
	p->told = true;
	return true;
}

bool broken_stacks__inherit(struct broken_stacks *b, u32 parent, u32 child)
{
	if (!find(b, parent)->told)
		return false;
	place_of(b, child)->told = true;
	return true;
}

bool broken_stacks__forget(struct broken_stacks *b, u32 tgid)
{
	struct place *p = find(b, tgid);
	bool told = p->told;

	p->told = false;
	p->samples = p->broken = 0;
	return told;
}

bool broken_stacks__most(const struct broken_stacks *b)
{
	return b->samples >= ENOUGH_ALL && b->broken * 2 > b->samples;
}
