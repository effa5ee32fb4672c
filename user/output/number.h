/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file number.h - numbers as a person reads them.
 */
#ifndef TAMIS_OUTPUT_NUMBER_H
#define TAMIS_OUTPUT_NUMBER_H

#include "../base/strbuf.h"

/** "1.5 ms", "12 us", "-3 s", "0 ns": three digits. */
void number__time(struct strbuf *b, double ns);
/** Whole numbers below 100,000 as they are, larger ones with three digits and K M G T P E (times
 * 1000). */
void number__short(struct strbuf *b, double v);

#endif
