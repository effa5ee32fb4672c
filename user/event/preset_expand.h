/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file preset_expand.h - a preset in a specification becomes the events that it stands for.
 */
#ifndef TAMIS_EVENT_PRESET_EXPAND_H
#define TAMIS_EVENT_PRESET_EXPAND_H

#include "spec_parts.h"

/**
 * Filter and attributes behind the preset's name go to those of its events that are delivered;
 * an attribute that the preset has too is replaced. @return 0; -ENOENT: no preset of that name
 */
int preset__expand(struct event_specs *specs, const struct event_text *t,
		   const char *const *preset_dirs, struct log *log, struct err *err);

#endif
