// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "../event/catalog.h"
#include "attach.h"
#include "bpf/cgroup_names.h"
#include "bpf/cgroup_names.skel.h"
#include "cgroup_watch.h"

#define WHAT "names of cgroups that are made from now on"

struct cgroup_watch {
	struct cgroup_names_bpf *skel;
	struct bpf_link *link;
	struct ring_buffer *ring;
	void (*fn)(void *ctx, u64 id, const char *path);
	void *ctx;
};

static int on_made(void *ctx, void *data, size_t size)
{
	struct cgroup_watch *w = ctx;
	struct cgroup_made *m = data;

	/* a path that fills its room may have been cut */
	if (size >= sizeof(*m) && m->len && m->len < sizeof(m->path))
		w->fn(w->ctx, m->id, m->path);
	return 0;
}

static int find_fields(struct cgroup_names_bpf *skel, struct catalog *catalog, u32 *id,
		       struct err *err)
{
	struct event_format *format = NULL;
	const struct field *root, *cgroup, *path;
	int r = catalog__format(catalog, "cgroup", "cgroup_mkdir", &format, err);

	if (r)
		return err__set(err, -r, WHAT ": this kernel has no cgroup:cgroup_mkdir");
	root = event_format__field(format, "root");
	cgroup = event_format__field(format, "id");
	path = event_format__field(format, "path");
	*id = format->id;
	/* before 5.7 the id was an int of another meaning */
	if (root && cgroup && path && cgroup->size == 8) {
		skel->rodata->root_at = root->offset;
		skel->rodata->id_at = cgroup->offset;
		skel->rodata->path_at = path->offset;
	} else {
		r = err__set(err, EOPNOTSUPP, WHAT ": cgroup:cgroup_mkdir does not tell them here");
	}
	event_format__put(format);
	return r;
}

static int start(struct cgroup_watch *w, struct catalog *catalog, struct err *err)
{
	u32 id = 0;
	int r = find_fields(w->skel, catalog, &id, err);

	if (r)
		return r;
	r = cgroup_names_bpf__load(w->skel);
	if (r)
		return err__set(err, -r, WHAT ": the kernel does not load the program: %s",
				strerror(-r));
	w->ring = ring_buffer__new(bpf_map__fd(w->skel->maps.made), on_made, w, NULL);
	if (!w->ring)
		return err__set(err, errno, WHAT ": %s", strerror(errno));
	return attach_tracepoint(w->skel->progs.on_mkdir, id, WHAT, &w->link, err);
}

int cgroup_watch__open(struct cgroup_watch **ret, struct catalog *catalog,
		       void (*fn)(void *ctx, u64 id, const char *path), void *ctx, struct err *err)
{
	struct cgroup_watch *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return err__set(err, ENOMEM, WHAT ": out of memory");
	w->fn = fn;
	w->ctx = ctx;
	w->skel = cgroup_names_bpf__open();
	r = w->skel ? start(w, catalog, err) : err__set(err, errno, WHAT ": %s", strerror(errno));
	if (r)
		cgroup_watch__close(w);
	else
		*ret = w;
	return r;
}

void cgroup_watch__close(struct cgroup_watch *w)
{
	if (!w)
		return;
	bpf_link__destroy(w->link);
	ring_buffer__free(w->ring);
	cgroup_names_bpf__destroy(w->skel);
	free(w);
}

void cgroup_watch__poll(struct cgroup_watch *w)
{
	ring_buffer__consume(w->ring);
}

u64 cgroup_watch__lost(const struct cgroup_watch *w)
{
	return w->skel->bss->lost;
}
