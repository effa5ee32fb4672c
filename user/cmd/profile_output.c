// SPDX-License-Identifier: GPL-2.0-only
/* profile_output.c - the files and the text of a profile, and what is said about it. */
#include <errno.h>
#include <string.h>
#include "../base/guard.h"
#include "profile_parts.h"

static void title(const struct profile *p, char *text, size_t size)
{
	int n = snprintf(text, size, "On-CPU time"), i;

	for (i = 0; p->o->workload && p->o->workload[i] && n < (int)size; i++)
		n += snprintf(text + n, size - n, "%s%s", i ? " " : ": ", p->o->workload[i]);
	if (n >= (int)size)
		strcpy(text + size - 4, "...");
}

static int write_flame_graph(const struct profile *p, struct err *err)
{
	const char *path = p->o->flame_graph;
	_cleanup_fclose_ FILE *f = fopen(path, "we");
	char heading[96], subtitle[160];
	struct flame_graph g = {.title = heading, .subtitle = subtitle};
	size_t len = strlen(path);
	int ret;

	if (!f)
		return err__set(err, errno, "--flame-graph %s: %s", path, strerror(errno));
	title(p, heading, sizeof(heading));
	snprintf(subtitle, sizeof(subtitle), "%llu samples in %.1f s",
		 (unsigned long long)call_tree__total(p->tree), (p->ended - p->began) / 1e9);
	g.html = len > 5 && !strcmp(path + len - 5, ".html");
	ret = flame_graph__write(p->tree, f, &g);
	if (fflush(f) && !ret)
		ret = -errno;
	return ret ? err__set(err, -ret, "--flame-graph %s: %s", path, strerror(-ret)) : 0;
}

static int write_text(const struct profile *p, struct err *err)
{
	int ret = p->o->folded ? folded__write(p->tree, stdout)
			       : call_tree__print(p->tree, stdout, p->o->than);

	errno = 0;
	if (fflush(stdout) || ret) {
		if (errno == EPIPE)
			return 0;
		return err__set(err, errno ? errno : EIO, "%s: %s",
				p->o->output ? p->o->output : "stdout",
				strerror(errno ? errno : EIO));
	}
	return 0;
}

static void say_losses(struct profile *p, const struct profiler_stats *st)
{
	struct log *log = &p->o->log;

	if (st->lost)
		log__say(log, LOG_WARNING, "lost %llu of %llu samples: %s",
			 (unsigned long long)st->lost, (unsigned long long)st->samples,
			 p->profiler ? "no room for their stacks" : "the rings were full");
	if (st->truncated)
		log__say(log, LOG_NOTICE,
			 "%llu samples with %u frames or more: their outermost callers may be missing "
			 "(kernel.perf_event_max_stack)",
			 (unsigned long long)st->truncated, st->max_frames);
	if (broken_stacks__most(p->broken))
		log__say(log, LOG_NOTICE,
			 "most user stacks are one or two frames deep or lead nowhere: the programs are "
			 "likely built without frame pointers; build them with "
			 "-fno-omit-frame-pointer, or use --unwind dwarf (stack=dwarf for events)");
}

void profile__summary(struct profile *p)
{
	struct symbolizer_stats names;
	struct profiler_stats st;

	if (p->profiler)
		profiler__stats(p->profiler, &st);
	else
		st = (struct profiler_stats){.samples = p->samples + p->lost, .lost = p->lost};
	symbolizer__stats(p->symbolizer, &names);
	say_losses(p, &st);
	log__say(&p->o->log, LOG_NOTICE,
		 "%llu samples in %.1f s, lost %llu, truncated %llu, own %llu; %llu of %llu frames "
		 "without a name, %llu of them of files that were gone",
		 (unsigned long long)st.samples, (p->ended - p->began) / 1e9,
		 (unsigned long long)st.lost, (unsigned long long)st.truncated,
		 (unsigned long long)st.own, (unsigned long long)names.nameless,
		 (unsigned long long)names.frames, (unsigned long long)names.late);
	if (names.map_lines || names.map_bad_lines)
		log__say(&p->o->log, LOG_DEBUG,
			 "perf map files: %llu lines, %llu malformed ones skipped",
			 (unsigned long long)names.map_lines,
			 (unsigned long long)names.map_bad_lines);
}

int profile__write(const struct profile *p, struct err *err)
{
	int ret = p->o->flame_graph ? write_flame_graph(p, err) : 0;

	if (!ret && (!p->o->flame_graph || p->o->folded || p->o->output))
		ret = write_text(p, err);
	return ret;
}
