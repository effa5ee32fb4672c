// SPDX-License-Identifier: GPL-2.0-only
/* fuzz_expr.c - any text as an expression; what parses is evaluated and said as a tracefs filter. */
#include <stdint.h>
#include "tests/unit/expr_event.h"
#include "user/filter/eval.h"
#include "user/filter/tracefs_string.h"
#include "user/filter/world.h"

static int no_function(void *ctx, const char *name, u64 *start, u64 *end)
{
	(void)ctx;
	*start = 1000;
	*end = 2000;
	return *name == 'n' ? -2 : 0;
}

static int no_cgroup(void *ctx, const char *path, u64 *id)
{
	(void)ctx;
	*id = 5;
	return *path == 'n' ? -2 : 0;
}

static const struct expr_world world = {.function = no_function, .cgroup = no_cgroup};

static void use(struct event *event, struct expr *e)
{
	u8 data[300] = {0};
	struct record rec = {.data = data, .size = sizeof(data), .event = event};
	struct expr *early, *late;
	bool unknown;

	free(tracefs_string(e, event, &unknown));
	eval__filter(e, &rec, &unknown);
	expr__extras(e);
	expr__split(e, &early, &late);
	expr__free(early);
	expr__free(late);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct event *event;
	static struct event_spec spec;
	struct spec_text text = {0};
	struct expr *e = NULL;
	struct err err = {0};

	if (!event)
		event = expr_event();
	text.s = strndup((const char *)bytes, size);
	if (!text.s)
		return 0;
	spec = (struct event_spec){.text = text.s, .since = size % 2 ? NULL : text.s};
	event->spec = &spec;
	if (!expr__parse(&e, event, &text, size % 3, &world, NULL, &err) && e->bits)
		use(event, e);
	else
		expr__free(e);
	event->spec = NULL;
	free(text.s);
	return 0;
}
