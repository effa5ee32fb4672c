// SPDX-License-Identifier: GPL-2.0-only
/* elf_mini.c - .gnu_debugdata: an xz-compressed ELF file that holds only a .symtab. */
#include <errno.h>
#include <gelf.h>
#include <lzma.h>
#include <string.h>
#include "../base/guard.h"
#include "elf_file.h"

#define MINI_MAX   (256u << 20)	/* unpacked; seen: 2 MB for a large distribution library */
#define MINI_START (256u << 10)

static Elf_Data *section_data(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *have;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		have = elf_strptr(elf, names, sh.sh_name);
		if (have && !strcmp(have, name))
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

static int grow_output(lzma_stream *lz, char **out, size_t *room)
{
	size_t want = *room ? *room * 2 : MINI_START;
	char *p = want <= MINI_MAX ? realloc(*out, want) : NULL;

	if (!p)
		return -ENOMEM;
	lz->next_out = (u8 *)p + *room;
	lz->avail_out = want - *room;
	*out = p;
	*room = want;
	return 0;
}

/* @return the unpacked bytes, to be freed; NULL */
static char *unpack(const Elf_Data *data, size_t *len)
{
	lzma_stream lz = LZMA_STREAM_INIT;
	_cleanup_free_ char *out = NULL;
	lzma_ret ret = LZMA_OK;
	size_t room = 0;

	if (lzma_stream_decoder(&lz, MINI_MAX, 0) != LZMA_OK)
		return NULL;
	lz.next_in = data->d_buf;
	lz.avail_in = data->d_size;
	while (ret == LZMA_OK) {
		if (!lz.avail_out && grow_output(&lz, &out, &room))
			break;
		ret = lzma_code(&lz, LZMA_FINISH);
	}
	*len = lz.total_out;
	lzma_end(&lz);
	if (ret != LZMA_STREAM_END)
		return NULL;
	return_ptr(out);
}

long elf__add_mini(Elf *elf, struct symtab *t)
{
	Elf_Data *data = section_data(elf, ".gnu_debugdata");
	_cleanup_free_ char *bytes = NULL;
	size_t len;
	Elf *mini;
	long n;

	if (!data || !data->d_buf)
		return 0;
	bytes = unpack(data, &len);
	mini = bytes ? elf_memory(bytes, len) : NULL;
	if (!mini)
		return 0;
	n = elf__add_symbols(mini, SHT_SYMTAB, t);
	elf_end(mini);
	return n;
}
