// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>
#include "format.h"
#include "print_format.h"
#include "probe.h"

const struct field common_fields[4] = {
	{.name = "common_type",
	 .type = "unsigned short",
	 .offset = 0,
	 .room = 2,
	 .size = 2,
	 .elem_size = 2},
	{.name = "common_flags",
	 .type = "unsigned char",
	 .offset = 2,
	 .room = 1,
	 .size = 1,
	 .elem_size = 1},
	{.name = "common_preempt_count",
	 .type = "unsigned char",
	 .offset = 3,
	 .room = 1,
	 .size = 1,
	 .elem_size = 1},
	{.name = "common_pid",
	 .type = "int",
	 .offset = 4,
	 .room = 4,
	 .size = 4,
	 .elem_size = 4,
	 .is_signed = true},
};

struct event_format *event_format__get(struct event_format *f)
{
	__atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
	return f;
}

void event_format__put(struct event_format *f)
{
	if (!f || __atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL))
		return;
	print_format__free(f->print);
	probe__free(f->probe);
	free(f->system);
	free(f->name);
	free(f->fields);
	free(f->strings);
	free(f->text);
	free(f);
}

static const struct field *find(const struct field *fields, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

const struct field *event_format__field(const struct event_format *f, const char *name)
{
	const struct field *field = find(f->fields, f->nr_fields, name);

	return field ? field : find(common_fields, ARRAY_SIZE(common_fields), name);
}
