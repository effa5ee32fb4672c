// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include "../options.h"
#include "command.h"

void command__help(const struct command *c, const char *options)
{
	size_t i;

	printf("Usage: tamis %s %s\n\n%s.\n", c->name, c->usage, c->summary);
	if (options)
		printf("\n%s", options);
	printf("\nExamples:\n");
	for (i = 0; c->examples && c->examples[i]; i++)
		printf("  %s\n", c->examples[i]);
}

int command__help_options(const struct command *c, unsigned int groups)
{
	struct strbuf b = {0};

	options__help(&b, groups);
	command__help(c, b.s);
	strbuf__free(&b);
	return 0;
}
