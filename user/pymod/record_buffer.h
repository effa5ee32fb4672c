/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file record_buffer.h - records that outlive their batch: what an iterator has not yet handed on.
 *
 * Filled without the interpreter's lock, as the sink of a session.
 */
#ifndef TAMIS_PYMOD_RECORD_BUFFER_H
#define TAMIS_PYMOD_RECORD_BUFFER_H

#include "../event/record.h"

struct record_buffer {
	struct record *recs;	/**< data points into bytes once record_buffer__done() was called */
	size_t n, room;
	u8 *bytes;
	size_t used, bytes_room;
};

/** Copies the records and their bytes. @return 0 or -ENOMEM */
int record_buffer__add(struct record_buffer *b, const struct record *recs, int n);
/** After the last add: the records can be read. */
void record_buffer__done(struct record_buffer *b);
/** Empties it and keeps its memory. */
void record_buffer__reset(struct record_buffer *b);
void record_buffer__free(struct record_buffer *b);

#endif
