// SPDX-License-Identifier: GPL-2.0-only
/* event_print.c - one event as `tamis trace` prints it, its call chain on the lines behind. */
#include "../format/chain.h"
#include "../format/format.h"
#include "pymod.h"

static const struct origin *open_origin(const struct pevent *e)
{
	return origin__ops(e->kind->origin) ? e->kind->origin : NULL;
}

static const char *name_cgroup(void *ctx, u64 id, bool container)
{
	const struct origin *o = ctx;

	if (container)
		return o->ops->container ? o->ops->container(o->ctx, id) : NULL;
	return o->ops->cgroup ? o->ops->cgroup(o->ctx, id) : NULL;
}

static void set_names(struct format_opts *opts, const struct pevent *e)
{
	const struct origin *o = open_origin(e);

	if (!o)
		return;
	opts->cgroup = name_cgroup;
	opts->ctx = (void *)o;
	if (o->ops->comm)
		opts->comm = o->ops->comm(o->ctx, e->rec.tid);
}

/* An event whose session is gone has addresses without names. */
static void put_chain(struct strbuf *out, const struct pevent *e)
{
	const struct origin *o = open_origin(e);
	const u64 *ips;
	u32 i, n;

	if (o && o->ops->symbolizer) {
		format__chain(out, &e->rec, o->ops->symbolizer(o->ctx));
		return;
	}
	n = record__callchain(&e->rec, &ips);
	for (i = 0; i < n; i++)
		if (!callchain__is_mark(ips[i]))
			strbuf__printf(out, "\n\t%16llx Unknown", (unsigned long long)ips[i]);
}

int print__event(struct strbuf *out, struct pevent *e, bool timestamp, bool callchain)
{
	struct format_opts opts = {.date = timestamp};

	if (pevent__settle(e))
		return -1;
	set_names(&opts, e);
	format__line(out, &e->rec, &opts);
	if (callchain)
		put_chain(out, e);
	strbuf__putc(out, '\n');
	return 0;
}
