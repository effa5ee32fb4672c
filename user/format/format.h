/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file format.h - a record as a line of text or as a JSON object, for trace and event.print().
 *
 * Everything is appended to a buffer; nothing ends with a newline. One record is one line,
 * whatever its bytes are. May be called by any thread.
 */
#ifndef TAMIS_FORMAT_FORMAT_H
#define TAMIS_FORMAT_FORMAT_H

#include "../base/strbuf.h"
#include "../event/record.h"

struct format_opts {
	bool date;			/**< line: begin with YYYY-MM-DD HH:MM:SS.uuuuuu */
	bool terminal;			/**< escape what is not UTF-8, too */
	const char *comm;		/**< where the record carries none; NULL: not known */
	const char *const *show;	/**< NULL-terminated names; NULL: all fields */
	/** JSON: the call chain as an array; NULL: its addresses as numbers. */
	void (*callchain)(void *ctx, struct strbuf *b, const struct record *rec);
	/** Path of a cgroup, or name of the container it is of; NULL: none. NULL: ids are shown. */
	const char *(*cgroup)(void *ctx, u64 id, bool container);
	void *ctx;
};

/** "DATE  comm  tid flags [cpu] seconds.us: label: body" */
void format__line(struct strbuf *b, const struct record *rec, const struct format_opts *opts);
/** The fields alone, by the kernel's own print format if there is one that can be used. */
void format__body(struct strbuf *b, const struct record *rec, const struct format_opts *opts);
/** One strict JSON object: _event, _time, ... as Python names them, then the fields. */
void format__json(struct strbuf *b, const struct record *rec, const struct format_opts *opts);

/** The extra's name as Python has it: "_comm". */
const char *format__extra_name(enum extra which);

/** One value as text: numbers, bare text with control bytes escaped, bytes as hex, {1,2,3}. */
void format__value(struct strbuf *b, const struct field *f, const struct value *v, bool terminal);
/** One value as JSON: exact numbers, text, bytes as hex, lists, null. */
void format__json_value(struct strbuf *b, const struct field *f, const struct value *v);

/** Text as one line: control bytes escaped, with @terminal also what is not UTF-8. */
void format__escape(struct strbuf *b, const char *s, size_t len, bool terminal);
/** A JSON string; bytes that are not UTF-8 become \udcXX, as Python's surrogateescape has them. */
void format__json_string(struct strbuf *b, const char *s, size_t len);

#endif
