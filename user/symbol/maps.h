/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file maps.h - what a process has mapped executable, by address and time.
 *
 * Shared between a process and its children until one of them changes it. A mapping that was
 * replaced stays known for addresses of the time before.
 */
#ifndef TAMIS_SYMBOL_MAPS_H
#define TAMIS_SYMBOL_MAPS_H

#include "file_cache.h"

enum mapping_kind { MAPPING_FILE, MAPPING_ANON, MAPPING_VDSO, MAPPING_VSYSCALL };

struct mapping {
	u64 start, end;
	u64 offset;		/**< of start in the file, bytes */
	u64 since, until;	/**< until 0: it is still there */
	const char *path;	/**< as the kernel says it, interned */
	const char *shown;	/**< without " (deleted)"; "[anon]" */
	struct mapped_file *file; /**< one reference; MAPPING_FILE only */
	struct elf_file *elf;	/**< one reference, once it was looked for; NULL: none */
	enum mapping_kind kind;
	bool looked, not_elf;
};

struct maps {
	int refs;
	struct mapping *v;	/**< sorted, disjoint */
	size_t n, room;
	struct mapping *old;	/**< replaced ones, in the order they were */
	size_t nr_old, old_room;
};

struct maps *maps__new(void);
void maps__put(struct file_cache *c, struct maps *m);
/** Takes over the references of @m. What it overlaps is cut or replaced. @return 0 or -ENOMEM */
int maps__add(struct file_cache *c, struct maps **maps, const struct mapping *m);
/** What was there at @time; NULL: nothing. Valid until the next add. */
struct mapping *maps__find(struct maps *m, u64 addr, u64 time);
/** A new set with the mappings that were made at @time or later. NULL without memory */
struct maps *maps__since(const struct maps *m, u64 time);

#endif
