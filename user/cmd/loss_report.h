/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file loss_report.h - `lost N events (total M)` on stderr, at most once a second.
 */
#ifndef TAMIS_CMD_LOSS_REPORT_H
#define TAMIS_CMD_LOSS_REPORT_H

#include "../base/log.h"

struct loss_report {
	struct log *log;
	u64 pending, total;	/**< events */
	u64 said_at;		/**< ns */
};

void loss_report__add(struct loss_report *r, u64 count);
/** Says what is pending unless something was said less than a second before @now (ns). */
void loss_report__flush(struct loss_report *r, u64 now);

#endif
