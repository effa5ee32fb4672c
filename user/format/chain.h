/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file chain.h - the call chain of a record, with names.
 */
#ifndef TAMIS_FORMAT_CHAIN_H
#define TAMIS_FORMAT_CHAIN_H

#include "../base/strbuf.h"
#include "../event/record.h"

struct symbolizer;

/** A line for each frame, leaf first: "\n\taddress symbol+0x12 (dso)". */
void format__chain(struct strbuf *b, const struct record *rec, struct symbolizer *sym);
/** An array of {"addr", "symbol", "offset", "kernel", "dso"}, as Python's _callchain. */
void format__chain_json(struct strbuf *b, const struct record *rec, struct symbolizer *sym);

#endif
