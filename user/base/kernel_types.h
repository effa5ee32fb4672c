/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file kernel_types.h - the types of the running kernel, from its BTF.
 *
 * Parsing it takes 10 ms and more, so it is done when first asked for, and once.
 */
#ifndef TAMIS_BASE_KERNEL_TYPES_H
#define TAMIS_BASE_KERNEL_TYPES_H

#include "types.h"

struct btf;

#define KERNEL_TYPES_FOUND 16

struct kernel_types {
	struct btf *btf; /**< NULL: not asked for yet, or there is none */
	bool tried;
	/** Looking a name up takes a millisecond: the last ones are kept. */
	struct {
		char name[64];
		u32 kind;
		int id;
	} found[KERNEL_TYPES_FOUND];
	u32 nr_found;
};

/** A zeroed one is fine. */
void kernel_types__free(struct kernel_types *k);

/** What a tp_btf program on tracepoint @name is loaded with. @return 0: there is none */
u32 kernel_types__tracepoint(struct kernel_types *k, const char *name);
/** Is argument @arg (from 0) of tracepoint @name there, and a pointer to struct @type? NULL: any */
bool kernel_types__arg_is(struct kernel_types *k, const char *name, int arg, const char *type);
/** Where "thread_info.cpu" is in struct @type, and its size; looks into anonymous members. */
bool kernel_types__member(struct kernel_types *k, const char *type, const char *path, u32 *offset,
			  u32 *size);
/** The value of enumerator @name of enum @type. @return -1: there is none */
s64 kernel_types__enum(struct kernel_types *k, const char *type, const char *name);
/** @return 0: there is no such struct */
u32 kernel_types__size(struct kernel_types *k, const char *type);

#endif
