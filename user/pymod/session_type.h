/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file session_type.h - tamis.Session and the iterator of its batches.
 */
#ifndef TAMIS_PYMOD_SESSION_TYPE_H
#define TAMIS_PYMOD_SESSION_TYPE_H

#include "pymod.h"

extern PyTypeObject session_type, batches_type;

#endif
