/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file program.h - a clone of a template program, made for one event.
 *
 *	init -> patch, fill, map in any order -> load -> free
 */
#ifndef TAMIS_COLLECT_PROGRAM_H
#define TAMIS_COLLECT_PROGRAM_H

#include "../filter/code.h"
#include "stencil.h"

struct program {
	const struct stencil *stencil; /**< borrowed */
	struct bpf_insn *insn; /**< owned */
	size_t n;
	enum bpf_prog_type type;
	int attach_type; /**< expected_attach_type; 0 where the type has none */
	u32 btf_id; /**< of the target of a tracing program */
	const char *event; /**< as the user wrote it, for messages; borrowed */
	int fd; /**< -1 before load; owned */
};

int program__init(struct program *p, const struct stencil *s, enum bpf_prog_type type,
		  const char *event, struct err *err);
/** Gives every immediate with @mark the value @v. */
int program__patch(struct program *p, u32 mark, u32 v, struct err *err);
/**
 * Puts @c into the hole @mark. @what is named when it does not fit: "the filter `pid == 1`".
 * A code with c->err set is an error, one without instructions leaves the hole as it is.
 */
int program__fill(struct program *p, u32 mark, const struct code *c, const char *what,
		  struct err *err);
/** Points every load of the template's map @from at the map @to. */
void program__map(struct program *p, int from, int to);
/** Leaves the kernel's log in the message if it refuses. */
int program__load(struct program *p, struct err *err);
/** Closes the program if it was loaded. */
void program__free(struct program *p);

#endif
