/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file eval.h - the value of an expression for a record, in user space.
 *
 * Three-valued: what depends on something the record does not carry (user text that was not in
 * memory, an extra that was not captured, a field beyond its end) is unknown, unless && || decide
 * without it.
 */
#ifndef TAMIS_FILTER_EVAL_H
#define TAMIS_FILTER_EVAL_H

#include "../event/record.h"
#include "expr.h"

struct eval {
	bool unknown;
	u64 num; /**< canonical in the type of the expression */
};

/** Never reads outside the record, whatever its bytes say. */
struct eval eval__int(const struct expr *e, const struct record *rec);
/** Does the filter let the record pass? What is unknown passes, and sets *unknown. */
bool eval__filter(const struct expr *e, const struct record *rec, bool *unknown);

#endif
