/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file elf_path.h - where the binary of a probe is.
 */
#ifndef TAMIS_EVENT_ELF_PATH_H
#define TAMIS_EVENT_ELF_PATH_H

#include <limits.h>
#include "../base/types.h"

/**
 * A name with a slash is a path. Others are libraries, as the dynamic linker finds them
 * (LD_LIBRARY_PATH, /etc/ld.so.cache, the usual directories), then programs in PATH.
 * @root where the search begins, and what symbolic links cannot leave: "" or "/proc/PID/root"
 * @out the path, for messages
 * @return a descriptor, the caller's; -errno
 */
int elf_path__open(const char *root, const char *name, char out[PATH_MAX]);

#endif
