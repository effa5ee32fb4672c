/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file output_file.h - -o FILE: takes the place of stdout, so that scripts write there too.
 */
#ifndef TAMIS_CMD_OUTPUT_FILE_H
#define TAMIS_CMD_OUTPUT_FILE_H

#include "../base/err.h"
#include "../base/strbuf.h"

/** Opens @path (truncated, or appended to when @again) as descriptor 1. NULL: stdout stays. */
int output_file__open(const char *path, bool again, struct err *err);
/** Writes all of @b to stdout. @return 0; -EPIPE: the reader is gone; -errno with @err */
int output_file__write(const struct strbuf *b, struct err *err);

#endif
