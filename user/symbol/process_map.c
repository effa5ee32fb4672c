// SPDX-License-Identifier: GPL-2.0-only
/* process_map.c - one mapping of a process, as a record or /proc tells it. */
#include <stdlib.h>
#include <string.h>
#include "file_open.h"
#include "process.h"
#include "strpool.h"

static enum mapping_kind kind_of(const struct symbol_mmap *m)
{
	if (!strcmp(m->path, "[vdso]"))
		return MAPPING_VDSO;
	if (!strcmp(m->path, "[vsyscall]"))
		return MAPPING_VSYSCALL;
	if (m->path[0] != '/' || !strncmp(m->path, "//anon", 6))
		return MAPPING_ANON;
	return m->ino || m->build_id_size ? MAPPING_FILE : MAPPING_ANON;
}

static const char *shown_path(struct strpool *pool, const char *path, enum mapping_kind kind)
{
	u32 id;

	if (kind == MAPPING_ANON && path[0] != '[')
		return "[anon]";
	id = strpool__id(pool, path, path__without_deleted(path));
	return id ? strpool__str(pool, id) : "?";
}

static void set_key(struct file_key *key, const struct symbol_mmap *m)
{
	*key = (struct file_key){.generation = NO_GENERATION};
	key->build_id.size = m->build_id_size <= BUILD_ID_MAX ? m->build_id_size : BUILD_ID_MAX;
	if (key->build_id.size) {
		memcpy(key->build_id.bytes, m->build_id, key->build_id.size);
		return;
	}
	key->maj = m->maj;
	key->min = m->min;
	key->ino = m->ino;
	key->generation = m->ino_generation;
}

/* While the process is there: what it maps may be deleted, and it may end, before it is asked for. */
static void hold(const struct processes_env *env, struct process *p, struct mapping *m)
{
	struct file_place place = {p->tgid, m->start, m->end, -1, m->path};

	if (p->ended)
		return;
	jit__sight(env->jits, p->jit);
	if (m->kind == MAPPING_ANON)
		jit__expect(env->jits, p->jit);
	if (!m->file)
		return;
	if (jit__root(p->jit))
		place.root = jit__root(p->jit)->root;
	m->elf = mapped_file__hold(env->files, m->file, &place, &m->not_elf);
	m->looked = m->elf || m->not_elf;
}

int process__map(struct processes *s, struct process *p, const struct symbol_mmap *m)
{
	const struct processes_env *env = processes__env(s);
	struct mapping new = {.start = m->start, .end = m->start + m->len, .since = m->time};
	struct file_key key;

	if (new.end <= new.start)
		return 0;
	new.kind = kind_of(m);
	new.offset = new.kind == MAPPING_FILE ? m->pgoff : 0;
	new.path = strpool__intern(env->pool, m->path);
	new.shown = shown_path(env->pool, m->path, new.kind);
	if (new.kind == MAPPING_FILE) {
		set_key(&key, m);
		new.file = file_cache__get(env->files, &key);
	}
	if (m->time)
		hold(env, p, &new);
	return maps__add(env->files, &p->maps, &new);
}
