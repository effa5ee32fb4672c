/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file column.h - one field of all events of a batch, gathered into memory of its own.
 */
#ifndef TAMIS_PYMOD_COLUMN_H
#define TAMIS_PYMOD_COLUMN_H

#include "pymod.h"

/**
 * @return a memoryview: one dimension of the field's natural type, bytes of one width for text, two
 * dimensions for arrays. TypeError for what has no such form (call chains).
 */
PyObject *column__gather(struct kind *k, const struct slot *s, const struct record *recs, size_t n);

#endif
