// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "event.h"

struct wall_clock *wall_clock__get(struct wall_clock *c)
{
	__atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
	return c;
}

void wall_clock__put(struct wall_clock *c)
{
	if (c && !__atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL))
		free(c);
}

struct event *event__get(struct event *e)
{
	__atomic_add_fetch(&e->refs, 1, __ATOMIC_RELAXED);
	return e;
}

void event__put(struct event *e)
{
	if (!e || __atomic_sub_fetch(&e->refs, 1, __ATOMIC_ACQ_REL))
		return;
	event_format__put(e->format);
	wall_clock__put(e->clock);
	free(e->label);
	free(e->handler);
	free(e->fields);
	free(e);
}

const struct field *event__field(const struct event *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->nr_fields; i++)
		if (!strcmp(e->fields[i].name, name))
			return &e->fields[i];
	for (i = 0; i < ARRAY_SIZE(common_fields); i++)
		if (!strcmp(common_fields[i].name, name))
			return &common_fields[i];
	return NULL;
}
