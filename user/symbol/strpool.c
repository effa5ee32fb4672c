// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "strpool.h"

#define CHUNK_BITS 16
#define CHUNK	   (1u << CHUNK_BITS)

struct slot {
	u32 hash, id;
};

/* An id is the position of the string in the chunks; position 0 is never used. */
struct strpool {
	char **chunks;
	size_t nr_chunks, room;
	u32 used; /* of the last chunk */
	struct slot *slots;
	u32 nr_slots, count;
};

struct strpool *strpool__new(void)
{
	struct strpool *n = calloc(1, sizeof(*n));

	if (n)
		n->used = CHUNK;
	return n;
}

void strpool__free(struct strpool *n)
{
	size_t i;

	if (!n)
		return;
	for (i = 0; i < n->nr_chunks; i++)
		free(n->chunks[i]);
	free(n->chunks);
	free(n->slots);
	free(n);
}

static u32 hash_bytes(const char *s, size_t len)
{
	u64 h = 14695981039346656037ull;

	while (len--)
		h = (h ^ (u8)*s++) * 1099511628211ull;
	return h ^ (h >> 32);
}

const char *strpool__str(const struct strpool *n, u32 id)
{
	return n->chunks[id >> CHUNK_BITS] + (id & (CHUNK - 1));
}

static void put_slot(struct slot *slots, u32 nr, struct slot s)
{
	u32 i = s.hash & (nr - 1);

	while (slots[i].id)
		i = (i + 1) & (nr - 1);
	slots[i] = s;
}

static int grow(struct strpool *n)
{
	u32 nr = n->nr_slots ? n->nr_slots * 2 : 64, i;
	struct slot *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < n->nr_slots; i++)
		if (n->slots[i].id)
			put_slot(slots, nr, n->slots[i]);
	free(n->slots);
	n->slots = slots;
	n->nr_slots = nr;
	return 0;
}

static int new_chunk(struct strpool *n)
{
	char *chunk;

	if (n->nr_chunks == 1u << (32 - CHUNK_BITS))
		return -ENOMEM;
	chunk = malloc(CHUNK);
	if (!chunk)
		return -ENOMEM;
	if (array__push(n->chunks, n->nr_chunks, n->room, chunk)) {
		free(chunk);
		return -ENOMEM;
	}
	n->used = n->nr_chunks == 1;
	return 0;
}

static u32 store(struct strpool *n, const char *s, size_t len)
{
	char *at;

	if (n->used + len + 1 > CHUNK && new_chunk(n))
		return 0;
	at = n->chunks[n->nr_chunks - 1] + n->used;
	memcpy(at, s, len);
	at[len] = 0;
	n->used += len + 1;
	return ((n->nr_chunks - 1) << CHUNK_BITS) + n->used - len - 1;
}

u32 strpool__id(struct strpool *n, const char *s, size_t len)
{
	u32 hash, i, id;

	if (len > NAME_MAX_LEN)
		len = NAME_MAX_LEN;
	if (n->count * 4 >= n->nr_slots * 3 && grow(n))
		return 0;
	hash = hash_bytes(s, len);
	for (i = hash & (n->nr_slots - 1); (id = n->slots[i].id); i = (i + 1) & (n->nr_slots - 1)) {
		const char *have = strpool__str(n, id);

		if (n->slots[i].hash == hash && !strncmp(have, s, len) && !have[len])
			return id;
	}
	id = store(n, s, len);
	if (!id)
		return 0;
	n->slots[i] = (struct slot){hash, id};
	n->count++;
	return id;
}

const char *strpool__intern(struct strpool *n, const char *s)
{
	u32 id = strpool__id(n, s, strlen(s));

	return id ? strpool__str(n, id) : "?";
}

size_t strpool__bytes(const struct strpool *n)
{
	return n->nr_chunks * CHUNK + n->nr_slots * sizeof(struct slot);
}
