/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file data_dirs.h - where presets and ready scripts are: the user's own, then the installed ones.
 */
#ifndef TAMIS_DATA_DIRS_H
#define TAMIS_DATA_DIRS_H

#include <stddef.h>

/**
 * The directory of tamis's data files @sub ("presets", "scripts"): below $TAMIS_DATA, below python/
 * of the source tree the program was built in, or where it was installed.
 * @return @out, or NULL when there is none
 */
const char *data_dir(const char *sub, char *out, size_t room);
/** ~/.config/tamis/SUB. @return @out, or NULL without a home */
const char *user_dir(const char *sub, char *out, size_t room);

#endif
