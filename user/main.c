// SPDX-License-Identifier: GPL-2.0-only
/* main.c - finds the command, runs it, prints its error: the only place that decides the exit code. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/types.h"
#include "base/suggest.h"
#include "cmd/commands.h"

static const struct command *const commands[] = {
	&cmd_python,
	&cmd_run,
	&cmd_top,
	&cmd_trace,
	&cmd_list,
	&cmd_profile,
	&cmd_kvmstat,
	&cmd_stat,
	&cmd_symbols,
	&cmd_doctor,
	NULL,
};

static const char *const examples[] = {
	"tamis trace -e sched:sched_process_exec",
	"tamis trace -e 'syscalls:sys_enter_openat/filename ~ \"/etc/*\"/'",
	"tamis top -e 'raw_syscalls:sys_enter//count/by=id,_comm/'",
	"tamis python -e sched:sched_wakeup help",
	"tamis list 'sched:*'",
};

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static bool called_as(const char *argv0, const char *name)
{
	const char *slash = strrchr(argv0, '/');

	return !strcmp(slash ? slash + 1 : argv0, name);
}

static int usage(FILE *out, int status)
{
	size_t i;

	fprintf(out, "Usage: tamis COMMAND [OPTIONS]\n\nCommands:\n");
	for (i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(out, "\nExamples:\n");
	for (i = 0; i < ARRAY_SIZE(examples); i++)
		fprintf(out, "  %s\n", examples[i]);
	fprintf(out, "\n`tamis COMMAND -h` has the options of a command.\n");
	return status;
}

static int unknown(const char *name)
{
	const char *names[ARRAY_SIZE(commands)], *near = NULL;
	size_t n;

	for (n = 0; commands[n]; n++)
		names[n] = commands[n]->name;
	fprintf(stderr, "tamis: no command '%s'", name);
	if (suggest__nearest(name, names, n, &near, 1) > 0)
		fprintf(stderr, " (nearest: %s)", near);
	fprintf(stderr, "\n\n");
	return usage(stderr, 2);
}

static int run(const struct command *c, int argc, char **argv)
{
	struct err err = {0};
	int status = c->run(c, argc, argv, &err);

	if (status >= 0)
		return status;
	fprintf(stderr, "tamis: %s\n", err.code ? err.text : strerror(-status));
	return err.usage ? 2 : 1;
}

/* What is closed would be given to the first ring or program, and then written to as a terminal. */
static void hold_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct command *c;

	hold_standard_files();
	if (argc && called_as(argv[0], cmd_perf_prof.name))
		return run(&cmd_perf_prof, argc, argv);
	if (!name)
		return usage(stdout, 0);
	if (!strcmp(name, "-h") || !strcmp(name, "--help") || !strcmp(name, "help"))
		return usage(stdout, 0);
	if (!strcmp(name, "--version")) {
		printf("tamis %s\n", TAMIS_VERSION);
		return 0;
	}
	c = find(name);
	return c ? run(c, argc - 1, argv + 1) : unknown(name);
}
