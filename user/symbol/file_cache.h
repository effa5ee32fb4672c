/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file file_cache.h - the files that processes have mapped; symbols of each are kept once.
 *
 * Two steps, because a mapping knows only a device and inode or a build id: a struct mapped_file
 * is what the mapping says, a struct elf_file the content that was found for it. Copies of one
 * library in many containers are many mapped files and one elf_file.
 */
#ifndef TAMIS_SYMBOL_FILE_CACHE_H
#define TAMIS_SYMBOL_FILE_CACHE_H

#include "elf_file.h"

#define NO_GENERATION UINT64_MAX

struct file_cache;
struct elf_file;
struct mapped_file;

struct file_key {
	u32 maj, min;
	u64 ino;
	u64 generation;		/**< NO_GENERATION: not known */
	struct build_id build_id; /**< with it the others are 0 */
};

/** How a file can be reached now. */
struct file_place {
	u32 pid;		/**< a process that has it mapped; 0: none is left */
	u64 start, end;		/**< of the mapping, for map_files */
	int root;		/**< directory descriptor of the process's root; negative: none */
	const char *path;	/**< as the kernel says it, " (deleted)" included; NULL */
};

struct file_cache *file_cache__new(void);
void file_cache__free(struct file_cache *c);

/** @return one reference, NULL without memory */
struct mapped_file *file_cache__get(struct file_cache *c, const struct file_key *key);
struct mapped_file *mapped_file__ref(struct mapped_file *f);
void mapped_file__put(struct file_cache *c, struct mapped_file *f);

/**
 * Opens the file while it is there, if nobody has: its content can then be read later. @return as
 * mapped_file__elf()
 */
struct elf_file *mapped_file__hold(struct file_cache *c, struct mapped_file *f,
				   const struct file_place *p, bool *not_elf);
/**
 * The content of the file as it is mapped there. @return one reference; NULL: it cannot be
 * opened any more, or is no ELF file (*not_elf)
 */
struct elf_file *mapped_file__elf(struct file_cache *c, struct mapped_file *f,
				  const struct file_place *p, bool *not_elf);
/** A file of the host by its path. @return one reference; NULL with errno, ENOEXEC: no ELF file */
struct elf_file *file_cache__by_path(struct file_cache *c, const struct file_place *p);
/** The vdso of 64-bit processes, one reference; NULL: there is none. */
struct elf_file *file_cache__vdso(struct file_cache *c);
struct elf_file *elf_file__ref(struct elf_file *e);
/** NULL is fine. */
void elf_file__put(struct elf_file *e);

/** False: its symbols were dropped to stay within bounds and it must be opened again. */
bool elf_file__usable(const struct elf_file *e);
/** @offset of the file as the file numbers it. @return false: not loaded from there */
bool elf_file__vaddr(const struct elf_file *e, u64 offset, u64 *vaddr);
/** The symbol that covers @vaddr; reads the symbols if that was not done yet. */
const struct sym *elf_file__find(struct file_cache *c, struct elf_file *e, u64 vaddr);
struct symtab *elf_file__symtab(struct elf_file *e);
/** A descriptor to read the file through, owned by the cache; negative: none. */
int elf_file__fd(const struct elf_file *e);

/** The vdso's bytes; NULL: it is a file. */
const void *elf_file__image(const struct elf_file *e, size_t *size);

size_t file_cache__nr(const struct file_cache *c);
size_t file_cache__bytes(const struct file_cache *c);

#endif
