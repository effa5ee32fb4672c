// SPDX-License-Identifier: GPL-2.0-only
/* elf_file.c - the binary of a probe: its functions, and what addresses are in the file. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../base/array.h"
#include "../base/strbuf.h"
#include "../base/suggest.h"
#include "elf_path.h"
#include "names.h"
#include "probe_parts.h"

/* Under the file's name in the text of the specification. */
static int file_error(const struct event_spec *spec, int code, struct err *err, const char *why)
{
	const char *at = strchr(spec->text, '@');
	size_t from = at ? at + 1 - spec->text : 0;

	return err__caret(err, spec->text, from,
			  strlen(spec->file) + 2 * strspn(spec->text + from, "\"'"), "%s: %s",
			  spec->file, why ? why : strerror(code));
}

static int check_elf(struct elf_file *f, const struct event_spec *spec, struct err *err)
{
	GElf_Ehdr eh;

	if (elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &eh))
		return file_error(spec, 0, err, "no ELF binary");
	if (eh.e_machine != probe_reg__machine())
		return file_error(spec, 0, err,
				  eh.e_ident[EI_CLASS] == ELFCLASS32
					  ? "probes in 32-bit binaries are not supported"
					  : "a binary of another kind of machine");
	return 0;
}

int elf_file__open(struct elf_file *f, const struct event_spec *spec, const char *root,
		   struct err *err)
{
	char path[PATH_MAX];
	int ret;

	*f = (struct elf_file){.fd = elf_path__open(root, spec->file, path)};
	if (f->fd < 0)
		return file_error(spec, -f->fd, err,
				  strchr(spec->file, '/') ? NULL
							  : "no library or program of that name");
	f->path = strdup(path);
	f->is_elsewhere = *root;
	if (!f->path)
		return err__set(err, ENOMEM, "out of memory");
	elf_version(EV_CURRENT);
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	ret = f->elf ? check_elf(f, spec, err) : file_error(spec, 0, err, "no ELF binary");
	return ret;
}

void elf_file__close(struct elf_file *f)
{
	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
}

bool elf_file__offset(const struct elf_file *f, u64 addr, u64 *offset)
{
	GElf_Phdr ph;
	size_t i, n;

	if (elf_getphdrnum(f->elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(f->elf, i, &ph) || ph.p_type != PT_LOAD || addr < ph.p_vaddr ||
		    addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		*offset = addr - ph.p_vaddr + ph.p_offset;
		return true;
	}
	return false;
}

/* --- functions by name --- */

#define SEVERAL 8 /* addresses that are named */

struct search {
	const struct event_spec *spec;
	u64 addr[SEVERAL], size;
	size_t n;
	bool indirect;
	struct names all;
};

/* "name@VERSION" and "name@@VERSION" are the name. */
static bool is_called(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(symbol, name, n) && (!symbol[n] || symbol[n] == '@');
}

static void add_address(struct search *s, const GElf_Sym *sym)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->addr[i] == sym->st_value)
			return;
	if (s->n < SEVERAL)
		s->addr[s->n++] = sym->st_value;
	s->size = sym->st_size;
	s->indirect = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
}

static bool is_function(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF &&
	       sym->st_value;
}

static void search_table(struct search *s, const struct elf_file *f, Elf_Scn *scn,
			 const GElf_Shdr *sh, bool names)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t i, n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	const char *name;
	GElf_Sym sym;

	for (i = 0; data && i < n; i++) {
		if (!gelf_getsym(data, i, &sym) || !is_function(&sym))
			continue;
		name = elf_strptr(f->elf, sh->sh_link, sym.st_name);
		if (!name)
			continue;
		if (names)
			names__add(&s->all, name);
		else if (is_called(name, s->spec->name))
			add_address(s, &sym);
	}
}

static void search_tables(struct search *s, const struct elf_file *f, bool names)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			search_table(s, f, scn, &sh, names);
}

static int name_error(const struct event_spec *spec, struct err *err, const char *what,
		      const char *hints)
{
	const char *colon = strchr(spec->text, ':');

	return err__caret(err, spec->text, colon ? colon + 1 - spec->text : 0, strlen(spec->name),
			  "%s%s", what, hints ? hints : "");
}

static int no_function(struct search *s, const struct elf_file *f, struct err *err)
{
	struct strbuf hints = {0};
	char what[512];
	int n, ret;

	search_tables(s, f, true);
	n = suggest__near(&hints, s->spec->name, (const char *const *)s->all.v, s->all.n);
	if (dwarf_args__is_inlined(f, s->spec->name))
		strbuf__puts(&hints, "; it is inlined wherever it is called");
	else if (!s->all.n)
		strbuf__puts(&hints, ": it is stripped; an address may stand here, as 0x1234");
	else if (!n)
		strbuf__puts(&hints, ": it may be inlined, or be defined elsewhere");
	snprintf(what, sizeof(what), "%s has no function %s", f->path, s->spec->name);
	ret = name_error(s->spec, err, what, hints.s);
	strbuf__free(&hints);
	names__free(&s->all);
	return ret;
}

static int several(const struct search *s, const struct elf_file *f, struct err *err)
{
	struct strbuf hints = {0};
	char what[512];
	size_t i;
	int ret;

	for (i = 0; i < s->n; i++)
		strbuf__printf(&hints, "%s0x%llx", i ? ", " : ": ", (unsigned long long)s->addr[i]);
	snprintf(what, sizeof(what), "%s has several functions %s; give the address of one",
		 f->path, s->spec->name);
	ret = name_error(s->spec, err, what, hints.s);
	strbuf__free(&hints);
	return ret;
}

/* An address instead of a name. */
static bool is_address(const char *name, u64 *addr)
{
	char *end;

	*addr = strtoull(name, &end, 16);
	return !strncmp(name, "0x", 2) && end > name + 2 && !*end;
}

int elf_file__function(const struct elf_file *f, const struct event_spec *spec, u64 *addr,
		       struct err *err)
{
	struct search s = {.spec = spec};
	u64 offset;

	if (is_address(spec->name, addr))
		return elf_file__offset(f, *addr, &offset)
			       ? 0
			       : name_error(spec, err, "this address is not in the file", NULL);
	search_tables(&s, f, false);
	if (!s.n)
		return no_function(&s, f, err);
	if (s.n > 1)
		return several(&s, f, err);
	if (s.indirect)
		return name_error(spec, err,
				  "this function only chooses which implementation is to be used; "
				  "probe one of those",
				  NULL);
	if (spec->offset && s.size && spec->offset >= s.size)
		return name_error(spec, err, "this function is shorter than the offset", NULL);
	*addr = s.addr[0];
	return 0;
}

/* --- functions by glob --- */

struct match {
	const char *name; /* the file's */
	u64 addr;
};

struct matches {
	const char *glob;
	struct match *v;
	size_t n, room;
};

static int by_address(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	return x->addr != y->addr ? (x->addr > y->addr) - (x->addr < y->addr)
				  : strcmp(x->name, y->name);
}

static int add_matches(struct matches *m, const struct elf_file *f, Elf_Scn *scn,
		       const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t i, n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	struct match match;
	GElf_Sym sym;

	for (i = 0; data && i < n; i++) {
		if (!gelf_getsym(data, i, &sym) || !is_function(&sym) ||
		    GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC)
			continue;
		match.name = elf_strptr(f->elf, sh->sh_link, sym.st_name);
		match.addr = sym.st_value;
		if (match.name && !fnmatch(m->glob, match.name, 0) &&
		    array__push(m->v, m->n, m->room, match))
			return -ENOMEM;
	}
	return 0;
}

static int find_matches(struct matches *m, const struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int ret = 0;

	while (!ret && (scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			ret = add_matches(m, f, scn, &sh);
	if (!ret && m->n)
		qsort(m->v, m->n, sizeof(*m->v), by_address);
	return ret;
}

int elf_file__each(const struct elf_file *f, const struct event_spec *spec,
		   int (*fn)(void *ctx, const char *name, u64 addr), void *ctx, struct err *err)
{
	struct matches m = {.glob = spec->name};
	char what[512];
	size_t i;
	int ret = find_matches(&m, f);

	if (!ret && !m.n) {
		snprintf(what, sizeof(what), "no function of %s matches %s", f->path, spec->name);
		ret = name_error(spec, err, what, NULL);
	}
	for (i = 0; !ret && i < m.n; i++)
		if (!i || m.v[i].addr != m.v[i - 1].addr)
			ret = fn(ctx, m.v[i].name, m.v[i].addr);
	free(m.v);
	return ret;
}
