/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file tracefs.h - where tracefs is.
 */
#ifndef TAMIS_EVENT_TRACEFS_H
#define TAMIS_EVENT_TRACEFS_H

#include "../base/err.h"

struct log;

/**
 * Opens tracefs: @dir, else $TAMIS_TRACEFS, else where it is usually mounted, else as a detached
 * mount that no other process sees. @return a descriptor of the directory, the caller's
 */
int tracefs__open(const char *dir, struct log *log, struct err *err);

#endif
