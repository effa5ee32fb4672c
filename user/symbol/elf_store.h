/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file elf_store.h - contents of ELF files, each once, with bounds on memory and descriptors.
 */
#ifndef TAMIS_SYMBOL_ELF_STORE_H
#define TAMIS_SYMBOL_ELF_STORE_H

#include <sys/stat.h>
#include "file_cache.h"

struct elf_store;

struct elf_store *elf_store__new(void);
void elf_store__free(struct elf_store *s);

/**
 * Takes over @fd. @return the file that has this content, with one reference: one that is known
 * or a new one; NULL: not an ELF file
 */
struct elf_file *elf_store__adopt(struct elf_store *s, int fd, const struct stat *st,
				  const struct file_place *p);
bool elf_file__is_version(const struct elf_file *e, const struct stat *st);
/** Offers a descriptor of a known file, in case its own was closed; takes it over. */
void elf_file__reopen(struct elf_store *s, struct elf_file *e, int fd);
struct elf_file *elf_store__vdso(struct elf_store *s);
const struct sym *elf_store__find(struct elf_store *s, struct elf_file *e, u64 vaddr);
size_t elf_store__bytes(const struct elf_store *s);

#endif
