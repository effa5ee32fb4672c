// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
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
