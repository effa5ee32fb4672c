// SPDX-License-Identifier: GPL-2.0-only
/* fuzz_spec.c - any text as what stands behind -e. */
#include <stdlib.h>
#include <string.h>
#include "user/base/err.h"
#include "user/event/spec.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* What a specification says is in its text, where carets will point. */
static void check(const struct event_spec *s, const struct spec_text *piece)
{
	if (piece->s && (piece->at + strlen(piece->s) > strlen(s->text) ||
			 memcmp(s->text + piece->at, piece->s, strlen(piece->s))))
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const presets[] = {"python/presets", NULL};
	struct event_specs specs = {0};
	struct err err = {0};
	char *text = malloc(size + 1);
	size_t i, k;
	int ret;

	memcpy(text, data, size);
	text[size] = 0;
	ret = spec__parse(&specs, text, presets, NULL, &err);
	if (!ret)
		ret = spec__link(&specs, &err);
	if (ret && (!err.code || !err.text[0]))
		abort();
	for (i = 0; i < specs.n; i++) {
		check(specs.v[i], &specs.v[i]->filter);
		check(specs.v[i], &specs.v[i]->options);
		for (k = 0; k < specs.v[i]->by.n; k++)
			check(specs.v[i], &specs.v[i]->by.v[k]);
		for (k = 0; k < AGG_MAX_OP; k++)
			check(specs.v[i], &specs.v[i]->op[k]);
	}
	spec__free(&specs);
	free(text);
	return 0;
}
