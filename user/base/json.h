/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file json.h - the values of a JSON text, one after another: enough to look things up in it.
 */
#ifndef TAMIS_BASE_JSON_H
#define TAMIS_BASE_JSON_H

#include "types.h"

/** A string, number, true, false or null. All texts are borrowed until the function returns. */
struct json_value {
	const char *text;
	const char *key; /**< "" in an array */
	const char *parent; /**< key of the object or array that holds it, "" on top */
	int depth; /**< objects and arrays around it */
	size_t element; /**< index in the outermost array */
};

/**
 * Calls @fn for each value, in order; it stops by returning not 0. Texts are cut after 1023 bytes.
 * @return what @fn returned; 0 at the end; -EINVAL: the text is no JSON from some place on
 */
int json__each(const char *text, size_t len, int (*fn)(void *ctx, const struct json_value *v),
	       void *ctx);

#endif
