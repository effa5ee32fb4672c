// SPDX-License-Identifier: GPL-2.0-only
/* main.c - finds the command, runs it, prints its error. */
#include <stdio.h>
#include <string.h>
#include "base/types.h"
#include "cmd/command.h"

extern const struct command cmd_doctor;
extern const struct command cmd_symbols;

static const struct command *const commands[] = {
	&cmd_doctor,
	&cmd_symbols,
	NULL,
};

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int usage(FILE *out)
{
	size_t i;

	fprintf(out, "Usage: tamis COMMAND ...\n\n");
	for (i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	return out == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
	const struct command *c = argc > 1 ? find(argv[1]) : NULL;
	struct err err = {0};
	int status;

	if (!c)
		return usage(stderr);
	status = c->run(c, argc - 1, argv + 1, &err);
	if (status >= 0)
		return status;
	fprintf(stderr, "tamis: %s\n", err.text);
	return err.usage ? 2 : 1;
}
