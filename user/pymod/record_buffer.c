// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "record_buffer.h"

static size_t room_for(const struct record *rec)
{
	return (rec->size + 7) & ~7ull;
}

static int make_room(struct record_buffer *b, size_t bytes)
{
	size_t room = b->bytes_room ? b->bytes_room : 1 << 16;
	u8 *grown;

	while (room - b->used < bytes)
		room *= 2;
	if (room == b->bytes_room)
		return 0;
	grown = realloc(b->bytes, room);
	if (!grown)
		return -ENOMEM;
	b->bytes = grown;
	b->bytes_room = room;
	return 0;
}

/* Until the buffer stops growing, data holds an offset. */
static int add(struct record_buffer *b, const struct record *rec)
{
	struct record copy = *rec;

	if (make_room(b, room_for(rec)))
		return -ENOMEM;
	memcpy(b->bytes + b->used, rec->data, rec->size);
	copy.data = (const void *)(uintptr_t)b->used;
	b->used += room_for(rec);
	return array__push(b->recs, b->n, b->room, copy);
}

int record_buffer__add(struct record_buffer *b, const struct record *recs, int n)
{
	int i, ret = 0;

	for (i = 0; i < n && !ret; i++)
		ret = add(b, &recs[i]);
	return ret;
}

void record_buffer__done(struct record_buffer *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		b->recs[i].data = b->bytes + (uintptr_t)b->recs[i].data;
}

void record_buffer__reset(struct record_buffer *b)
{
	b->n = b->used = 0;
}

void record_buffer__free(struct record_buffer *b)
{
	free(b->recs);
	free(b->bytes);
	memset(b, 0, sizeof(*b));
}
