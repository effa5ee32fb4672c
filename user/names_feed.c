// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <sys/mman.h>
#include "collect/sideband.h"
#include "names_feed.h"
#include "symbol/symbolizer.h"

static void feed_mmap(struct symbolizer *s, const struct sideband_record *rec)
{
	struct symbol_mmap m = {
		.tgid = rec->tgid,
		.time = rec->time,
		.start = rec->mmap.start,
		.len = rec->mmap.len,
		.pgoff = rec->mmap.pgoff,
		.maj = rec->mmap.maj,
		.min = rec->mmap.min,
		.ino = rec->mmap.ino,
		.ino_generation = rec->mmap.ino_generation,
		.exec = rec->mmap.prot & PROT_EXEC,
		.path = rec->mmap.path,
	};

	if (rec->mmap.build_id_size && rec->mmap.build_id_size <= BUILD_ID_MAX) {
		m.build_id_size = rec->mmap.build_id_size;
		memcpy(m.build_id, rec->mmap.build_id, m.build_id_size);
	}
	symbolizer__mmap(s, &m);
}

void names_feed(void *ctx, const struct sideband_record *rec)
{
	struct symbolizer *s = ctx;

	switch (rec->kind) {
	case SIDEBAND_COMM:
		if (rec->comm.exec)
			symbolizer__exec(s, rec->tgid, rec->time);
		break;
	case SIDEBAND_FORK:
		if (rec->tgid != rec->fork.parent_tgid)
			symbolizer__fork(s, rec->fork.parent_tgid, rec->tgid, rec->time);
		break;
	case SIDEBAND_EXIT:
		if (rec->tid == rec->tgid)
			symbolizer__exit(s, rec->tgid, rec->time);
		break;
	case SIDEBAND_MMAP:
		feed_mmap(s, rec);
		break;
	case SIDEBAND_KSYMBOL:
		symbolizer__ksymbol(s, rec->ksymbol.addr, rec->ksymbol.len, rec->ksymbol.name,
				    rec->ksymbol.gone, rec->time);
		break;
	case SIDEBAND_LOST:
		symbolizer__lost(s);
		break;
	case SIDEBAND_CGROUP:
		break;
	}
}
