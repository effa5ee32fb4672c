/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file parts.h - what the files of this folder share.
 */
#ifndef TAMIS_FORMAT_PARTS_H
#define TAMIS_FORMAT_PARTS_H

#include "format.h"

/** By the kernel's own print format. @return false: it cannot be used for this record */
bool kernel_text__put(struct strbuf *b, const struct record *rec, bool terminal);
/** A sample's parts as name=value. */
void sample_text__put(struct strbuf *b, const struct record *rec);
/** A sample's parts as members, each with a comma in front. */
void sample_json__put(struct strbuf *b, const struct record *rec, const struct format_opts *opts);

/** Is it asked for? Without a list everything is. */
bool format__shows(const struct format_opts *opts, const char *name);
/** In decimal; faster than printf. */
void format__number(struct strbuf *b, u64 num, bool is_signed);
/** Bytes as hexadecimal digits. */
void format__hex(struct strbuf *b, const void *bytes, size_t n);
/** Element @i of an array. */
u64 format__element(const struct field *f, const struct value *v, u32 i);

#endif
