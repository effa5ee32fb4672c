/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sideband_record.h - one PERF_RECORD_* beside the samples, decoded.
 */
#ifndef TAMIS_COLLECT_SIDEBAND_RECORD_H
#define TAMIS_COLLECT_SIDEBAND_RECORD_H

#include <linux/perf_event.h>
#include "sideband.h"

/** What sample_id_all appends to each record: the last 16 bytes are CPU and IDENTIFIER. */
#define SIDEBAND_PARTS (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/**
 * Never reads outside the h->size bytes at @h, whatever they are; texts are NUL-terminated inside
 * them. @return false: no record that anybody asked for, or one that is cut
 */
bool sideband_record__parse(struct sideband_record *rec, const struct perf_event_header *h, u16 cpu);

#endif
