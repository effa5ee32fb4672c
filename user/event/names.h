/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file names.h - a sorted list of names.
 */
#ifndef TAMIS_EVENT_NAMES_H
#define TAMIS_EVENT_NAMES_H

#include "../base/types.h"

struct names {
	char **v;	/**< owned */
	size_t n, room;
};

/** Appends a copy. @return 0 or -ENOMEM */
int names__add(struct names *names, const char *name);
void names__sort(struct names *names);
/** Of a sorted list. */
bool names__find(const struct names *names, const char *name);
void names__free(struct names *names);

#endif
