/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file ctype.h - what a C declaration in a format file says about a field.
 */
#ifndef TAMIS_EVENT_CTYPE_H
#define TAMIS_EVENT_CTYPE_H

#include "../base/types.h"

enum ctype_class {
	CTYPE_UNKNOWN, /**< a typedef that is not in the table: the file's columns decide */
	CTYPE_INT,
	CTYPE_CHAR, /**< plain char: its sign is the kernel build's choice */
	CTYPE_ENUM,
	CTYPE_POINTER,
	CTYPE_STRUCT,
};

struct ctype {
	enum ctype_class class;
	u32 size; /**< CTYPE_INT, CTYPE_CHAR, CTYPE_POINTER: bytes */
	bool is_signed; /**< CTYPE_INT */
};

/** @text a type without name and dimensions, @len bytes: "const unsigned long", "pid_t" */
struct ctype ctype__parse(const char *text, size_t len);

#endif
