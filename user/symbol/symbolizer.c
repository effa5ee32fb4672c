// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include "../base/clock.h"
#include "../base/log.h"
#include "kallsyms.h"
#include "proc.h"
#include "process.h"
#include "strpool.h"
#include "symbolizer_parts.h"
#include "unwinder.h"

#define REFRESH_NS 100000000ull

struct symbolizer {
	struct symbolizer_opts opts;
	struct log *log;
	struct strpool *pool;
	struct file_cache *files;
	struct jits *jits;
	struct processes *processes;
	struct kallsyms *kallsyms;
	u64 round; /* counts call chains */
	u64 frames, nameless, late;
};

static int make_parts(struct symbolizer *s)
{
	struct processes_env env;

	s->pool = strpool__new();
	s->files = file_cache__new();
	if (!s->pool || !s->files)
		return -ENOMEM;
	s->jits = jits__new(s->opts.perf_map_dir, s->pool, s->log);
	s->kallsyms = kallsyms__new(NULL, s->pool, s->opts.raw_names, s->log);
	env = (struct processes_env){s->files, s->jits, s->pool};
	s->processes = s->jits ? processes__new(&env) : NULL;
	return s->processes && s->kallsyms ? 0 : -ENOMEM;
}

int symbolizer__new(struct symbolizer **ret, const struct symbolizer_opts *opts, struct log *log,
		    struct err *err)
{
	struct symbolizer *s = calloc(1, sizeof(*s));

	if (!s)
		return err__set(err, ENOMEM, "symbolizer: out of memory");
	if (opts)
		s->opts = *opts;
	s->log = log;
	if (s->opts.perf_map_dir)
		s->opts.perf_map_dir = realpath(s->opts.perf_map_dir, NULL);
	if (opts && opts->perf_map_dir && !s->opts.perf_map_dir) {
		int code = errno;

		symbolizer__free(s);
		return err__set(err, code, "--perf-map-dir %s: %s", opts->perf_map_dir,
				strerror(code));
	}
	if (make_parts(s)) {
		symbolizer__free(s);
		return err__set(err, ENOMEM, "symbolizer: out of memory");
	}
	*ret = s;
	return 0;
}

void symbolizer__free(struct symbolizer *s)
{
	if (!s)
		return;
	processes__free(s->processes);
	jits__free(s->jits);
	file_cache__free(s->files);
	kallsyms__free(s->kallsyms);
	strpool__free(s->pool);
	free((char *)s->opts.perf_map_dir);
	free(s);
}

bool symbolizer__look_for_elf(struct symbolizer *s, struct process *p, struct mapping *m)
{
	struct file_place place = {0, m->start, m->end, -1, m->path};

	if (!m->file || (m->looked && (!m->elf || elf_file__usable(m->elf))))
		return m->elf;
	place.pid = process__alive(p) ? p->tgid : 0;
	if (place.pid)
		jit__sight(s->jits, p->jit);
	if (jit__root(p->jit))
		place.root = jit__root(p->jit)->root;
	elf_file__put(m->elf);
	m->elf = mapped_file__elf(s->files, m->file, &place, &m->not_elf);
	m->looked = true;
	return m->elf;
}

/* @vaddr of @q->addr in @e. @return whether it has a name */
static bool name_by_elf(struct symbolizer *s, struct elf_file *e, u64 vaddr, const struct query *q,
			struct frame *f)
{
	const struct sym *sym = elf_file__find(s->files, e, vaddr);

	f->offset = vaddr + (f->addr - q->addr);
	if (!sym)
		return false;
	f->symbol = symtab__name(elf_file__symtab(e), sym, s->pool, s->opts.raw_names);
	f->offset -= sym->start;
	return true;
}

bool symbolizer__name_by_map(struct symbolizer *s, const struct query *q, struct frame *f,
			     const char **file)
{
	const char *name;
	u64 start;

	jit__sight(s->jits, q->process->jit);
	name = jit__find(s->jits, q->process->jit, q->addr, s->round, &start, file);
	if (!name)
		return false;
	f->symbol = name;
	f->offset = f->addr - start;
	f->kind = strncmp(name, "py::", 4) ? FRAME_JIT : FRAME_PYTHON;
	return true;
}

static void name_in_file(struct symbolizer *s, struct mapping *m, const struct query *q,
			 struct frame *f)
{
	u64 offset = q->addr - m->start + m->offset, vaddr = offset;
	const char *file;

	if (symbolizer__look_for_elf(s, q->process, m) && elf_file__vaddr(m->elf, offset, &vaddr) &&
	    name_by_elf(s, m->elf, vaddr, q, f))
		return;
	f->offset = vaddr + (f->addr - q->addr);
	if (symbolizer__name_by_map(s, q, f, &file))
		return;
	if (!m->elf && !m->not_elf)
		s->late++;
}

/* A 32-bit process has another one. */
struct elf_file *symbolizer__vdso(struct symbolizer *s, const struct mapping *m)
{
	return m->start > UINT32_MAX ? file_cache__vdso(s->files) : NULL;
}

static void name_in_vdso(struct symbolizer *s, struct mapping *m, const struct query *q,
			 struct frame *f)
{
	struct elf_file *vdso = symbolizer__vdso(s, m);
	u64 vaddr = q->addr - m->start;

	f->offset = f->addr - m->start;
	if (vdso && elf_file__vaddr(vdso, vaddr, &vaddr))
		name_by_elf(s, vdso, vaddr, q, f);
	elf_file__put(vdso);
}

struct mapping *symbolizer__find_mapping(struct symbolizer *s, const struct query *q)
{
	struct process *p = q->process;
	struct mapping *m = maps__find(p->maps, q->addr, q->time);
	u64 now;

	if (m || p->ended)
		return m;
	now = clock__ns(CLOCK_MONOTONIC);
	if (now - p->refreshed < REFRESH_NS && p->read)
		return NULL;
	p->refreshed = now;
	if (!processes__read(s->processes, p))
		return NULL;
	return maps__find(p->maps, q->addr, q->time);
}

static void name_user(struct symbolizer *s, const struct query *q, struct frame *f)
{
	struct mapping *m = q->process ? symbolizer__find_mapping(s, q) : NULL;

	if (!m)
		return;
	f->dso = m->shown;
	switch (m->kind) {
	case MAPPING_FILE:
		name_in_file(s, m, q, f);
		break;
	case MAPPING_VDSO:
		name_in_vdso(s, m, q, f);
		break;
	case MAPPING_VSYSCALL:
		f->offset = f->addr - m->start;
		break;
	case MAPPING_ANON:
		f->kind = FRAME_JIT;
		f->offset = f->addr - m->start;
		symbolizer__name_by_map(s, q, f, &f->dso);
		if (!f->symbol)
			f->dso = m->shown;
		break;
	}
}

static void name_kernel(struct symbolizer *s, const struct query *q, struct frame *f)
{
	u64 start = 0;

	f->kernel = true;
	f->kind = FRAME_KERNEL;
	f->symbol = kallsyms__find(s->kallsyms, q->addr, q->time, &start, &f->dso);
	f->offset = f->symbol ? f->addr - start : f->addr;
}

struct process *symbolizer__process(struct symbolizer *s, u32 tgid, u64 time)
{
	s->round++;
	return processes__at(s->processes, tgid, time);
}

struct unwinder *symbolizer__unwinder(struct symbolizer *s, struct process *p)
{
	return processes__unwinder(s->processes, p);
}

/* Whose address it is; guests and the hypervisor have their own, which ours do not name. */
enum side { SIDE_BY_ADDRESS, SIDE_USER, SIDE_KERNEL, SIDE_OTHER };

static bool is_mark(u64 ip)
{
	return ip >= (u64)PERF_CONTEXT_MAX;
}

static enum side side_of(u64 mark)
{
	if (mark == (u64)PERF_CONTEXT_USER)
		return SIDE_USER;
	return mark == (u64)PERF_CONTEXT_KERNEL ? SIDE_KERNEL : SIDE_OTHER;
}

static void name_other(struct frame *f)
{
	f->dso = "[guest]";
	f->offset = f->addr;
	f->kernel = true;
	f->kind = FRAME_KERNEL;
}

static void name_one(struct symbolizer *s, enum side side, const struct query *q, struct frame *f)
{
	if (side == SIDE_BY_ADDRESS)
		side = (s64)f->addr < 0 ? SIDE_KERNEL : SIDE_USER;
	if (side == SIDE_KERNEL)
		name_kernel(s, q, f);
	else if (side == SIDE_USER)
		name_user(s, q, f);
	else
		name_other(f);
	s->frames++;
	s->nameless += !f->symbol;
}

static bool any_user(const u64 *ips, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if ((s64)ips[i] >= 0 || ips[i] == (u64)PERF_CONTEXT_USER)
			return true;
	return false;
}

u32 symbolizer__frames(struct symbolizer *s, u32 tgid, u64 time, const u64 *ips, u32 n,
		       struct frame *out)
{
	struct query q = {.time = time ? time : UINT64_MAX};
	enum side side = SIDE_BY_ADDRESS;
	bool leaf = true;
	u32 i, filled = 0;

	s->round++;
	if (any_user(ips, n))
		q.process = processes__at(s->processes, tgid, time);
	for (i = 0; i < n; i++) {
		if (is_mark(ips[i])) {
			leaf = true;
			side = side_of(ips[i]);
			continue;
		}
		out[filled] = (struct frame){.addr = ips[i]};
		q.addr = leaf ? ips[i] : ips[i] - 1;
		leaf = false;
		name_one(s, side, &q, &out[filled++]);
	}
	return filled;
}

/* The file's own numbers, not those of a mapping: no process is involved. */
static void name_in_elf(struct symbolizer *s, struct elf_file *e, u64 vaddr, struct frame *f)
{
	struct query q = {.addr = vaddr};

	f->addr = vaddr;
	name_by_elf(s, e, vaddr, &q, f);
}

int symbolizer__file(struct symbolizer *s, const char *path, const u64 *addrs, u32 n,
		     struct frame *out, struct err *err)
{
	struct file_place place = {.root = -1, .path = path};
	const char *shown = strpool__intern(s->pool, path);
	struct elf_file *e;
	u32 i;

	e = file_cache__by_path(s->files, &place);
	if (!e)
		return err__set(err, errno, "%s: %s", path,
				errno == ENOEXEC ? "not an ELF file with code" : strerror(errno));
	for (i = 0; i < n; i++) {
		out[i] = (struct frame){.dso = shown};
		name_in_elf(s, e, addrs[i], &out[i]);
	}
	elf_file__put(e);
	return 0;
}

void symbolizer__scan(struct symbolizer *s)
{
	processes__scan(s->processes);
}

void symbolizer__mmap(struct symbolizer *s, const struct symbol_mmap *m)
{
	struct process *p = m->exec ? processes__newest(s->processes, m->tgid, m->time) : NULL;

	if (p)
		process__map(s->processes, p, m);
}

void symbolizer__fork(struct symbolizer *s, u32 parent, u32 tgid, u64 time)
{
	processes__fork(s->processes, parent, tgid, time);
}

void symbolizer__exec(struct symbolizer *s, u32 tgid, u64 time)
{
	processes__exec(s->processes, tgid, time);
}

void symbolizer__exit(struct symbolizer *s, u32 tgid, u64 time)
{
	processes__exit(s->processes, tgid, time);
}

void symbolizer__load_kernel(struct symbolizer *s)
{
	kallsyms__load(s->kallsyms);
}

void symbolizer__lost(struct symbolizer *s)
{
	processes__doubt(s->processes);
}

void symbolizer__ksymbol(struct symbolizer *s, u64 addr, u32 len, const char *name, bool gone,
			 u64 time)
{
	kallsyms__update(s->kallsyms, addr, len, name, gone, time);
}

void symbolizer__stats(const struct symbolizer *s, struct symbolizer_stats *stats)
{
	struct jits_stats jits;

	jits__stats(s->jits, &jits);
	*stats = (struct symbolizer_stats){
		.frames = s->frames,
		.nameless = s->nameless,
		.late = s->late,
		.processes = processes__nr(s->processes),
		.files = file_cache__nr(s->files),
		.map_lines = jits.lines,
		.map_bad_lines = jits.bad_lines,
		.map_refused = jits.refused,
		.bytes = file_cache__bytes(s->files) + kallsyms__bytes(s->kallsyms) + jits.bytes,
	};
}
