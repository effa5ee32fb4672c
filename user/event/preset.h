/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file preset.h - named event specifications: one file each, a line of help and the events.
 */
#ifndef TAMIS_EVENT_PRESET_H
#define TAMIS_EVENT_PRESET_H

#include "../base/err.h"

struct preset {
	char *name, *help, *events;
};

/** @dirs NULL-terminated, first match wins; may be NULL. @return 0; -ENOENT without a message */
int preset__load(struct preset *p, const char *name, const char *const *dirs, struct err *err);
void preset__free(struct preset *p);
/** Calls @fn for each preset, sorted, each name once. */
int preset__each(const char *const *dirs, int (*fn)(void *ctx, const struct preset *p), void *ctx,
		 struct err *err);

#endif
