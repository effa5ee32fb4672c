/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file code_parts.h - the pieces that scope__code() is made of; for user/scope alone.
 */
#ifndef TAMIS_SCOPE_CODE_PARTS_H
#define TAMIS_SCOPE_CODE_PARTS_H

#include "../base/err.h"
#include "../filter/code.h"

struct scope;
struct scope_kernel;

/** Where a scope's code keeps things, from r7: struct work's tmp, 32 bytes. */
#define SCOPE_TMP ((int)offsetof(struct work, tmp))

/** Jumps forward to a place that is not known yet. */
struct jumps {
	int at[64];
	int n;
};

/** Jumps if @reg @op @imm. */
void jump_imm(struct code *c, struct jumps *j, int op, int reg, s32 imm);
/** Jumps if @a @op @b. */
void jump_reg(struct code *c, struct jumps *j, int op, int a, int b);
/** All of them lead here. */
void jumps__land(struct code *c, struct jumps *j);
/** As code__reject(), comparing two registers. */
void code__reject_reg(struct code *c, int op, int a, int b);
/** Leaves with SCOPE_OUT. */
void code__leave(struct code *c);

/** @reg = address of SCOPE_TMP */
void work_address(struct code *c, int reg);
/** r0 = 0: the current task is in that namespace; u32 tid, u32 tgid at SCOPE_TMP. */
void current_ids_in(struct code *c, u64 dev, u64 ino);

void check_tasks(struct code *c, const struct scope_kernel *k);
void check_cgroups(struct code *c, const struct scope *s);

#endif
