/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file names_feed.h - tells a symbolizer what the kernel tells of processes: ties collect/ to symbol/.
 */
#ifndef TAMIS_NAMES_FEED_H
#define TAMIS_NAMES_FEED_H

struct sideband_record;
struct symbolizer;

/** For sideband__read(): @ctx is a struct symbolizer. */
void names_feed(void *ctx, const struct sideband_record *rec);

#endif
