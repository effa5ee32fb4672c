// SPDX-License-Identifier: GPL-2.0-only
#include "session_names.h"

static const char *comm_of(void *ctx, u32 tid)
{
	return session__comm(ctx, tid);
}

static const char *cgroup_of(void *ctx, u64 id)
{
	return session__cgroup(ctx, id);
}

static const char *container_of(void *ctx, u64 id)
{
	return session__container(ctx, id);
}

static struct symbolizer *symbolizer_of(void *ctx)
{
	return session__symbolizer(ctx);
}

static const struct origin_ops session_ops = {
	.comm = comm_of,
	.cgroup = cgroup_of,
	.container = container_of,
	.symbolizer = symbolizer_of,
};

struct origin *session_names__origin(struct session *session)
{
	return origin__new(&session_ops, session);
}
