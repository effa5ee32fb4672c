// SPDX-License-Identifier: GPL-2.0-only
/* fuzz_format.c - any text as a format file, and then any bytes as its record. */
#include <stdlib.h>
#include <string.h>
#include "user/base/err.h"
#include "user/base/strbuf.h"
#include "user/event/event_fields.h"
#include "user/format/format.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/*
 * The text ends at the first NUL; the bytes behind it are the record. Not printed by the kernel's
 * print format: libtraceevent leaks what it took of one that it cannot parse.
 */
static void read_record(struct event *e, const u8 *bytes, size_t size)
{
	struct record rec = {.data = bytes, .size = size, .event = e};
	struct strbuf b = {0};

	format__json(&b, &rec, NULL);
	if (strpbrk(b.s, "\n\r\33"))
		abort();
	strbuf__free(&b);
}

static void with_format(struct event *e, const u8 *data, size_t size)
{
	u64 *aligned = malloc(size + 8);

	memcpy(aligned, data, size);
	e->label = "x:y";
	e->layout.raw = 32;
	e->transport = TRANSPORT_BPF;
	read_record(e, (u8 *)aligned, size);
	e->transport = TRANSPORT_PERF;
	e->sample.sample_type = 1u << 10; /* PERF_SAMPLE_RAW */
	read_record(e, (u8 *)aligned, size);
	free(aligned);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t text = strnlen((const char *)data, size);
	struct event e = {0};
	struct err err = {0};

	if (event_format__parse(&e.format, "x", "y", (const char *)data, text, &err))
		return 0;
	if (!event_fields__make(&e, NULL, &err) && text < size)
		with_format(&e, data + text + 1, size - text - 1);
	free(e.fields);
	event_format__put(e.format);
	return 0;
}
