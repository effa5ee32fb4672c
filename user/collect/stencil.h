/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file stencil.h - the relocated instructions of one template program, and where its marks are.
 *
 * Marks are those of bpf/template.h. A stencil is read once and serves any number of clones.
 */
#ifndef TAMIS_COLLECT_STENCIL_H
#define TAMIS_COLLECT_STENCIL_H

#include <linux/bpf.h>
#include "../base/err.h"
#include "../base/types.h"

struct bpf_program;

/** A hole: @room instructions from @first may be replaced. */
struct stencil_hole {
	u32 mark;
	int first, room;
};

/** A patched immediate (@at: the instruction to patch) or a function (@at: its start). */
struct stencil_place {
	u32 mark;
	int at;
};

/** A load of a map's address; @fd is that of the template's own map. */
struct stencil_map {
	int at, fd;
};

struct stencil {
	struct bpf_insn *insn; /**< owned */
	size_t n;
	struct stencil_hole *holes; /**< owned, as are the others */
	size_t nr_holes, holes_room;
	struct stencil_place *imms, *functions;
	size_t nr_imms, imms_room, nr_functions, functions_room;
	struct stencil_map *maps;
	size_t nr_maps, maps_room;
};

/**
 * Copies @insn and finds the marks. A hole or function that occurs twice (a compiler may
 * duplicate inline assembly) is an error.
 */
int stencil__init(struct stencil *s, const struct bpf_insn *insn, size_t n, struct err *err);
void stencil__free(struct stencil *s);

/** @return NULL if there is none */
const struct stencil_hole *stencil__hole(const struct stencil *s, u32 mark);
bool stencil__has_imm(const struct stencil *s, u32 mark);
/** @return the first instruction of the function, -1 if there is none */
int stencil__function(const struct stencil *s, u32 mark);

#endif
