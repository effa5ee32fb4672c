/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sample_part.h - where the parts of a perf sample are, for any sample_type.
 */
#ifndef TAMIS_EVENT_SAMPLE_PART_H
#define TAMIS_EVENT_SAMPLE_PART_H

#include "event.h"

/**
 * Finds one part of a PERF_RECORD_SAMPLE.
 * @data, @size the record, struct perf_event_header included
 * @bit one PERF_SAMPLE_* of layout->sample_type
 * @len its bytes; counts and sizes in front of a part are included
 * @return NULL if the sample has no such part or ends before it is whole
 */
const void *sample_part__find(const struct sample_layout *layout, const void *data, u32 size,
			      u64 bit, u32 *len);

#endif
