// SPDX-License-Identifier: GPL-2.0-only
/* symbols.c - `tamis symbols`: addresses on stdin, names on stdout. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/log.h"
#include "../base/strbuf.h"
#include "../symbol/symbolizer.h"
#include "command.h"
#include "commands.h"

static const char options_text[] =
	"  -p PID              addresses of this process, as they are now\n"
	"  FILE                addresses as the ELF file numbers them (what nm prints)\n"
	"  --no-demangle       names of C++ and Rust as they stand in the file\n"
	"  --perf-map-dir DIR  where perf-PID.map files are, instead of /tmp\n"
	"  -v                  what was skipped, on stderr\n"
	"  -h, --help          this text\n"
	"\nWithout -p and FILE only kernel addresses have names. One address in hexadecimal a line, 0x is\n"
	"optional; what follows it on the line is ignored. Each is taken as it is, not as a return address.\n";

static const char *const examples[] = {
	"echo ffffffff81000000 | tamis symbols",
	"nm /usr/bin/perf | awk '/ T /{print $1}' | tamis symbols /usr/bin/perf",
	"awk '/r-xp/{print $1}' /proc/self/maps | tamis symbols -p $$",
	NULL,
};

struct request {
	u32 pid;
	const char *file;
	bool verbose;
	struct symbolizer_opts opts;
};

static void write_log(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "tamis: %s\n", line);
}

static int parse_pid(const char *s, u32 *pid, struct err *err)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (end == s || *end || !n || n > INT32_MAX)
		return err__usage(err, "-p %s: not a process id", s);
	*pid = n;
	return 0;
}

enum { OPT_RAW = 256, OPT_MAP_DIR };

static const struct option longs[] = {
	{"pid", required_argument, NULL, 'p'},
	{"no-demangle", no_argument, NULL, OPT_RAW},
	{"perf-map-dir", required_argument, NULL, OPT_MAP_DIR},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* @return 0; 1: the help was asked for; negative */
static int parse_options(struct request *r, int argc, char **argv, struct err *err)
{
	int c, ret;

	optind = 0;
	while ((c = getopt_long(argc, argv, "p:vh", longs, NULL)) != -1) {
		ret = 0;
		if (c == 'p')
			ret = parse_pid(optarg, &r->pid, err);
		else if (c == OPT_RAW)
			r->opts.raw_names = true;
		else if (c == OPT_MAP_DIR)
			r->opts.perf_map_dir = optarg;
		else if (c == 'v')
			r->verbose = true;
		else
			return c == 'h' ? 1 : err__usage(err, "symbols: see tamis symbols --help");
		if (ret)
			return ret;
	}
	r->file = argv[optind];
	if (r->file && argv[optind + 1])
		return err__usage(err, "symbols: %s: one FILE at a time", argv[optind + 1]);
	if (r->file && r->pid)
		return err__usage(err, "symbols: -p PID and FILE exclude each other");
	return 0;
}

static bool parse_address(const char *line, u64 *addr)
{
	char *end;

	errno = 0;
	*addr = strtoull(line, &end, 16);
	return end != line && !errno;
}

static int name_one(struct symbolizer *s, const struct request *r, u64 addr, struct frame *f,
		    struct err *err)
{
	if (r->file)
		return symbolizer__file(s, r->file, &addr, 1, f, err);
	if (!symbolizer__frames(s, r->pid, 0, &addr, 1, f))
		*f = (struct frame){.addr = addr};
	return 0;
}

static int name_lines(struct symbolizer *s, const struct request *r, struct err *err)
{
	_cleanup_free_ char *line = NULL;
	struct strbuf out = {0};
	size_t room = 0;
	int ret = 0;

	while (!ret && getline(&line, &room, stdin) > 0) {
		struct frame f;
		u64 addr;

		if (!parse_address(line, &addr)) {
			line[strcspn(line, "\n")] = 0;
			ret = err__set(err, EINVAL, "stdin: \"%s\" is not an address", line);
			break;
		}
		ret = name_one(s, r, addr, &f, err);
		if (ret)
			break;
		strbuf__reset(&out);
		frame__print(&f, &out);
		printf("%llx %s\n", (unsigned long long)addr, out.s);
	}
	strbuf__free(&out);
	if (!ret && fflush(stdout))
		ret = err__set(err, errno, "stdout: %s", strerror(errno));
	return ret;
}

static void print_stats(const struct symbolizer *s)
{
	struct symbolizer_stats st;

	symbolizer__stats(s, &st);
	fprintf(stderr, "tamis: %llu addresses, %llu without a name, %llu of files that are gone\n",
		(unsigned long long)st.frames, (unsigned long long)st.nameless,
		(unsigned long long)st.late);
	if (st.map_lines || st.map_bad_lines)
		fprintf(stderr, "tamis: perf map files: %llu lines, %llu malformed ones skipped\n",
			(unsigned long long)st.map_lines, (unsigned long long)st.map_bad_lines);
}

static int run(const struct command *self, int argc, char **argv, struct err *err)
{
	struct request r = {0};
	struct log log = {.level = LOG_NOTICE, .write = write_log};
	struct symbolizer *s;
	int ret = parse_options(&r, argc, argv, err);

	if (ret > 0) {
		command__help(self, options_text);
		return 0;
	}
	if (!ret)
		ret = symbolizer__new(&s, &r.opts, &log, err);
	if (ret)
		return ret;
	ret = name_lines(s, &r, err);
	if (r.verbose)
		print_stats(s);
	symbolizer__free(s);
	return ret;
}

const struct command cmd_symbols = {
	.name = "symbols",
	.summary = "Name addresses of a process, a file or the kernel",
	.usage = "[-p PID | FILE] < ADDRESSES",
	.examples = examples,
	.run = run,
};
