/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file file_open.h - opens what a mapping maps, and nothing else that has the same path.
 */
#ifndef TAMIS_SYMBOL_FILE_OPEN_H
#define TAMIS_SYMBOL_FILE_OPEN_H

#include <sys/stat.h>
#include "file_cache.h"

/** Through map_files, else by path below the process's root, or ours. @return descriptor and its stat; -ENOENT */
int mapped_file__open(const struct file_key *key, const struct file_place *p, struct stat *st);
/** Cuts " (deleted)" off a path of the kernel. @return the new length */
size_t path__without_deleted(const char *path);

#endif
