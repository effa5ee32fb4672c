/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file elf_file.h - an ELF file as far as names are concerned: segments, identity, symbols.
 *
 * The bytes are another process's and not trusted; sizes are bounded.
 */
#ifndef TAMIS_SYMBOL_ELF_FILE_H
#define TAMIS_SYMBOL_ELF_FILE_H

#include "../base/types.h"
#include "symtab.h"
#include "symbolizer.h"

struct Elf;

struct build_id {
	u8 size;	/**< 0: none */
	u8 bytes[BUILD_ID_MAX];
};

struct elf_segment {
	u64 offset, size, vaddr;
};

struct elf_segments {
	struct elf_segment *v; /**< executable PT_LOADs; owned */
	size_t n, room;
};

bool build_id__equal(const struct build_id *a, const struct build_id *b);

/** @return 0; -ENOEXEC: not an ELF file, or one that makes no sense */
int elf__segments(struct Elf *elf, struct elf_segments *ret);
void elf__build_id(struct Elf *elf, struct build_id *ret);
/** @return whether @offset of the file is loaded, and its address as the file numbers it in @vaddr */
bool elf_segments__vaddr(const struct elf_segments *s, u64 offset, u64 *vaddr);

/**
 * Adds the function symbols of .symtab or .dynsym (@type SHT_SYMTAB, SHT_DYNSYM).
 * @return how many; -ENOMEM
 */
long elf__add_symbols(struct Elf *elf, u32 type, struct symtab *t);
/** The same from the compressed .gnu_debugdata. */
long elf__add_mini(struct Elf *elf, struct symtab *t);

/** Where separate debug files are looked for. */
struct elf_place {
	int root;	  /**< the root directory of the process; negative: the host's */
	const char *path; /**< of the file, below that root; NULL: not known */
};

/**
 * The file with the .symtab that was split off @elf, by build id or debug link, checked by build
 * id or checksum. @return descriptor; -ENOENT
 */
int elf__open_debug(struct Elf *elf, const struct elf_place *place);
/** Opens @path below the directory @root as a process with that root would; regular files only. */
int open_in_root(int root, const char *path, int flags);

/** All symbols of @elf by every source there is, sorted. */
int elf__load_symbols(struct Elf *elf, const struct elf_place *place, struct symtab *t);

#endif
