/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file field.h - one field of an event: where it is in a record and what its C type says.
 *
 * Types follow the C declaration in the event's format file, never its size and signed columns,
 * which are wrong for syscall events (DESIGN.md, spec/events.md).
 */
#ifndef TAMIS_EVENT_FIELD_H
#define TAMIS_EVENT_FIELD_H

#include "../base/types.h"

struct record;

enum field_kind {
	FIELD_INT, /**< integer, enum, bool or pointer of 1, 2, 4 or 8 bytes */
	FIELD_TEXT, /**< ends at a NUL or with its room */
	FIELD_BYTES, /**< u8 arrays, addresses, structs: no text, no numbers */
	FIELD_ARRAY, /**< integers wider than a byte, elem_size each */
};

enum field_where {
	FIELD_STATIC, /**< at offset in the raw record */
	FIELD_DATA_LOC, /**< u32 at offset: low 16 bits offset in the raw record, high 16 length */
	FIELD_REL_LOC, /**< the same, but the offset counts from behind the u32 */
	FIELD_USER_TEXT, /**< user pointer at offset; the text, if carried, is in text slot @slot */
	FIELD_KEPT_TEXT, /**< the same of the event that began the interval, read when it ends */
	FIELD_VALUE, /**< not in the raw record: number @slot of the layout's values, a u64 or more */
};

/** All strings are owned by the struct event_format (or event) that holds the field. */
struct field {
	const char *name;
	const char *type; /**< C declaration without the name: "const char *", "unsigned long[6]" */
	enum field_kind kind;
	enum field_where where;
	u32 offset; /**< in the raw record, which begins with the 8 bytes common_* */
	u32 room; /**< bytes it takes there: 8 for `int dfd` of a syscall event */
	u32 size; /**< bytes of the value: 4 for `int dfd`; of all elements; 0: dynamic */
	u32 elem_size; /**< of one element; size for plain integers */
	bool is_signed; /**< of the integer or the elements */
	u16 slot; /**< FIELD_USER_TEXT, FIELD_KEPT_TEXT, FIELD_VALUE: index in struct layout */
	u16 kept; /**< of the event that began the interval: its first word of keep=, from 1; 0: not */
};

/** Text in user memory, of this event or of the one that began its interval? */
static inline bool field__is_user_text(const struct field *f)
{
	return f->where == FIELD_USER_TEXT || f->where == FIELD_KEPT_TEXT;
}

#define KEPT_TEXT_MAX 16 /**< bytes of a text that keep= carries; of the others it carries where they are */

/** Words of 8 bytes that keep= carries of it; 0: it carries no such field */
u32 field__kept_words(const struct field *f);

enum value_kind {
	VALUE_NONE, /**< not there: text that could not be read, an extra that was not carried */
	VALUE_INT, /**< signed, in num */
	VALUE_UINT, /**< unsigned, in num */
	VALUE_TEXT, /**< ptr, len; no NUL inside */
	VALUE_BYTES, /**< ptr, len */
	VALUE_ARRAY, /**< ptr, len bytes of field->elem_size elements */
};

struct value {
	enum value_kind kind;
	u32 len;
	u64 num; /**< sign-extended to 64 bits */
	const void *ptr; /**< borrowed from the record */
};

/**
 * Reads a field of a record. Never reads outside the record, whatever its bytes say: what does
 * not fit is VALUE_NONE or cut.
 */
struct value field__read(const struct field *f, const struct record *rec);

#endif
