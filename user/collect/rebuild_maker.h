/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file rebuild_maker.h - what makes the fields of a rebuilt record; for rebuild*.c only.
 */
#ifndef TAMIS_COLLECT_REBUILD_MAKER_H
#define TAMIS_COLLECT_REBUILD_MAKER_H

#include "../base/kernel_types.h"
#include "../event/field.h"
#include "../filter/code.h"
#include "rebuild_table.h"

/* Registers of the hole MARK_REBUILD. */
#define R_ARGS	 R_REC
#define R_RECORD R_WORK

struct maker {
	const struct rebuild *event;
	struct kernel_types *types;
	struct code *c;
	u32 behind; /**< where the next text goes */
	bool typed; /**< arguments are followed: a tp_btf program */
};

static inline void maker__load_arg(struct maker *m, int reg, int arg)
{
	code__load(m->c, reg, R_ARGS, 8 * arg, 8);
}

/** Is the argument the struct that the table says? Then its members may be read. */
static inline bool maker__follows(struct maker *m, const struct rebuild_field *rf)
{
	m->typed = true;
	return kernel_types__arg_is(m->types, m->event->name, rf->arg, rf->type);
}

/** Fields of struct request. @return false: not to be known on this kernel */
bool rebuild_block__field(struct maker *m, const struct rebuild_field *rf, const struct field *f);

#endif
