// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <elfutils/libdwelf.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "elf_file.h"

#define SEGMENTS_MAX	256
#define SYMBOLS_MAX	20000000u

bool build_id__equal(const struct build_id *a, const struct build_id *b)
{
	return a->size && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

int elf__segments(Elf *elf, struct elf_segments *ret)
{
	size_t n, i;

	*ret = (struct elf_segments){0};
	if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &n) || n > SEGMENTS_MAX)
		return -ENOEXEC;
	for (i = 0; i < n; i++) {
		struct elf_segment s;
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		s = (struct elf_segment){ph.p_offset, ph.p_filesz, ph.p_vaddr};
		if (array__push(ret->v, ret->n, ret->room, s))
			break;
	}
	return ret->n ? 0 : -ENOEXEC;
}

void elf__build_id(Elf *elf, struct build_id *ret)
{
	const void *bytes;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &bytes);

	ret->size = n > 0 ? n < BUILD_ID_MAX ? n : BUILD_ID_MAX : 0;
	memcpy(ret->bytes, n > 0 ? bytes : "", ret->size);
}

bool elf_segments__vaddr(const struct elf_segments *s, u64 offset, u64 *vaddr)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (offset < s->v[i].offset || offset - s->v[i].offset >= s->v[i].size)
			continue;
		*vaddr = offset - s->v[i].offset + s->v[i].vaddr;
		return true;
	}
	return false;
}

static Elf_Scn *find_section(Elf *elf, u32 type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

static enum binding binding(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return BIND_LOCAL;
	case STB_WEAK:
		return BIND_WEAK;
	default:
		return BIND_GLOBAL;
	}
}

/*
 * Labels of assembly code have no type. Names with a '$' in front mark code and data for
 * disassemblers, ".L" ones are the compiler's own.
 */
static bool is_function(const GElf_Sym *sym, const char *name, const GElf_Shdr *home)
{
	int type = GELF_ST_TYPE(sym->st_info);

	if (!name || !*name || !sym->st_value || !(home->sh_flags & SHF_EXECINSTR))
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && *name != '$' && strncmp(name, ".L", 2);
}

/* The section that a symbol is in, remembered from the last time. */
struct home {
	size_t ndx;
	GElf_Shdr sh;
};

static bool find_home(Elf *elf, const GElf_Sym *sym, struct home *home)
{
	Elf_Scn *scn;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return false;
	if (home->ndx == sym->st_shndx)
		return true;
	scn = elf_getscn(elf, sym->st_shndx);
	if (!scn || !gelf_getshdr(scn, &home->sh))
		return false;
	home->ndx = sym->st_shndx;
	return true;
}

/* .symtab of a linked library has "fopen@@GLIBC_2.2.5"; the version is no part of the name. */
static size_t name_length(const char *name)
{
	const char *at = strchr(name, '@');

	if (!at || at == name || (at[1] != '@' && (at[1] < 'A' || at[1] > 'Z')))
		return strlen(name);
	return at - name;
}

/*
 * A symbol without a size reaches to the next one only where all symbols are there: in .dynsym
 * of a stripped file the next one may be many nameless functions away.
 */
static int add_symbol(Elf *elf, const GElf_Sym *sym, const char *name, struct home *home,
		      bool complete, struct symtab *t)
{
	u64 limit;

	if (!find_home(elf, sym, home) || !is_function(sym, name, &home->sh))
		return 0;
	limit = complete ? home->sh.sh_addr + home->sh.sh_size : 0;
	return symtab__add(t, sym->st_value, sym->st_size, limit, name, name_length(name),
			   binding(sym));
}

long elf__add_symbols(Elf *elf, u32 type, struct symtab *t)
{
	struct home home = {0};
	size_t i, n, before = t->n;
	Elf_Data *data;
	Elf_Scn *scn;
	GElf_Shdr sh;
	GElf_Sym sym;

	scn = find_section(elf, type, &sh);
	data = scn ? elf_getdata(scn, NULL) : NULL;
	if (!data || !sh.sh_entsize)
		return 0;
	n = data->d_size / sh.sh_entsize;
	for (i = 0; i < n && i < SYMBOLS_MAX; i++) {
		if (!gelf_getsym(data, i, &sym))
			break;
		if (add_symbol(elf, &sym, elf_strptr(elf, sh.sh_link, sym.st_name), &home,
			       type == SHT_SYMTAB, t))
			return -ENOMEM;
	}
	return t->n - before;
}

static long add_debug_symbols(Elf *elf, const struct elf_place *place, struct symtab *t)
{
	_cleanup_close_ int fd = elf__open_debug(elf, place);
	Elf *debug;
	long n;

	if (fd < 0)
		return 0;
	debug = elf_begin(fd, ELF_C_READ, NULL);
	n = debug ? elf__add_symbols(debug, SHT_SYMTAB, t) : 0;
	elf_end(debug);
	return n;
}

int elf__load_symbols(Elf *elf, const struct elf_place *place, struct symtab *t)
{
	long n = elf__add_symbols(elf, SHT_SYMTAB, t);

	if (!n)
		n = add_debug_symbols(elf, place, t);
	if (!n)
		n = elf__add_mini(elf, t);
	if (n >= 0)
		n = elf__add_symbols(elf, SHT_DYNSYM, t);
	if (n >= 0)
		n = symtab__sort(t);
	if (n < 0)
		symtab__free(t);
	return n < 0 ? n : 0;
}
