/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file broken_stacks.h - which processes cannot be followed by frame pointers: whose stacks end
 * after a frame or two, or lead to places where there is no code.
 */
#ifndef TAMIS_CMD_BROKEN_STACKS_H
#define TAMIS_CMD_BROKEN_STACKS_H

#include "../symbol/symbolizer.h"

struct broken_stacks;

/** @return NULL without memory */
struct broken_stacks *broken_stacks__new(void);
void broken_stacks__free(struct broken_stacks *b);
/** Is this user call chain one that frame pointers did not lead to its end? */
bool broken_stacks__is(const struct frame *user, u32 n);
/** Counts samples of @tgid. @return true, once for each process: most of its chains are broken */
bool broken_stacks__note(struct broken_stacks *b, u32 tgid, u64 samples, bool broken);
/** A child is what its parent was at the fork. @return true: the parent's chains are broken */
bool broken_stacks__inherit(struct broken_stacks *b, u32 parent, u32 child);
/** The process runs another program now, or is gone. @return true: its chains were broken */
bool broken_stacks__forget(struct broken_stacks *b, u32 tgid);
/** Over all processes: more than half of the user chains were broken, of enough to say so. */
bool broken_stacks__most(const struct broken_stacks *b);

#endif
